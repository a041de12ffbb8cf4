import { decode } from '../src/audio/codec/decode.ts';
import { createLevelMeter, SILENCE_DB } from '../src/audio/vad.ts';
import { AppError } from '../src/errors.ts';
import type { ByteSource } from '../src/model/message.ts';
import { RECOGNITION_RATE_HZ } from './engine.ts';

/** Time over the level of silence that counts as sound; a click is shorter. */
const SOUND_MS = 60;
/** Length of the meter's frames at the recognition rate; at others it is in proportion. */
const FRAME_MS = 20;

/** Adds up the time that is loud; each call returns true once there was enough in all. */
const createSoundFinder = (): ((samples: Float32Array, sampleRateHz: number) => boolean) => {
  const measure = createLevelMeter();
  let loudMs = 0;
  return (samples, sampleRateHz) => {
    const loud = measure(samples).filter((levelDb) => levelDb > SILENCE_DB).length;
    loudMs += (loud * FRAME_MS * RECOGNITION_RATE_HZ) / sampleRateHz;
    return loudMs >= SOUND_MS;
  };
};

/** True for samples at the recognition rate in which there is nothing to hear. */
export const isSilentPcm = (samples: Float32Array): boolean =>
  !createSoundFinder()(samples, RECOGNITION_RATE_HZ);

/**
 * True for a file in which there is nothing to hear. Reads it up to the first sound. False for one
 * that cannot be decoded here: an engine may be able to. Throws the signal's reason.
 */
export const isSilent = async (audio: ByteSource, signal: AbortSignal): Promise<boolean> => {
  const hasSound = createSoundFinder();
  try {
    for await (const { samples, sampleRateHz } of decode(audio, signal, RECOGNITION_RATE_HZ))
      if (hasSound(samples, sampleRateHz)) return false;
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError) return false;
    throw error;
  }
};
