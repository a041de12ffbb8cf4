import { quietestFrame } from './quietest-frame.ts';
import { createLevelMeter, FRAME_MS, VAD_RATE_HZ } from '../vad.ts';

/** A part of PCM at 16 kHz. */
export interface PcmChunk {
  readonly startSamples: number;
  readonly samples: Float32Array;
  /** True for the first and only chunk. */
  readonly isWhole: boolean;
  /** True when nothing in it is loud enough to be speech. */
  readonly isSilent: boolean;
}

/** Level of digital silence: any microphone's noise and the faintest recorded speech are above it. */
const DIGITAL_SILENCE_DB = -75;
const FRAME_SAMPLES = (VAD_RATE_HZ * FRAME_MS) / 1_000;

/**
 * Cuts `pcm` (16 kHz, mono) into chunks of at most `longestMs` at the quietest places. Chunks are
 * yielded as the PCM arrives; at most one is in memory.
 */
export async function* chunkPcm(
  pcm: AsyncIterable<Float32Array>,
  longestMs: number,
): AsyncGenerator<PcmChunk, void, void> {
  const longestFrames = Math.max(2, Math.floor(longestMs / FRAME_MS));
  let buffer = new Float32Array(VAD_RATE_HZ);
  let filled = 0;
  let levels: number[] = [];
  let startSamples = 0;
  let measure = createLevelMeter();

  const append = (samples: Float32Array): void => {
    if (filled + samples.length > buffer.length) {
      const larger = new Float32Array((filled + samples.length) * 2);
      larger.set(buffer.subarray(0, filled));
      buffer = larger;
    }
    buffer.set(samples, filled);
    filled += samples.length;
    levels.push(...measure(samples));
  };

  /** Takes the first `count` samples out of the buffer. */
  const takeChunk = (count: number, isWhole: boolean): PcmChunk => {
    const isSilent = levels
      .slice(0, Math.ceil(count / FRAME_SAMPLES))
      .every((levelDb) => levelDb < DIGITAL_SILENCE_DB);
    const chunk = { startSamples, samples: buffer.slice(0, count), isWhole, isSilent };
    const rest = buffer.slice(count, filled);
    startSamples += count;
    filled = 0;
    levels = [];
    measure = createLevelMeter();
    append(rest);
    return chunk;
  };

  const nextChunk = (): PcmChunk | undefined => {
    if (filled <= longestFrames * FRAME_SAMPLES) return undefined;
    const loudness = levels.slice(0, longestFrames);
    const cut = quietestFrame(loudness, Math.floor(longestFrames / 2), FRAME_MS);
    return takeChunk(cut * FRAME_SAMPLES, false);
  };

  for await (const samples of pcm) {
    append(samples);
    for (let chunk = nextChunk(); chunk; chunk = nextChunk()) yield chunk;
  }
  if (filled > 0) yield takeChunk(filled, startSamples === 0);
}
