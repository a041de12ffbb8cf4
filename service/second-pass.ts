import { joinTexts } from '../src/text/local-agreement.ts';
import { isLetter, isSpacedLetter } from '../src/text/unicode.ts';
import type { RecognisedText } from './engine.ts';
import {
  languageTimes,
  meanOfSpans,
  spanLanguage,
  usesHotwords,
  wordsOfSpans,
  type HeardSpan,
} from './heard-spans.ts';
import { overlapping, planChunks, type Chunk } from './recognition-chunks.ts';

export type HeardChunk = Chunk & HeardSpan;

/** A part of a recording that is to be recognised, in a language where one is to be expected. */
export interface PlannedChunk extends Chunk {
  readonly language?: string;
}

/** Letters in a second of voice below which a recogniser has left something out: slow speech had 5.9. */
const FEWEST_LETTERS = 5;
/** Letters that a sign of a script without spaces counts. */
const LETTERS_OF_SIGN = 3;
/** Voice of a chunk in which something can be left out. */
const LEAST_VOICE_MS = 3_000;
/** Rules by which a chunk with too little is cut. */
const FINE_RULES = { leastMs: 1_000, longestMs: Infinity, clearPauseMs: 200 };

/** Length of a chunk in whose language a recogniser can be mistaken. */
const SHORT_MS = 5_000;
/** Time in a language, and as a share of the time in the commonest, that makes it one of the recording. */
const SPOKEN_MS = 7_000;
const SPOKEN_SHARE = 0.2;

const voiceMsOf = ({ voice }: Chunk): number =>
  voice.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);

const lettersOf = (text: string): number => {
  let letters = 0;
  for (const char of text)
    if (isLetter(char)) letters += isSpacedLetter(char) ? 1 : LETTERS_OF_SIGN;
  return letters;
};

const hasHole = (chunk: HeardChunk): boolean => {
  const voiceMs = voiceMsOf(chunk);
  return (
    voiceMs >= LEAST_VOICE_MS && 1_000 * lettersOf(chunk.heard.text) < FEWEST_LETTERS * voiceMs
  );
};

/**
 * Chunks to be recognised once more, by the chunk in doubt: the parts between the pauses of a chunk with
 * far fewer letters than its voice has time for, and a short chunk in a language of its own.
 *
 * @param language the one that was asked for
 */
export const secondPass = (
  heard: readonly HeardChunk[],
  language: string | undefined,
): ReadonlyMap<HeardChunk, readonly PlannedChunk[]> => {
  const times = languageTimes(heard);
  const [commonest, mostMs] = times[0] ?? [undefined, 0];
  const spokenMs = Math.min(SPOKEN_MS, SPOKEN_SHARE * mostMs);
  const spoken = new Set(times.filter(([, ms]) => ms >= spokenMs).map(([one]) => one));
  const plan = new Map<HeardChunk, readonly PlannedChunk[]>();
  for (const chunk of heard) {
    const own = spanLanguage(chunk);
    if (hasHole(chunk)) {
      const parts = planChunks([chunk], chunk.voice, FINE_RULES);
      if (parts.length > 1) plan.set(chunk, parts);
    } else if (
      language === undefined &&
      commonest !== undefined &&
      own !== undefined &&
      own !== commonest &&
      !spoken.has(own) &&
      chunk.endMs - chunk.startMs < SHORT_MS
    )
      plan.set(chunk, [{ ...chunk, language: commonest }]);
  }
  return plan;
};

/** Joins what was heard in parts, as if by one call from a time on. */
const joined = (parts: readonly HeardChunk[], fromMs: number): RecognisedText => ({
  text: joinTexts(parts.map(({ heard }) => heard.text)),
  language: languageTimes(parts)[0]?.[0],
  confidence: meanOfSpans(parts, (heard) => heard.confidence),
  noSpeech: meanOfSpans(parts, (heard) => heard.noSpeech),
  words: wordsOfSpans(parts.map((part) => ({ ...part, startMs: part.startMs - fromMs }))),
  hotwordsUsed: usesHotwords(parts),
});

/** A chunk with what the second pass has heard, if that is more, or words in the other language. */
export const afterSecondPass = (chunk: HeardChunk, again: readonly HeardChunk[]): HeardChunk => {
  const heard = joined(overlapping(again, chunk), chunk.startMs);
  const least = hasHole(chunk) ? lettersOf(chunk.heard.text) : 0;
  return lettersOf(heard.text) > least ? { ...chunk, heard } : chunk;
};
