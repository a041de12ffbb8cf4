import type { Mp3Gapless } from '../container/mp3-table.ts';
import { concatSamples } from '../pcm.ts';

/** Samples by which every decoder of layer III is late. */
const DECODER_DELAY_SAMPLES = 529;

export interface Mp3Trimmer {
  /** Takes what `frames` frames gave; returns what of it is to be heard for sure. */
  push(samples: Float32Array, frames: number): Float32Array;
  /** True where the frames were those that the table counts, so that the end is where it says. */
  isWhole(): boolean;
  /** The rest; `flushed` is what the decoder gave for a silent frame behind a whole sound. */
  end(flushed: Float32Array): Float32Array;
}

/**
 * Creates what cuts an encoder's delay and padding off, so that a sound is as long as before it was
 * encoded. The end is cut only of a sound that is whole: tables of edited and joined files are wrong.
 */
export const createMp3Trimmer = (gapless: Mp3Gapless): Mp3Trimmer => {
  const heldSamples = Math.max(0, gapless.paddingSamples - DECODER_DELAY_SAMPLES);
  let toSkip = gapless.delaySamples + DECODER_DELAY_SAMPLES;
  let frames = 0;
  let held = new Float32Array(0);
  const isWhole = (): boolean => frames === gapless.frames;
  return {
    push: (samples, count) => {
      frames += count;
      const heard = samples.subarray(toSkip);
      toSkip -= samples.length - heard.length;
      const all = concatSamples([held, heard]);
      const sure = Math.max(0, all.length - heldSamples);
      held = all.slice(sure);
      return all.subarray(0, sure);
    },
    isWhole,
    end: (flushed) => {
      const all = concatSamples([held, flushed]);
      const extra = gapless.paddingSamples + flushed.length - DECODER_DELAY_SAMPLES;
      return isWhole() ? all.subarray(0, Math.max(0, all.length - Math.max(0, extra))) : all;
    },
  };
};
