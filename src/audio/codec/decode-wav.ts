import { ascii, type ByteReader, viewOf } from '../bytes.ts';
import { damagedAudio, unsupportedAudio } from '../errors.ts';
import type { Pcm } from '../pcm.ts';
import { type AdpcmFormat, decodeAdpcm, isAcceptedAdpcm, isAdpcm } from './decode-adpcm.ts';
import * as samples from './pcm-samples.ts';

const PCM = 1;
const FLOAT = 3;
const A_LAW = 6;
const MU_LAW = 7;
const EXTENSIBLE = 0xfffe;
const CODEC_NAMES: Readonly<Record<number, string>> = {
  0x31: 'WAV with GSM',
  0x55: 'WAV with MP3',
};
/** The value that writers leave in a size field when they cannot go back to fill it. */
const UNKNOWN_SIZE = 0xffff_ffff;

/** Readers of samples by codec and bytes. */
const READ: Readonly<Record<number, Readonly<Record<number, samples.ReadSample>>>> = {
  [PCM]: { ...samples.integers(true), 1: samples.unsignedBytes },
  [FLOAT]: samples.floats(true),
  [A_LAW]: { 1: samples.aLawBytes },
  [MU_LAW]: { 1: samples.muLawBytes },
};

const parseFormat = (chunk: Uint8Array): samples.SampleFormat | AdpcmFormat => {
  if (chunk.length < 16) throw damagedAudio('a short WAV format');
  const view = viewOf(chunk);
  const tag = view.getUint16(0, true);
  const codec = tag === EXTENSIBLE && chunk.length >= 26 ? view.getUint16(24, true) : tag;
  const channels = view.getUint16(2, true);
  const sampleRateHz = view.getUint32(4, true);
  const frameBytes = view.getUint16(12, true);
  const sampleBytes = Math.ceil(view.getUint16(14, true) / 8);
  if (isAdpcm(codec)) {
    const adpcm = { codec, channels, sampleRateHz, blockBytes: frameBytes };
    if (!isAcceptedAdpcm(adpcm)) throw unsupportedAudio('WAV with ADPCM of this kind');
    return adpcm;
  }
  const sampleAt = READ[codec]?.[sampleBytes];
  if (!sampleAt || frameBytes !== channels * sampleBytes)
    throw unsupportedAudio(CODEC_NAMES[codec] ?? 'this kind of WAV');
  const format = { channels, sampleRateHz, frameBytes, sampleAt };
  if (!samples.isAccepted(format)) throw unsupportedAudio('this kind of WAV');
  return format;
};

/** Reads up to the samples; `dataBytes` is infinite where the file does not give it. */
const readHeader = async (
  reader: ByteReader,
): Promise<{ format: samples.SampleFormat | AdpcmFormat; dataBytes: number }> => {
  const riff = viewOf(await reader.take(12));
  const fileBytes = riff.byteLength === 12 ? riff.getUint32(4, true) + 8 : 0;
  let format: samples.SampleFormat | AdpcmFormat | undefined;
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
 * Decodes a WAV file with integer (8 to 32 bits), float, A-law, µ-law or ADPCM samples to mono.
 * Lengths that a streaming writer left open reach to the end.
 */
export async function* decodeWav(reader: ByteReader): AsyncGenerator<Pcm, void, void> {
  const { format, dataBytes } = await readHeader(reader);
  yield* 'codec' in format
    ? decodeAdpcm(reader, format, dataBytes)
    : samples.readSamples(reader, format, dataBytes);
}
