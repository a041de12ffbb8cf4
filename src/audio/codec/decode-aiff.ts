/** Reads AIFF and AIFF-C ("Audio Interchange File Format", Apple 1989 and 1991). */
import { ascii, type ByteReader, viewOf, damagedAudio, unsupportedForm } from '../bytes.ts';
import type { Pcm } from '../pcm.ts';
import * as samples from './pcm-samples.ts';

/** Readers of samples by compression type and bytes; plain AIFF has none. */
const READ: Readonly<Record<string, Readonly<Record<number, samples.ReadSample>>>> = {
  NONE: samples.integers(false),
  twos: samples.integers(false),
  in24: samples.integers(false),
  in32: samples.integers(false),
  sowt: samples.integers(true),
  'raw ': { 1: samples.unsignedBytes },
  fl32: samples.floats(false),
  FL32: samples.floats(false),
  fl64: samples.floats(false),
  FL64: samples.floats(false),
};
/** Compression types of one byte a sample, whatever size the file gives. */
const BYTES: Readonly<Record<string, samples.ReadSample>> = {
  alaw: samples.aLawBytes,
  ALAW: samples.aLawBytes,
  ulaw: samples.muLawBytes,
  ULAW: samples.muLawBytes,
};

const COMMON_BYTES = 18;
/** The size that writers leave open when they cannot go back to fill it. */
const OPEN_SIZES: ReadonlySet<number> = new Set([0, 0xffff_ffff]);

/** A floating point number of 80 bits, as rates are written; no rate has a sign. */
const readExtended = (view: DataView, at: number): number =>
  view.getUint32(at + 2) * 2 ** ((view.getUint16(at) & 0x7fff) - 16_383 - 31);

const parseCommon = (chunk: Uint8Array, isCompressed: boolean): samples.SampleFormat => {
  if (chunk.length < COMMON_BYTES + (isCompressed ? 4 : 0))
    throw damagedAudio('a short AIFF format');
  const view = viewOf(chunk);
  const channels = view.getUint16(0);
  const type = isCompressed ? ascii(chunk, COMMON_BYTES, 4) : 'NONE';
  const byte = BYTES[type];
  const sampleBytes = byte ? 1 : Math.ceil(view.getUint16(6) / 8);
  const sampleAt = byte ?? READ[type]?.[sampleBytes];
  const sampleRateHz = Math.round(readExtended(view, 8));
  const frameBytes = channels * sampleBytes;
  if (!sampleAt || !samples.isAccepted({ channels, sampleRateHz, frameBytes }))
    throw unsupportedForm('AIFF');
  return { channels, sampleRateHz, frameBytes, sampleAt };
};

/** Decodes an AIFF file with integer, float, A-law or µ-law samples to mono. */
export async function* decodeAiff(reader: ByteReader): AsyncGenerator<Pcm, void, void> {
  const isCompressed = ascii(await reader.take(12), 8, 4) === 'AIFC';
  let format: samples.SampleFormat | undefined;
  for (;;) {
    const head = await reader.take(8);
    if (head.length < 8) throw damagedAudio('an AIFF file without samples');
    const id = ascii(head, 0, 4);
    const size = viewOf(head).getUint32(4);
    const padded = size + (size % 2);
    if (id === 'SSND') {
      if (!format) throw unsupportedForm('AIFF', 'with its format at the end');
      const start = await reader.take(8);
      const offset = start.length === 8 ? viewOf(start).getUint32(0) : 0;
      await reader.skip(offset);
      yield* samples.readSamples(
        reader,
        format,
        OPEN_SIZES.has(size) ? Infinity : size - 8 - offset,
      );
      return;
    }
    if (id === 'COMM') {
      const chunk = await reader.take(Math.min(padded, 64));
      format = parseCommon(chunk, isCompressed);
      await reader.skip(padded - chunk.length);
    } else await reader.skip(padded);
  }
}
