import { splitSentences } from '../../text/split/sentences.ts';

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
