import type { AudioFormat } from '../../model/message.ts';
import { type ByteReader, createByteReader, damagedAudio } from '../bytes.ts';
import { decodeFlac } from '../codec/decode-flac.ts';
import { decodeWav } from '../codec/decode-wav.ts';
import { encode } from '../codec/encode.ts';
import { readMp3Frames } from '../container/mp3-frame.ts';
import { type OpusItem, readOpus } from '../container/ogg-reader.ts';
import { startingWith, type Pcm } from '../pcm.ts';
import { toOneRate } from '../resample.ts';
import { remuxOpus } from '../container/ogg-writer.ts';

/** The bytes of files, one after the other. */
type Parts = AsyncIterable<AsyncIterable<Uint8Array>>;
type Bytes = AsyncGenerator<Uint8Array, void, void>;

/** Reads all parts with `read`, as if they were one. */
async function* through<Item>(
  parts: Parts,
  read: (reader: ByteReader) => AsyncGenerator<Item, unknown, void>,
): AsyncGenerator<Item, void, void> {
  for await (const part of parts) {
    const reader = createByteReader(part);
    try {
      yield* read(reader);
    } finally {
      await reader.close();
    }
  }
}

/**
 * Reads whole samples only: half a sample at the end of a part would turn all that follows into
 * noise.
 */
async function* wholeSamples(reader: ByteReader): Bytes {
  let odd: Uint8Array | undefined;
  for await (const chunk of reader.rest()) {
    const bytes = odd ? Buffer.concat([odd, chunk]) : chunk;
    const even = bytes.length - (bytes.length % 2);
    odd = even < bytes.length ? bytes.subarray(even) : undefined;
    if (even > 0) yield bytes.subarray(0, even);
  }
}

async function* joinMp3(parts: Parts): Bytes {
  for await (const frame of through(parts, readMp3Frames)) if (!frame.table) yield frame.data;
}

const joinOgg = (parts: Parts): Bytes => remuxOpus(through<OpusItem>(parts, readOpus));

const transcode = (
  format: AudioFormat,
  decode: (reader: ByteReader) => AsyncGenerator<Pcm, void, void>,
) =>
  async function* recoded(parts: Parts): Bytes {
    const pcm = through(parts, decode);
    const first = await pcm.next();
    if (first.done) throw damagedAudio(`no audio in these ${format} files`);
    const rateHz = first.value.sampleRateHz;
    yield* encode(format, rateHz, toOneRate(startingWith([first.value], pcm), rateHz));
  };

const JOINERS: Readonly<Record<AudioFormat, (parts: Parts) => Bytes>> = {
  pcm: (parts) => through(parts, wholeSamples),
  mp3: joinMp3,
  ogg: joinOgg,
  wav: transcode('wav', decodeWav),
  flac: transcode('flac', decodeFlac),
};

/**
 * Joins files of one format, and for `pcm` of one rate, into one valid file. `pcm`, `mp3` and `ogg`
 * (Opus) are passed on as the parts arrive and are not decoded; `wav` and `flac` become 16-bit mono
 * and are yielded at the end, for up to 20 minutes. Throws `AppError`, as `decode` and `encode` do.
 */
export const joinFiles = (format: AudioFormat, parts: Parts): Bytes => JOINERS[format](parts);
