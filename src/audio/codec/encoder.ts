import { AppError } from '../../errors.ts';
import { viewOf } from '../bytes.ts';
import { toS16le } from '../pcm.ts';

/** An encoder of one file; mono. */
export interface Encoder {
  /** Takes a slice of at most a quarter of a second; returns the bytes that are complete by now. */
  push(samples: Float32Array): Uint8Array;
  /** The rest of the file. */
  end(): Iterable<Uint8Array>;
  /** Gives back the codec's memory; nothing may be called afterwards. */
  free(): void;
}

export interface EncoderKind {
  /** True when bytes come while PCM is still going in. */
  readonly streamable: boolean;
  supportsRate(sampleRateHz: number): boolean;
  create(sampleRateHz: number): Promise<Encoder>;
}

export const NO_BYTES = new Uint8Array(0);

/** True for rates that recorders and players use, where the format itself sets no bounds. */
export const anyRate = (sampleRateHz: number): boolean =>
  Number.isInteger(sampleRateHz) && sampleRateHz >= 8_000 && sampleRateHz <= 192_000;

const BYTES_PER_SAMPLE = 2;
const HEADER_BYTES = 44;

/** Longest file whose header holds its length; the whole file is in memory until that is known. */
export const LONGEST_WHOLE_FILE_MINUTES = 20;

/** Creates the count of a whole file's samples; it throws `too-large` past the longest. */
export const createLengthLimit = (sampleRateHz: number): ((samples: number) => void) => {
  let left = LONGEST_WHOLE_FILE_MINUTES * 60 * sampleRateHz;
  return (samples) => {
    left -= samples;
    if (left < 0)
      throw new AppError(
        'too-large',
        `speech of over ${LONGEST_WHOLE_FILE_MINUTES} minutes in one file`,
        {
          sentence: {
            key: 'errors.audio.speech-too-long',
            params: { minutes: LONGEST_WHOLE_FILE_MINUTES },
          },
        },
      );
  };
};

/** The header of a mono 16-bit WAV file with `dataBytes` of samples. */
export const wavHeader = (sampleRateHz: number, dataBytes: number): Uint8Array => {
  const bytes = new Uint8Array(HEADER_BYTES);
  const view = viewOf(bytes);
  bytes.set(new TextEncoder().encode('RIFF....WAVEfmt '));
  view.setUint32(4, HEADER_BYTES - 8 + dataBytes, true);
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRateHz, true);
  view.setUint32(28, sampleRateHz * BYTES_PER_SAMPLE, true);
  view.setUint16(32, BYTES_PER_SAMPLE, true);
  view.setUint16(34, 8 * BYTES_PER_SAMPLE, true);
  bytes.set(new TextEncoder().encode('data'), 36);
  view.setUint32(40, dataBytes, true);
  return bytes;
};

export const pcm: EncoderKind = {
  streamable: true,
  supportsRate: anyRate,
  create: async () => ({ push: toS16le, end: () => [], free: () => {} }),
};

export const wav: EncoderKind = {
  streamable: false,
  supportsRate: anyRate,
  create: async (sampleRateHz) => {
    const count = createLengthLimit(sampleRateHz);
    let slices: Uint8Array[] = [];
    return {
      push: (samples) => {
        count(samples.length);
        slices.push(toS16le(samples));
        return NO_BYTES;
      },
      end: () => {
        const dataBytes = slices.reduce((total, slice) => total + slice.length, 0);
        return [wavHeader(sampleRateHz, dataBytes), ...slices];
      },
      free: () => {
        slices = [];
      },
    };
  },
};
