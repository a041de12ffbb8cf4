import type { SpeechSpan } from '../../audio/vad.ts';
import type { SpokenWord } from '../../model/message.ts';
import { fastestSeconds, THRESHOLDS, type HeardUtterance } from './invented-text.ts';

/** Time by which a recogniser may be wrong about a word: streaming models are so late. */
const WRONG_BY_MS = 300;

/**
 * True for a word around which there was hardly any voice. The voice's own ends count for none: what detects
 * it misses ends of words.
 */
const isUnvoiced = ({ startMs, endMs }: SpokenWord, voice: readonly SpeechSpan[]): boolean => {
  const fromMs = Math.max(startMs - WRONG_BY_MS, voice[0]?.startMs ?? Infinity);
  const toMs = Math.min(endMs + WRONG_BY_MS, voice.at(-1)?.endMs ?? -Infinity);
  const voiceMs = voice.reduce(
    (sum, span) => sum + Math.max(0, Math.min(toMs, span.endMs) - Math.max(fromMs, span.startMs)),
    0,
  );
  return toMs <= fromMs || voiceMs < (toMs - fromMs) * THRESHOLDS.faintShare;
};

/** The words of stretches that nobody says in their time. */
const squeezed = (words: readonly SpokenWord[]): ReadonlySet<SpokenWord> => {
  const found = new Set<SpokenWord>();
  /** Time that the words up to here need beyond what they have, and those that need more. */
  let missingSeconds = 0;
  let fast: SpokenWord[] = [];
  let beforeMs = words[0]?.startMs ?? 0;
  for (const word of words) {
    const needed = fastestSeconds(word.text) - Math.max(0, word.endMs - beforeMs) / 1_000;
    beforeMs = Math.max(beforeMs, word.endMs);
    missingSeconds = Math.max(0, missingSeconds + needed);
    if (missingSeconds === 0) fast = [];
    if (needed <= 0) continue;
    fast.push(word);
    if (missingSeconds > THRESHOLDS.spareSeconds) for (const each of fast) found.add(each);
  }
  return found;
};

const LETTER = /[\p{L}\p{N}]/u;

/** The place of each word in a text; undefined where the words are not those of the text. */
const placesIn = (text: string, words: readonly SpokenWord[]): readonly number[] | undefined => {
  let end = 0;
  const starts: number[] = [];
  for (const word of words) {
    const start = text.indexOf(word.text, end);
    if (start < 0 || LETTER.test(text.slice(end, start))) return undefined;
    starts.push(start);
    end = start + word.text.length;
  }
  return LETTER.test(text.slice(end)) ? undefined : starts;
};

/**
 * A text without the words that nobody can have said: by their times there was hardly any voice (of 1,600 words
 * spoken in quiet and beside noises all had twice as much, of those that Whisper made of noises four had not),
 * or they follow each other too fast. Where no word is left, their times are not believed.
 */
export const withoutUnspoken = ({
  text,
  words,
  voice,
}: Pick<HeardUtterance, 'text' | 'words' | 'voice'>): Pick<HeardUtterance, 'text' | 'words'> => {
  const starts = words && voice ? placesIn(text, words) : undefined;
  if (!words || !voice || !starts) return { text, words };
  const fast = squeezed(words);
  // One without letters of its own would take the space before the next with it.
  const isSpoken = words.map(
    (word) => word.text === '' || (!fast.has(word) && !isUnvoiced(word, voice)),
  );
  const spoken = words.filter((_, at) => isSpoken[at]);
  if (spoken.length === 0 || spoken.length === words.length) return { text, words };
  const kept = starts.map((start, at) => (isSpoken[at] ? text.slice(start, starts[at + 1]) : ''));
  return { text: (text.slice(0, starts[0]) + kept.join('')).trim(), words: spoken };
};
