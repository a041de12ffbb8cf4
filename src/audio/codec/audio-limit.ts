import { AppError } from '../../errors.ts';

/** Longest duration that is accepted. */
const LONGEST_HOURS = 4;
/**
 * Fewest bytes per second: an ordinary encoder needs more even for silence, and a file with less
 * was made to waste CPU. Short files are not checked: they cost little.
 */
const FEWEST_BYTES_PER_SECOND = 16;
const UNCHECKED_SECONDS = 120;

const tooLong = (message: string): AppError =>
  new AppError('too-large', message, {
    sentence: { key: 'errors.audio.too-long', params: { hours: LONGEST_HOURS } },
  });

/**
 * Creates the check of one file as it is decoded. `count` takes the length of each part in seconds
 * and how many bytes were read by then; it throws `too-large` for more than 4 hours, and for more
 * audio than so few bytes can hold.
 */
export const createAudioLimit = (): ((seconds: number, bytesRead: number) => void) => {
  let total = 0;
  return (seconds, bytesRead) => {
    total += seconds;
    if (total > LONGEST_HOURS * 3_600) throw tooLong('more than the longest audio');
    if (total > UNCHECKED_SECONDS && bytesRead < total * FEWEST_BYTES_PER_SECOND)
      throw tooLong('more audio than its bytes can hold');
  };
};
