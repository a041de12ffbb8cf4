import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * The roles of channels by their count, in the order of Vorbis (Vorbis I, section 4.3.9), which Opus
 * shares: `c` centre, `f` front left or right, `s` side or rear, `x` low-frequency effects.
 */
const VORBIS_ROLES = ['', 'c', 'ff', 'fcf', 'ffss', 'fcfss', 'fcfssx', 'fcfsssx', 'fcfssssx'];

/** The parts of a mono mix (ITU-R BS.775-3, annex 4): speech is in the centre, no speech in `x`. */
const PARTS: Readonly<Record<string, number>> = { c: 1, f: Math.SQRT1_2, s: 0.5, x: 0 };

/** Weights of equal parts, for channels without an order. */
export const equalWeights = (channels: number): number[] =>
  Array.from({ length: channels }, () => 1 / channels);

/** Weights, one in all, with which channels in the order of Vorbis are mixed to mono. */
export const vorbisWeights = (channels: number): number[] => {
  const parts = Array.from(VORBIS_ROLES[channels] ?? '', (role) => PARTS[role]!);
  const whole = parts.reduce((all, part) => all + part, 0);
  return parts.length > 0 ? parts.map((part) => part / whole) : equalWeights(channels);
};

/** A slice of audio samples: mono, -1 to 1. */
export interface Pcm {
  readonly samples: Float32Array;
  readonly sampleRateHz: number;
}

/**
 * Slices of codec work in a second of audio, with a turn of the event loop after each: the slowest
 * codec here needs 7 ms for a whole second.
 */
const SLICES_PER_SECOND = 4;

export const sliceSamples = (sampleRateHz: number): number =>
  Math.max(1, Math.round(sampleRateHz / SLICES_PER_SECOND));

/** Gives the event loop a turn, so that other pending work runs before the next slice. */
export const yieldTurn = (): Promise<void> => nextTurn();

/** Cuts `pcm` into slices of at most `longest` samples, with a turn of the event loop between them. */
export async function* inSlices(
  pcm: AsyncIterable<Float32Array>,
  longest: number,
): AsyncGenerator<Float32Array, void, void> {
  for await (const samples of pcm)
    for (let from = 0; from < samples.length; from += longest) {
      yield samples.subarray(from, from + longest);
      await yieldTurn();
    }
}

/** Yields items that were read already, and then the rest. */
export async function* startingWith<Item>(
  first: readonly Item[],
  rest: AsyncIterable<Item>,
): AsyncGenerator<Item, void, void> {
  yield* first;
  yield* rest;
}

export const concatSamples = (parts: readonly Float32Array[]): Float32Array => {
  const whole = new Float32Array(parts.reduce((total, part) => total + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
};

/** The sum of all channels, each by its weight. Default: the mean. */
export const mixToMono = (
  channels: readonly Float32Array[],
  weights = equalWeights(channels.length),
): Float32Array => {
  const [first, ...others] = channels;
  if (!first) return new Float32Array(0);
  if (others.length === 0) return first;
  const mono = new Float32Array(first.length);
  for (const [index, channel] of channels.entries()) {
    const weight = weights[index] ?? 0;
    for (let i = 0; i < mono.length; i += 1) mono[i]! += weight * (channel[i] ?? 0);
  }
  return mono;
};

/** Signed 16-bit samples; louder than full scale is clipped, NaN becomes silence. */
export const toInt16 = (samples: Float32Array): Int16Array => {
  const integers = new Int16Array(samples.length);
  for (let i = 0; i < samples.length; i += 1) {
    const scaled = Math.round((samples[i] ?? 0) * 32_768);
    integers[i] = scaled > 32_767 ? 32_767 : scaled < -32_768 ? -32_768 : scaled;
  }
  return integers;
};

export const BIG_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 0;

/** The bytes of signed 16-bit little-endian samples. */
export const toS16le = (samples: Float32Array): Uint8Array => {
  const integers = toInt16(samples);
  if (BIG_ENDIAN) Buffer.from(integers.buffer).swap16();
  return new Uint8Array(integers.buffer);
};

/** Converts whole samples of `pcm_s16le`; an odd last byte is ignored. */
export const samplesOfS16le = (bytes: Uint8Array): Float32Array => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const samples = new Float32Array(bytes.length >> 1);
  for (let i = 0; i < samples.length; i += 1) samples[i] = view.getInt16(i * 2, true) / 32_768;
  return samples;
};

/** Bytes converted to samples at once. */
const CONVERTED_BYTES = 65_536;

/** Reads mono samples of signed 16-bit little-endian bytes; a chunk may end within a sample. */
export async function* fromS16le(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Float32Array, void, void> {
  let odd = new Uint8Array(0);
  for await (const chunk of chunks)
    for (let from = 0; from < chunk.length; from += CONVERTED_BYTES) {
      const part = chunk.subarray(from, from + CONVERTED_BYTES);
      const bytes = odd.length > 0 ? Buffer.concat([odd, part]) : part;
      const samples = samplesOfS16le(bytes);
      odd = bytes.slice(samples.length * 2);
      if (samples.length > 0) yield samples;
    }
}
