import { AppError } from '../../errors.ts';
import { oversizedAudio } from '../errors.ts';

/** Longest duration that is accepted. */
const LONGEST_HOURS = 4;
const LONGEST_SECONDS = LONGEST_HOURS * 3_600;
/**
 * Fewest bytes per second: an ordinary encoder needs more even for silence, and a file with less
 * was made to waste CPU. Short files are not checked: they cost little.
 */
const FEWEST_BYTES_PER_SECOND = 16;
const UNCHECKED_SECONDS = 120;
/** Rate up to which a second counts as one; above it, samples count as if they were at this rate. */
const USUAL_RATE_HZ = 48_000;
/** Most seconds of a file, counted so: four hours of 96 kHz. */
const MOST_COST_SECONDS = 2 * LONGEST_SECONDS;

const tooLong = (message: string): AppError =>
  new AppError('too-large', message, {
    sentence: { key: 'errors.audio.too-long', params: { hours: LONGEST_HOURS } },
  });

/** A part of a file as it is decoded, and how many bytes of the file were read by then. */
export interface DecodedPart {
  readonly samples: number;
  readonly sampleRateHz: number;
  readonly readBytes: number;
}

/**
 * Creates the check of one file, which is called with each part as it is decoded. It throws
 * `too-large` for more than 4 hours, for more audio than so few bytes can hold, and for more samples
 * than 4 hours of 96 kHz have.
 */
export const createAudioLimit = (): ((part: DecodedPart) => void) => {
  let seconds = 0;
  let costSeconds = 0;
  return ({ samples, sampleRateHz, readBytes }) => {
    seconds += samples / sampleRateHz;
    costSeconds += samples / Math.min(sampleRateHz, USUAL_RATE_HZ);
    if (seconds > LONGEST_SECONDS) throw tooLong('more than the longest audio');
    if (costSeconds > UNCHECKED_SECONDS && readBytes < costSeconds * FEWEST_BYTES_PER_SECOND)
      throw tooLong('more audio than its bytes can hold');
    if (costSeconds > MOST_COST_SECONDS) throw oversizedAudio('too many samples');
  };
};
