import {
  ascii,
  type AudioKind,
  type ByteReader,
  viewOf,
  damagedAudio,
  unsupportedAudio,
  unsupportedForm,
} from '../bytes.ts';
import { type Pcm, mixToMono } from '../pcm.ts';
import * as samples from './pcm-samples.ts';
import { decoder } from '@audio/decode-wav';

/** Bytes of a block before its differences, for each channel, by the codec's code in a WAV file. */
const HEAD_BYTES: Readonly<Record<number, number>> = { 0x02: 7, 0x11: 4 };

/** ADPCM: differences of four bits each, in the codecs of Microsoft and of the IMA. */
export interface AdpcmFormat {
  /** The codec's code in a WAV file. */
  readonly codec: number;
  readonly channels: number;
  readonly sampleRateHz: number;
  /** The bytes of a block, which is decoded without those before it. */
  readonly blockBytes: number;
}

/** Bytes decoded between two turns of the event loop: 32,000 samples, about 1 ms. */
const SLICE_BYTES = 16 * 1024;

/** True for the code of an ADPCM codec in a WAV file's format. */
export const isAdpcm = (codec: number): boolean => Object.hasOwn(HEAD_BYTES, codec);

/** True for a format that is decoded here; the IMA's blocks end with four bytes of each channel. */
export const isAcceptedAdpcm = ({
  codec,
  channels,
  sampleRateHz,
  blockBytes,
}: AdpcmFormat): boolean => {
  const dataBytes = blockBytes - channels * (HEAD_BYTES[codec] ?? 0);
  return (
    (channels === 1 || channels === 2) &&
    sampleRateHz >= 1_000 &&
    sampleRateHz <= 192_000 &&
    dataBytes > 0 &&
    (codec !== 0x11 || dataBytes % (4 * channels) === 0)
  );
};

/** The start of a WAV file, up to its blocks, with the codec's own coefficients. */
const wavHead = ({ codec, channels, sampleRateHz, blockBytes }: AdpcmFormat): Uint8Array => {
  const head = Buffer.alloc(46);
  head.write('RIFF\xff\xff\xff\xffWAVEfmt \x12', 'latin1');
  head.writeUInt16LE(codec, 20);
  head.writeUInt16LE(channels, 22);
  head.writeUInt32LE(sampleRateHz, 24);
  head.writeUInt16LE(blockBytes, 32);
  head.writeUInt16LE(4, 34);
  head.write('data\xff\xff\xff\xff', 38, 'latin1');
  return head;
};

/** Decodes up to `dataBytes` of whole blocks to mono; a last block that is cut is left out. */
export async function* decodeAdpcm(
  reader: ByteReader,
  format: AdpcmFormat,
  dataBytes: number,
): AsyncGenerator<Pcm, void, void> {
  const { sampleRateHz, blockBytes } = format;
  const sliceBytes = blockBytes * Math.max(1, Math.floor(SLICE_BYTES / blockBytes));
  const blocks = decoder();
  blocks.decode(wavHead(format));
  for (let remaining = dataBytes; remaining > 0;) {
    const bytes = await reader.take(Math.min(remaining, sliceBytes));
    if (bytes.length === 0) return;
    remaining -= bytes.length;
    const { channelData } = blocks.decode(bytes);
    if (channelData.length === 0) throw damagedAudio('a short block of ADPCM');
    yield { samples: mixToMono(channelData), sampleRateHz };
  }
}

const PCM = 1;
const FLOAT = 3;
const A_LAW = 6;
const MU_LAW = 7;
const EXTENSIBLE = 0xfffe;
const CODEC_NAMES: Readonly<Record<number, AudioKind>> = {
  0x31: ['WAV', 'GSM'],
  0x55: ['WAV', 'MP3'],
};
/** The value that writers leave in a size field when they cannot go back to fill it. */
const UNKNOWN_SIZE = 0xffff_ffff;

/** Readers of samples by codec and bytes. */
const readersOf = (
  isLittle: boolean,
): Readonly<Record<number, Readonly<Record<number, samples.ReadSample>>>> => ({
  [PCM]: { ...samples.integers(isLittle), 1: samples.unsignedBytes },
  [FLOAT]: samples.floats(isLittle),
  [A_LAW]: { 1: samples.aLawBytes },
  [MU_LAW]: { 1: samples.muLawBytes },
});

const parseFormat = (chunk: Uint8Array, isLittle: boolean): samples.SampleFormat | AdpcmFormat => {
  if (chunk.length < 16) throw damagedAudio('a short WAV format');
  const view = viewOf(chunk);
  const tag = view.getUint16(0, isLittle);
  const codec = tag === EXTENSIBLE && chunk.length >= 26 ? view.getUint16(24, isLittle) : tag;
  const channels = view.getUint16(2, isLittle);
  const sampleRateHz = view.getUint32(4, isLittle);
  const frameBytes = view.getUint16(12, isLittle);
  const sampleBytes = Math.ceil(view.getUint16(14, isLittle) / 8);
  if (isAdpcm(codec) && isLittle) {
    const adpcm = { codec, channels, sampleRateHz, blockBytes: frameBytes };
    if (!isAcceptedAdpcm(adpcm)) throw unsupportedForm('WAV', 'with ADPCM of this kind');
    return adpcm;
  }
  const sampleAt = readersOf(isLittle)[codec]?.[sampleBytes];
  const kind = CODEC_NAMES[codec];
  if (!sampleAt || frameBytes !== channels * sampleBytes)
    throw kind ? unsupportedAudio(kind) : unsupportedForm('WAV');
  const format = { channels, sampleRateHz, frameBytes, sampleAt };
  if (!samples.isAccepted(format)) throw unsupportedForm('WAV');
  return format;
};

/** Reads up to the samples; `dataBytes` is infinite where the file does not give it. */
const readHeader = async (
  reader: ByteReader,
): Promise<{ format: samples.SampleFormat | AdpcmFormat; dataBytes: number }> => {
  const start = await reader.take(12);
  const isLittle = ascii(start, 0, 4) !== 'RIFX';
  const riff = viewOf(start);
  const fileBytes = riff.byteLength === 12 ? riff.getUint32(4, isLittle) + 8 : 0;
  let format: samples.SampleFormat | AdpcmFormat | undefined;
  for (;;) {
    const head = await reader.take(8);
    if (head.length < 8) throw damagedAudio('a WAV file without samples');
    const id = ascii(head, 0, 4);
    const size = viewOf(head).getUint32(4, isLittle);
    if (id === 'data') {
      if (!format) throw damagedAudio('a WAV file without a format');
      const endsHere = fileBytes === reader.position;
      const unknown = size === UNKNOWN_SIZE || (size === 0 && !endsHere);
      return { format, dataBytes: unknown ? Infinity : size };
    }
    const padded = size + (size % 2);
    if (id === 'fmt ') {
      const chunk = await reader.take(Math.min(padded, 64));
      format = parseFormat(chunk, isLittle);
      await reader.skip(padded - chunk.length);
    } else await reader.skip(padded);
  }
};

/**
 * Decodes a WAV file with integer (8 to 32 bits), float, A-law, µ-law or ADPCM samples to mono,
 * big-endian files (RIFX) as well. Lengths that a streaming writer left open reach to the end.
 */
export async function* decodeWav(reader: ByteReader): AsyncGenerator<Pcm, void, void> {
  const { format, dataBytes } = await readHeader(reader);
  yield* 'codec' in format
    ? decodeAdpcm(reader, format, dataBytes)
    : samples.readSamples(reader, format, dataBytes);
}
