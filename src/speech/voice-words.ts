import type { Voice } from '../api/contract.ts';
import { quotedWords } from '../text/quoted-words.ts';

/** The words of a description, in lower case: `female` has no `male` in it. */
const wordsOf = (written: string): ReadonlySet<string> =>
  new Set(written.toLowerCase().match(/[\p{L}\p{N}]+/gu));

const isSaid = (part: string, words: ReadonlySet<string>): boolean =>
  [...wordsOf(part)].every((word) => words.has(word));

/**
 * Lists what people read of a voice, a line each: its description, or its ID where it has none, then
 * its language and its gender unless the description says them. A language may be words and a code,
 * `Spanish (Spain), es`; one of them in the description is enough.
 */
export const voiceWords = ({
  id,
  description,
  language,
  gender,
}: Pick<Voice, 'id' | 'description' | 'language' | 'gender'>): readonly [string, ...string[]] => {
  const name = quotedWords(description || id);
  const words = wordsOf(name);
  const saysLanguage = language.split(',').some((part) => isSaid(part, words));
  return [
    name,
    ...(saysLanguage ? [] : [quotedWords(language)]),
    ...(isSaid(gender, words) ? [] : [quotedWords(gender)]),
  ];
};

/** A voice on one line: `Ada · English · Female`. */
export const voiceText = (voice: Parameters<typeof voiceWords>[0]): string =>
  voiceWords(voice).join(' · ');
