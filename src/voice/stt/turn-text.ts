import type { SpokenWord } from '../../model/message.ts';
import { splitSentences } from '../../text/split/sentences.ts';

/** Words in one language, as a BCP 47 code; empty when it is not known. */
export interface Words {
  readonly text: string;
  readonly language: string;
  /** The words of `text`, on the room's clock; undefined where their times are not known. */
  readonly words?: readonly SpokenWord[] | undefined;
}

/** Signs, then a word that begins with a small letter, in scripts with capitals. */
const SMALL_BEGINNING =
  /^([^\p{L}\p{N}]*)([[\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\p{sc=Armn}]&&\p{Ll}])(?!\p{Ll}*\p{Lu})/v;

/** Signs, then a capital other than that of `I`. */
const CAPITAL_BEGINNING = /^[^\p{L}\p{N}]*(?!I\b)\p{Lu}/u;
const NOUNS_HAVE_CAPITALS = /^(?:de|lb)\b/;

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

/** An unfinished sentence without the full stop with which a recogniser ended it. */
export interface Begun extends Words {
  readonly stop: string;
}

/**
 * The beginning of a sentence before what was said next. Before a capital it keeps its full stop: 29 of 36
 * such stops of Whisper's base model were where a sentence ended, of 15 before a small letter none.
 *
 * @param isOver true when no more words come, so that it also keeps its full stop before none
 */
export const begunBefore = (
  { text, stop, language }: Begun,
  next: string,
  isOver: boolean,
): string => {
  const isKept =
    next === '' ? isOver : !NOUNS_HAVE_CAPITALS.test(language) && CAPITAL_BEGINNING.test(next);
  return isKept ? text + stop : text;
};

/**
 * Divides a text that goes on in another one: its whole sentences, and the rest without its last full
 * stop, for recognisers put one wherever the audio breaks off.
 */
export const dividedAtEnd = (
  text: string,
): { readonly done: string; readonly rest: string; readonly stop: string } => {
  const [stop] = /(?:(?:[.。]|…)+\s*)?$/u.exec(text) ?? [''];
  const unstopped = text.slice(0, text.length - stop.length);
  const sentences = splitSentences(unstopped);
  const rest = sentences.at(-1) ?? '';
  if (rest.length > LONGEST_REST_CHARS) return { done: unstopped, rest: '', stop };
  return { done: sentences.slice(0, -1).join('').trimEnd(), rest, stop: stop.trimEnd() };
};
