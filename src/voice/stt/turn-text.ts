import { sameLanguage } from '../../text/language/languages.ts';
import { confidentLanguage, rankLanguages } from '../../text/language/detect.ts';
import { scriptsOf, type Script } from '../../text/language/scripts.ts';
import { splitSentences } from '../../text/split/sentences.ts';
import { wordUnits } from '../../text/word-units.ts';

/** Words in one language, as a BCP 47 code; empty when it is not known. */
export interface Words {
  readonly text: string;
  readonly language: string;
}

/** Signs, then a word that begins with a small letter, in scripts with capitals. */
const SMALL_BEGINNING =
  /^([^\p{L}\p{N}]*)([[\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\p{sc=Armn}]&&\p{Ll}])(?!\p{Ll}*\p{Lu})/v;

/** A text whose first letter is a capital; words such as `iPhone` stay as they are. */
export const withCapital = ({ text, language }: Words): string =>
  text.replace(
    SMALL_BEGINNING,
    (_, signs: string, letter: string) =>
      // In Turkish it has a dot.
      `${signs}${/^(?:tr|az)\b/.test(language) ? letter.toLocaleUpperCase(language) : letter.toUpperCase()}`,
  );

/** True when a text ends as a sentence does. */
export const isEnded = (text: string): boolean =>
  /(?<!\.\.)[.!?。！？؟।]["'”’»」』）)\]]*\s*$/u.test(text);

/** Longest sentence that is left for the text after a cut; a longer one is shown in two. */
const LONGEST_REST_CHARS = 200;

/**
 * Divides a text that goes on in another one: its whole sentences, and the rest. Its last full stop is
 * left out, for recognisers put one wherever the audio breaks off.
 */
export const dividedAtEnd = (text: string): { readonly done: string; readonly rest: string } => {
  const unstopped = text.replace(/(?:[.。]|…)+\s*$/u, '');
  const sentences = splitSentences(unstopped);
  const rest = sentences.at(-1) ?? '';
  if (rest.length > LONGEST_REST_CHARS) return { done: unstopped, rest: '' };
  return { done: sentences.slice(0, -1).join('').trimEnd(), rest };
};

/** Fewest words, or characters of scripts without spaces, that stand alone. */
const FEWEST_WORDS = 3;

const isOf = ({ languages }: Script, language: string): boolean =>
  languages.some((each) => sameLanguage(each, language));

/** The script of a sentence: that of the turn's language where Latin letters are names within it. */
const scriptOf = (sentence: string, language: string): Script | undefined => {
  const scripts = scriptsOf(sentence).map(({ script }) => script);
  return scripts.find((each) => isOf(each, language) && !isOf(each, 'en')) ?? scripts[0];
};

/** Cuts a text where a sentence in another script begins, each part in a language of its script. */
export const cutAtScripts = ({ text, language }: Words): readonly Words[] => {
  const runs: string[] = [];
  for (const sentence of splitSentences(text)) {
    const before = runs.at(-1);
    const script = scriptOf(sentence, language);
    const isOther = before && script && script !== scriptOf(before, language);
    if (before === undefined || (isOther && wordUnits(sentence).length >= FEWEST_WORDS))
      runs.push(sentence);
    else runs[runs.length - 1] = before + sentence;
  }
  if (runs.length < 2) return [{ text, language }];
  return runs.map((run) => {
    const script = scriptOf(run, language);
    const detected = confidentLanguage(rankLanguages(run))?.language ?? '';
    return { text: run.trim(), language: script && isOf(script, language) ? language : detected };
  });
};
