import { quietestFrame } from './quietest-frame.ts';
import { createLevelMeter, FRAME_MS, VAD_RATE_HZ } from '../vad.ts';

/** A part of a sound of 16 kHz. */
export interface SoundPart {
  readonly startSamples: number;
  readonly samples: Float32Array;
  /** True for the first and only part. */
  readonly isWhole: boolean;
  /** True when nothing in it is loud enough to be speech. */
  readonly isSilent: boolean;
}

/** Below the noise of any microphone: even speech that was recorded much too low is above it. */
const NOTHING_DB = -75;
const FRAME_SAMPLES = (VAD_RATE_HZ * FRAME_MS) / 1_000;

/**
 * Cuts `pcm` (16 kHz, mono) into parts of at most `longestMs` at the quietest places. Parts come as
 * the sound comes; no more than one is held.
 */
export async function* cutSound(
  pcm: AsyncIterable<Float32Array>,
  longestMs: number,
): AsyncGenerator<SoundPart, void, void> {
  const longestFrames = Math.max(2, Math.floor(longestMs / FRAME_MS));
  let held = new Float32Array(VAD_RATE_HZ);
  let filled = 0;
  let levels: number[] = [];
  let startSamples = 0;
  let measure = createLevelMeter();

  const hold = (samples: Float32Array): void => {
    if (filled + samples.length > held.length) {
      const larger = new Float32Array((filled + samples.length) * 2);
      larger.set(held.subarray(0, filled));
      held = larger;
    }
    held.set(samples, filled);
    filled += samples.length;
    levels.push(...measure(samples));
  };

  /** Takes the first `count` samples out of what is held. */
  const takePart = (count: number, isWhole: boolean): SoundPart => {
    const isSilent = levels
      .slice(0, Math.ceil(count / FRAME_SAMPLES))
      .every((levelDb) => levelDb < NOTHING_DB);
    const part = { startSamples, samples: held.slice(0, count), isWhole, isSilent };
    const rest = held.slice(count, filled);
    startSamples += count;
    filled = 0;
    levels = [];
    measure = createLevelMeter();
    hold(rest);
    return part;
  };

  const nextPart = (): SoundPart | undefined => {
    if (filled <= longestFrames * FRAME_SAMPLES) return undefined;
    const loudness = levels.slice(0, longestFrames);
    const cut = quietestFrame(loudness, Math.floor(longestFrames / 2), FRAME_MS);
    return takePart(cut * FRAME_SAMPLES, false);
  };

  for await (const samples of pcm) {
    hold(samples);
    for (let part = nextPart(); part; part = nextPart()) yield part;
  }
  if (filled > 0) yield takePart(filled, startSamples === 0);
}
