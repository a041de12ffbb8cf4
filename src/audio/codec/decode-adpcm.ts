/** ADPCM in WAV files: differences of four bits each, in the codecs of Microsoft and of the IMA. */
import { type ByteReader, viewOf } from '../bytes.ts';
import { damagedAudio } from '../errors.ts';
import type { Pcm } from '../pcm.ts';

/** Code of Microsoft's codec in a WAV file's format. */
export const MS_ADPCM = 2;
/** Code of the IMA's codec in a WAV file's format. */
export const IMA_ADPCM = 0x11;

export interface AdpcmFormat {
  readonly codec: typeof MS_ADPCM | typeof IMA_ADPCM;
  readonly channels: number;
  readonly sampleRateHz: number;
  /** The bytes of a block, which is decoded without those before it. */
  readonly blockBytes: number;
}

/** Bytes decoded between two turns of the event loop: 32,000 samples, about 1 ms. */
const SLICE_BYTES = 16 * 1024;
const MOST_CHANNELS = 2;

// The IMA's table (Recommended Practices for Enhancing Digital Audio Compatibility, 1992).
const STEPS = [
  7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73,
  80, 88, 97, 107, 118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494,
  544, 598, 658, 724, 796, 876, 963, 1_060, 1_166, 1_282, 1_411, 1_552, 1_707, 1_878, 2_066, 2_272,
  2_499, 2_749, 3_024, 3_327, 3_660, 4_026, 4_428, 4_871, 5_358, 5_894, 6_484, 7_132, 7_845, 8_630,
  9_493, 10_442, 11_487, 12_635, 13_899, 15_289, 16_818, 18_500, 20_350, 22_385, 24_623, 27_086,
  29_794, 32_767,
];
const STEP_CHANGES = [-1, -1, -1, -1, 2, 4, 6, 8];

// Microsoft's tables (RIFF: New Multimedia Data Types and Data Techniques, 1994).
const ADAPTATIONS = [
  230, 230, 230, 230, 307, 409, 512, 614, 768, 614, 512, 409, 307, 230, 230, 230,
];
const COEFFICIENTS = [
  [256, 0],
  [512, -256],
  [0, 0],
  [192, 64],
  [240, 0],
  [460, -208],
  [392, -232],
] as const;
const MS_SMALLEST_STEP = 16;

const clamp = (value: number): number => Math.max(-32_768, Math.min(32_767, value));

/** Decodes the nibbles of one channel of the IMA's codec, one after the other. */
const createIma = (first: number, firstIndex: number): ((nibble: number) => number) => {
  let sample = first;
  let index = Math.min(firstIndex, STEPS.length - 1);
  return (nibble) => {
    const step = STEPS[index]!;
    const size = nibble & 7;
    let change = step >> 3;
    if (size & 4) change += step;
    if (size & 2) change += step >> 1;
    if (size & 1) change += step >> 2;
    sample = clamp(nibble & 8 ? sample - change : sample + change);
    index = Math.max(0, Math.min(STEPS.length - 1, index + STEP_CHANGES[size]!));
    return sample;
  };
};

/** Decodes a block of the IMA's codec; one row of samples for each channel. */
const decodeIma = (block: Uint8Array, channels: number): number[][] => {
  const view = viewOf(block);
  const rows = Array.from({ length: channels }, (_, channel) => [view.getInt16(4 * channel, true)]);
  const next = rows.map(([first = 0], channel) => createIma(first, block[4 * channel + 2]!));
  // After the heads each channel has four bytes in turn.
  for (let at = 4 * channels; at + 4 * channels <= block.length; at += 4 * channels)
    for (let channel = 0; channel < channels; channel += 1)
      for (const byte of block.subarray(at + 4 * channel, at + 4 * channel + 4))
        rows[channel]!.push(next[channel]!(byte & 15), next[channel]!(byte >> 4));
  return rows;
};

/** Decodes a block of Microsoft's codec; one row of samples for each channel. */
const decodeMs = (block: Uint8Array, channels: number): number[][] => {
  const view = viewOf(block);
  const states = Array.from({ length: channels }, (_, channel) => {
    const at = channels + 2 * channel;
    return {
      coefficients: COEFFICIENTS[block[channel]!],
      step: view.getInt16(at, true),
      last: view.getInt16(at + 2 * channels, true),
      beforeLast: view.getInt16(at + 4 * channels, true),
    };
  });
  const rows = states.map(({ last, beforeLast }) => [beforeLast, last]);
  let turn = 0;
  const push = (nibble: number): void => {
    const state = states[turn]!;
    const [a, b] = state.coefficients ?? COEFFICIENTS[0];
    const difference = nibble >= 8 ? nibble - 16 : nibble;
    const predicted = (state.last * a + state.beforeLast * b) >> 8;
    state.beforeLast = state.last;
    state.last = clamp(predicted + difference * state.step);
    state.step = Math.max(MS_SMALLEST_STEP, (ADAPTATIONS[nibble]! * state.step) >> 8);
    rows[turn]!.push(state.last);
    turn = (turn + 1) % channels;
  };
  for (const byte of block.subarray(7 * channels)) {
    push(byte >> 4);
    push(byte & 15);
  }
  return rows;
};

/** The bytes before the differences in a block, for each channel. */
const headBytes = ({ codec, channels }: AdpcmFormat): number =>
  channels * (codec === IMA_ADPCM ? 4 : 7);

/** True for a format that is decoded here. */
export const isAcceptedAdpcm = (format: AdpcmFormat): boolean =>
  format.channels > 0 &&
  format.channels <= MOST_CHANNELS &&
  format.sampleRateHz >= 1_000 &&
  format.sampleRateHz <= 192_000 &&
  format.blockBytes > headBytes(format);

/** Decodes up to `dataBytes` of blocks to mono; a last block may be shorter. */
export async function* decodeAdpcm(
  reader: ByteReader,
  format: AdpcmFormat,
  dataBytes: number,
): AsyncGenerator<Pcm, void, void> {
  const { codec, channels, sampleRateHz, blockBytes } = format;
  const sliceBytes = blockBytes * Math.max(1, Math.floor(SLICE_BYTES / blockBytes));
  for (let left = dataBytes; left > 0;) {
    const bytes = await reader.take(Math.min(left, sliceBytes));
    if (bytes.length === 0) return;
    left -= bytes.length;
    const mono: number[] = [];
    for (let at = 0; at < bytes.length; at += blockBytes) {
      const block = bytes.subarray(at, at + blockBytes);
      if (block.length <= headBytes(format)) break;
      const [first = [], second] = (codec === IMA_ADPCM ? decodeIma : decodeMs)(block, channels);
      for (const [i, sample] of first.entries())
        mono.push((second ? (sample + (second[i] ?? sample)) / 2 : sample) / 32_768);
    }
    if (mono.length === 0) throw damagedAudio('a short block of ADPCM');
    yield { samples: Float32Array.from(mono), sampleRateHz };
  }
}
