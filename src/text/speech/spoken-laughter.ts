import { languageOf } from '../language/language-names.ts';
import { perKey, wordsOf } from './language-words.ts';
import rules from './laughter.json' with { type: 'json' };

interface Rule {
  readonly pattern: string;
  readonly ignoreCase?: boolean;
  /** The words for it; laughter in the voice's language where it is absent. */
  readonly word?: string;
}
/** Rules of single languages; those that may touch other laughter come first. */
const OF_LANGUAGES: ReadonlyMap<string, readonly Rule[]> = new Map(Object.entries(rules.languages));

/** Laughter of languages without their own spelling for their voices. */
const ANYWHERE = 'haha';
/** Laughter written out: `HAHAHHAHA`. */
const writtenOut =
  /(?<![\p{L}\p{N}])[aeiou]?([hjх])\1*([aeiouаеи])\2*(?:\1+\2+)+\1*(?![\p{L}\p{N}])/giu;
const MOST_SYLLABLES = 3;

/** Korean letters come first, tears among them; last comes laughter that any voice would spell. */
const rulesFor = perKey((language) => {
  const { laughter = ANYWHERE } = wordsOf(language, 'words');
  const own = OF_LANGUAGES.get(language) ?? [];
  return [...rules.korean, ...own, ...rules.spelled].map(
    ({ pattern, ignoreCase, word = laughter }: Rule) => ({
      pattern: new RegExp(pattern, ignoreCase ? 'giu' : 'gu'),
      word: ` ${word} `,
    }),
  );
});

const shortLaughter = (written: string, first: string, vowel: string): string => {
  const syllable = `${first}${vowel}`.toLowerCase();
  const count = written.toLowerCase().split(first.toLowerCase()).filter(Boolean).length;
  return syllable.repeat(Math.min(count, MOST_SYLLABLES));
};

/**
 * Replaces laughter that a voice would spell, or read as a number, by laughter of the voice's
 * language.
 */
export const spokenLaughter = (text: string, locale: string | undefined): string => {
  let spoken = text;
  for (const { pattern, word } of rulesFor(languageOf(locale)))
    spoken = spoken.replaceAll(pattern, word);
  return spoken.replaceAll(writtenOut, shortLaughter);
};
