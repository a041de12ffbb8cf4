import { ascii, type ByteReader, viewOf } from '../bytes.ts';
import { damagedAudio, unsupportedAudio } from '../errors.ts';
import { type Pcm, sliceSamples } from '../pcm.ts';

interface WavFormat {
  readonly channels: number;
  readonly sampleRateHz: number;
  readonly frameBytes: number;
  readonly sampleAt: (view: DataView, at: number) => number;
}

const PCM = 1;
const FLOAT = 3;
const EXTENSIBLE = 0xfffe;
const CODEC_NAMES: Readonly<Record<number, string>> = {
  2: 'WAV with ADPCM',
  6: 'WAV with A-law',
  7: 'WAV with μ-law',
  0x11: 'WAV with ADPCM',
  0x31: 'WAV with GSM',
  0x55: 'WAV with MP3',
};
/** Largest slice in bytes: a quarter of a second of 32 channels would take 60 ms. */
const LONGEST_SLICE_BYTES = 128 * 1024;
const HIGHEST_RATE_HZ = 384_000;
const MOST_CHANNELS = 32;
/** The value that writers leave in a size field when they cannot go back to fill it. */
const UNKNOWN_SIZE = 0xffff_ffff;

/** Replaces values of damaged files that would spoil everything computed from them. */
const finite = (sample: number): number => (Math.abs(sample) <= 16 ? sample : 0);

const READ: Readonly<Record<string, WavFormat['sampleAt']>> = {
  [`${PCM}/8`]: (view, at) => (view.getUint8(at) - 128) / 128,
  [`${PCM}/16`]: (view, at) => view.getInt16(at, true) / 0x8000,
  [`${PCM}/24`]: (view, at) =>
    (view.getInt8(at + 2) * 0x1_0000 + view.getUint16(at, true)) / 0x80_0000,
  [`${PCM}/32`]: (view, at) => view.getInt32(at, true) / 0x8000_0000,
  [`${FLOAT}/32`]: (view, at) => finite(view.getFloat32(at, true)),
  [`${FLOAT}/64`]: (view, at) => finite(view.getFloat64(at, true)),
};

const parseFormat = (chunk: Uint8Array): WavFormat => {
  if (chunk.length < 16) throw damagedAudio('a short WAV format');
  const view = viewOf(chunk);
  const tag = view.getUint16(0, true);
  const codec = tag === EXTENSIBLE && chunk.length >= 26 ? view.getUint16(24, true) : tag;
  const channels = view.getUint16(2, true);
  const sampleRateHz = view.getUint32(4, true);
  const frameBytes = view.getUint16(12, true);
  const bits = Math.ceil(view.getUint16(14, true) / 8) * 8;
  const sampleAt = READ[`${codec}/${bits}`];
  if (!sampleAt || frameBytes !== (channels * bits) / 8)
    throw unsupportedAudio(CODEC_NAMES[codec] ?? 'this kind of WAV');
  if (
    channels === 0 ||
    channels > MOST_CHANNELS ||
    sampleRateHz < 1_000 ||
    sampleRateHz > HIGHEST_RATE_HZ
  )
    throw unsupportedAudio('this kind of WAV');
  return { channels, sampleRateHz, frameBytes, sampleAt };
};

/** Reads up to the samples; `dataBytes` is infinite where the file does not give it. */
const readHeader = async (
  reader: ByteReader,
): Promise<{ format: WavFormat; dataBytes: number }> => {
  const riff = viewOf(await reader.take(12));
  const fileBytes = riff.byteLength === 12 ? riff.getUint32(4, true) + 8 : 0;
  let format: WavFormat | undefined;
  for (;;) {
    const head = await reader.take(8);
    if (head.length < 8) throw damagedAudio('a WAV file without samples');
    const id = ascii(head, 0, 4);
    const size = viewOf(head).getUint32(4, true);
    if (id === 'data') {
      if (!format) throw damagedAudio('a WAV file without a format');
      const endsHere = fileBytes === reader.position;
      const unknown = size === UNKNOWN_SIZE || (size === 0 && !endsHere);
      return { format, dataBytes: unknown ? Infinity : size };
    }
    const padded = size + (size % 2);
    if (id === 'fmt ') {
      const chunk = await reader.take(Math.min(padded, 64));
      format = parseFormat(chunk);
      await reader.skip(padded - chunk.length);
    } else await reader.skip(padded);
  }
};

/**
 * Decodes a WAV file with integer (8 to 32 bits) or float samples to mono. Lengths that a streaming
 * writer left open reach to the end.
 */
export async function* decodeWav(reader: ByteReader): AsyncGenerator<Pcm, void, void> {
  const { format, dataBytes } = await readHeader(reader);
  const { channels, frameBytes, sampleAt, sampleRateHz } = format;
  const sampleBytes = frameBytes / channels;
  const longestFrames = Math.floor(LONGEST_SLICE_BYTES / frameBytes);
  const sliceBytes = Math.min(sliceSamples(sampleRateHz), longestFrames) * frameBytes;
  for (let left = dataBytes; left >= frameBytes;) {
    const bytes = await reader.take(Math.min(left, sliceBytes));
    left -= bytes.length;
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
