import { type ByteReader, viewOf } from '../bytes.ts';
import { type Pcm, sliceSamples } from '../pcm.ts';

/** Samples of telephony (ITU-T G.711), of -1 to 1 for each byte. */

const SIGN = 0x80;

const tableOf = (magnitude: (exponent: number, mantissa: number) => number, inverted: number) =>
  Float32Array.from({ length: 256 }, (_, byte) => {
    const code = byte ^ inverted;
    const sound = magnitude((code >> 4) & 7, code & 15) / 0x8000;
    return (code & SIGN) === 0 ? -sound : sound;
  });

/** A-law, whose even bits are inverted. */
export const A_LAW = tableOf(
  (exponent, mantissa) =>
    exponent === 0 ? mantissa * 16 + 8 : (mantissa * 16 + 0x108) << (exponent - 1),
  0x55,
);

/** µ-law, whose bits are inverted; the sign bit of what is positive is set then as well. */
export const MU_LAW = tableOf(
  (exponent, mantissa) => ((mantissa * 8 + 0x84) << exponent) - 0x84,
  0x7f,
);

/** Reads one sample, -1 to 1, at a place. */
export type ReadSample = (view: DataView, at: number) => number;

export interface SampleFormat {
  readonly channels: number;
  readonly sampleRateHz: number;
  /** The bytes of one sample of each channel. */
  readonly frameBytes: number;
  readonly sampleAt: ReadSample;
}

/** Largest slice in bytes: a quarter of a second of 32 channels would take 60 ms. */
const LONGEST_SLICE_BYTES = 128 * 1024;
const HIGHEST_RATE_HZ = 384_000;
const MOST_CHANNELS = 32;

/** Replaces values of damaged files that would spoil everything computed from them. */
const finite = (sample: number): number => (Math.abs(sample) <= 16 ? sample : 0);

/** Signed integers, by their bytes. */
export const integers = (isLittle: boolean): Readonly<Record<number, ReadSample>> => ({
  1: (view, at) => view.getInt8(at) / 0x80,
  2: (view, at) => view.getInt16(at, isLittle) / 0x8000,
  3: isLittle
    ? (view, at) => (view.getInt8(at + 2) * 0x1_0000 + view.getUint16(at, true)) / 0x80_0000
    : (view, at) => (view.getInt8(at) * 0x1_0000 + view.getUint16(at + 1)) / 0x80_0000,
  4: (view, at) => view.getInt32(at, isLittle) / 0x8000_0000,
});

/** Floating point numbers, by their bytes. */
export const floats = (isLittle: boolean): Readonly<Record<number, ReadSample>> => ({
  4: (view, at) => finite(view.getFloat32(at, isLittle)),
  8: (view, at) => finite(view.getFloat64(at, isLittle)),
});

export const unsignedBytes: ReadSample = (view, at) => (view.getUint8(at) - 0x80) / 0x80;
export const aLawBytes: ReadSample = (view, at) => A_LAW[view.getUint8(at)]!;
export const muLawBytes: ReadSample = (view, at) => MU_LAW[view.getUint8(at)]!;

/** True when the number of channels and the rate are within the limits. */
export const isAccepted = ({ channels, sampleRateHz }: Omit<SampleFormat, 'sampleAt'>): boolean =>
  channels > 0 &&
  channels <= MOST_CHANNELS &&
  sampleRateHz >= 1_000 &&
  sampleRateHz <= HIGHEST_RATE_HZ;

/** Reads up to `dataBytes` of samples, mixed to mono; a last frame that is cut off is left out. */
export async function* readSamples(
  reader: ByteReader,
  { channels, frameBytes, sampleAt, sampleRateHz }: SampleFormat,
  dataBytes: number,
): AsyncGenerator<Pcm, void, void> {
  const sampleBytes = frameBytes / channels;
  const longestFrames = Math.floor(LONGEST_SLICE_BYTES / frameBytes);
  const sliceBytes = Math.min(sliceSamples(sampleRateHz), longestFrames) * frameBytes;
  for (let remaining = dataBytes; remaining >= frameBytes;) {
    const bytes = await reader.take(Math.min(remaining, sliceBytes));
    remaining -= bytes.length;
    const view = viewOf(bytes);
    const samples = new Float32Array(Math.floor(bytes.length / frameBytes));
    for (let frame = 0, at = 0; frame < samples.length; frame += 1) {
      let sum = 0;
      for (let channel = 0; channel < channels; channel += 1, at += sampleBytes)
        sum += sampleAt(view, at);
      samples[frame] = sum / channels;
    }
    if (samples.length === 0) return;
    yield { samples, sampleRateHz };
  }
}
