import type { Pcm } from '../../src/audio/pcm.ts';
import { splitSentences } from '../../src/text/split/sentences.ts';
import { endsSentence, splitText } from '../../src/text/split/split.ts';

/** Pauses at the usual speed. */
const AFTER_SENTENCE_MS = 250;
const AFTER_LINE_MS = 500;

/** Longest part of one turn where a text has no sentence ends, so that others get their turn. */
const LONGEST_PART_CHARACTERS = 300;

/** A part of a text, which an engine speaks at once. */
export interface SpeechPart {
  readonly text: string;
  /** Silence after it at the usual speed; undefined within a sentence, where the engine decides. */
  readonly pauseMs: number | undefined;
}

/** The parts of a text, a turn each: sentences, or parts of very long ones. */
export const speechParts = (text: string): readonly SpeechPart[] => {
  const sentences = splitSentences(text);
  return sentences.flatMap((sentence, index) => {
    const isWhole = index < sentences.length - 1 || endsSentence(sentence);
    const sentencePauseMs = isWhole ? AFTER_SENTENCE_MS : undefined;
    const pauseMs = /\n\s*$/.test(sentence) ? AFTER_LINE_MS : sentencePauseMs;
    const parts = splitText(sentence, LONGEST_PART_CHARACTERS);
    return parts.map((part, at) => ({
      text: part,
      pauseMs: at === parts.length - 1 ? pauseMs : undefined,
    }));
  });
};

/**
 * Highest samples of silence, -50 and -44 dB of full scale: a sound begins with quiet consonants, and
 * fades away in the pause.
 */
const SILENT_BEFORE = 10 ** (-50 / 20);
const SILENT_AFTER = 10 ** (-44 / 20);

/** The place of the first sample of a sound; -1 where all is silent. */
const soundStart = (samples: Float32Array): number =>
  samples.findIndex((sample) => Math.abs(sample) > SILENT_BEFORE);

/** The number of samples up to the last of a sound. */
const soundEnd = (samples: Float32Array): number =>
  samples.findLastIndex((sample) => Math.abs(sample) > SILENT_AFTER) + 1;

const lengthOf = (parts: readonly Pcm[]): number =>
  parts.reduce((sum, { samples }) => sum + samples.length, 0);

/** The first samples of a silence, or all of it and zeros, up to a length. */
const silenceOf = (held: readonly Pcm[], sampleRateHz: number, count: number): Pcm => {
  const samples = new Float32Array(Math.max(count, lengthOf(held)));
  let at = 0;
  for (const one of held) {
    samples.set(one.samples, at);
    at += one.samples.length;
  }
  return { samples: samples.subarray(0, count), sampleRateHz };
};

/**
 * Passes on the sound of a part without the silence before it, and with a pause of the given length
 * after it, in place of the engine's own.
 *
 * @param startsAnew false within a sentence, where the silence before the part stays
 */
export async function* withPause(
  sound: AsyncIterable<Pcm>,
  pauseMs: number | undefined,
  startsAnew: boolean,
): AsyncGenerator<Pcm, void, void> {
  let hasBegun = !startsAnew;
  let rateHz = 0;
  /** Silence that may be the end. */
  let held: Pcm[] = [];
  for await (const { samples, sampleRateHz } of sound) {
    rateHz = sampleRateHz;
    const start = hasBegun ? 0 : soundStart(samples);
    if (start < 0) continue;
    hasBegun = true;
    const end = soundEnd(samples);
    if (end > start) {
      yield* held;
      yield { samples: samples.subarray(start, end), sampleRateHz };
      held = [];
    }
    held.push({ samples: samples.subarray(Math.max(start, end)), sampleRateHz });
  }
  if (pauseMs === undefined) yield* held;
  else if (rateHz > 0) yield silenceOf(held, rateHz, Math.round((rateHz * pauseMs) / 1_000));
}
