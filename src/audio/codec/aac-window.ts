import type { Mp4Edit } from '../container/mp4-edit.ts';

/** The delay of the filter banks of SBR, in samples of its output (offset of Apple's HE-AAC to its source). */
const SBR_DELAY_SAMPLES = 962;
/** The most samples of a unit without SBR. */
const PLAIN_UNIT_SAMPLES = 1_024;

/** Cuts decoded units to the part that players play. */
export interface AacWindow {
  /** Takes the next unit's samples; returns those inside the window. */
  cut(samples: Float32Array, sampleRateHz: number): Float32Array;
  /** True when everything that follows is outside the window. */
  isOver(): boolean;
}

/** Creates the window of `edit` on a stream; without one everything is inside. */
export const createAacWindow = (edit: Mp4Edit | undefined): AacWindow => {
  let at: number | undefined;
  let end = Infinity;
  return {
    cut: (samples, sampleRateHz) => {
      if (!edit) return samples;
      // The decoder keeps its first unit back, and so begins with the second.
      at ??= samples.length - (samples.length > PLAIN_UNIT_SAMPLES ? SBR_DELAY_SAMPLES : 0);
      const start = Math.round(edit.startSeconds * sampleRateHz);
      end = Math.round(edit.endSeconds * sampleRateHz);
      const heard = samples.subarray(Math.max(0, start - at), Math.max(0, end - at));
      at += samples.length;
      return heard;
    },
    isOver: () => at !== undefined && at >= end,
  };
};
