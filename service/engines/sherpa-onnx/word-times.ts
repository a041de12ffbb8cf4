import { charAfter, isLetter, isSpacedLetter } from '../../../src/text/unicode.ts';
import type { SpokenWord } from '../../../src/model/message.ts';

/** The tokens of a text as the library tells them; times in seconds. */
export interface TimedTokens {
  readonly text: string;
  readonly tokens?: readonly string[] | undefined;
  /** The start of each token; empty for kinds that do not know. */
  readonly timestamps?: readonly number[] | undefined;
  /** The length of each token; empty for kinds that do not know. */
  readonly durations?: readonly number[] | undefined;
}

/** Longest sound of a token whose length is not told: a syllable that is drawn out. */
const LONGEST_TOKEN_MS = 500;
/** Bytes of a character that is in several tokens. */
const BYTES = /^(?:<0x[0-9A-F]{2}>)+$/;
/** Signs of tokens that no text has: the beginning of a word, and a word that goes on. */
const SIGNS = /^[▁\s]+|@@$/gu;

/** A token at its place in the text. */
interface Placed {
  readonly from: number;
  readonly to: number;
  readonly startMs: number;
  endMs: number;
}

/** Finds each token in the text, in order; undefined where one is not there. */
const place = (
  { text, tokens = [], timestamps = [], durations = [] }: TimedTokens,
  endMs: number,
) => {
  const placed: Placed[] = [];
  /** Bytes of a character that is not whole, and when it began. */
  let bytes: number[] = [];
  let beganMs: number | undefined;
  let at = 0;
  for (const [index, token] of tokens.entries()) {
    const ownMs = Math.min(endMs, Math.round(1_000 * timestamps[index]!));
    const lengthMs = durations[index] ? Math.round(1_000 * durations[index]) : LONGEST_TOKEN_MS;
    const startMs = (beganMs ??= ownMs);
    const isBytes = BYTES.test(token);
    if (isBytes) bytes.push(...Buffer.from(token.replaceAll(/<0x|>/g, ''), 'hex'));
    const written = (isBytes ? Buffer.from(bytes).toString() : token).replaceAll(SIGNS, '');
    if (written.includes('\uFFFD')) continue;
    bytes = [];
    beganMs = undefined;
    if (written === '') continue;
    const from = at + /^\s*/.exec(text.slice(at))![0].length;
    if (!text.startsWith(written, from)) return undefined;
    at = from + written.length;
    const last = placed.at(-1);
    if (last) last.endMs = Math.min(last.endMs, Math.max(startMs, last.startMs));
    placed.push({ from, to: at, startMs, endMs: Math.min(endMs, ownMs + lengthMs) });
  }
  return text.slice(at).trim() === '' ? placed : undefined;
};

const isUnspaced = (char: string): boolean => isLetter(char) && !isSpacedLetter(char);

/** True where a word begins behind `word`: in scripts without spaces, at each letter. */
const beginsWord = (word: string, next: string): boolean =>
  isUnspaced(charAfter(next, 0)) ||
  (isUnspaced(charAfter(word, 0)) && isLetter(charAfter(next, 0)));

/**
 * Joins timed tokens to the words of their text: between spaces, and by token where a script has none.
 * Undefined for tokens without times, and for those that are not the text's.
 *
 * @param endMs end of the sound
 */
export const wordTimes = (heard: TimedTokens, endMs: number): readonly SpokenWord[] | undefined => {
  const { text, tokens = [], timestamps = [] } = heard;
  if (tokens.length === 0 || timestamps.length !== tokens.length) return undefined;
  const placed = place(heard, endMs);
  if (!placed) return undefined;
  const words: { text: string; startMs: number; endMs: number }[] = [];
  let before = 0;
  for (const { from, to, startMs, endMs: tokenEndMs } of placed) {
    const written = text.slice(from, to);
    const last = words.at(-1);
    if (last && before === from && !beginsWord(last.text, written)) {
      last.text += written;
      last.endMs = tokenEndMs;
    } else words.push({ text: written, startMs, endMs: tokenEndMs });
    before = to;
  }
  return words;
};
