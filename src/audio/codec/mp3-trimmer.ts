import type { Mp3Gapless } from '../container/mp3-table.ts';
import { concatSamples } from '../pcm.ts';

/** Delay of every layer III decoder, in samples. */
const DECODER_DELAY_SAMPLES = 529;

export interface Mp3Trimmer {
  /** Takes the samples of `frames` frames; returns those that are certainly no padding. */
  push(samples: Float32Array, frames: number): Float32Array;
  /** True when as many frames came as the table counts, so that its padding is right. */
  isWhole(): boolean;
  /**
   * Returns the rest.
   *
   * @param flushed the decoder's samples for a silent frame after the last one, if `isWhole`
   */
  end(flushed: Float32Array): Float32Array;
}

/**
 * Creates the trimmer of an encoder's delay and padding, so that a file is as long as before it was
 * encoded. The end is trimmed only of a whole file: the tables of edited and joined files are wrong.
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
