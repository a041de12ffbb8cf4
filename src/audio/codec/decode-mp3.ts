import { type ByteReader, concatBytes } from '../bytes.ts';
import { damagedAudio } from '../errors.ts';
import { type Mp3Frame, MP3_HEADER_BYTES, readMp3Frames } from '../container/mp3-frame.ts';
import { createMp3Trimmer, type Mp3Trimmer } from './mp3-trimmer.ts';
import { mixToMono, type Pcm, sliceSamples } from '../pcm.ts';

const NO_CHECKSUM = 1;

/** A frame like `frame` in which nothing is coded: it makes the decoder return what it held back. */
const silentFrame = (frame: Mp3Frame): Uint8Array => {
  const silent = new Uint8Array(frame.data.length);
  silent.set(frame.data.subarray(0, MP3_HEADER_BYTES));
  silent[1]! |= NO_CHECKSUM;
  return silent;
};

/** Decodes an MP3 file to mono. */
export async function* decodeMp3(reader: ByteReader): AsyncGenerator<Pcm, void, void> {
  // The library's own use of tables is left out: a wrong one ends the decoder early.
  const { MPEGDecoder } = await import('mpg123-decoder');
  const decoder = new MPEGDecoder({ enableGapless: false });
  await decoder.ready;
  let batch: Mp3Frame[] = [];
  let batchSamples = 0;
  let last: Mp3Frame | undefined;
  let trimmer: Mp3Trimmer | undefined;

  const decodeFrames = (frames: readonly Uint8Array[]): Float32Array => {
    try {
      return mixToMono(decoder.decode(concatBytes(frames)).channelData);
    } catch (cause) {
      throw damagedAudio('MP3 frames', cause);
    }
  };

  function* decodeBatch(): Generator<Pcm, void, void> {
    if (batch.length === 0) return;
    last = batch.at(-1)!;
    const decoded = decodeFrames(batch.map(({ data }) => data));
    const samples = trimmer ? trimmer.push(decoded, batch.length) : decoded;
    batch = [];
    batchSamples = 0;
    if (samples.length > 0) yield { samples, sampleRateHz: last.sampleRateHz };
  }

  /** Decodes what is left up to the next table, or to the end of the file. */
  function* endSound(): Generator<Pcm, void, void> {
    yield* decodeBatch();
    if (!last || !trimmer) return;
    const flushed = trimmer.isWhole() ? decodeFrames([silentFrame(last)]) : new Float32Array(0);
    yield { samples: trimmer.end(flushed), sampleRateHz: last.sampleRateHz };
  }

  try {
    for await (const frame of readMp3Frames(reader)) {
      if (frame.table) {
        yield* endSound();
        const { gapless } = frame.table;
        trimmer = gapless && createMp3Trimmer(gapless);
        continue;
      }
      if (batch[0] && batch[0].sampleRateHz !== frame.sampleRateHz) {
        yield* endSound();
        trimmer = undefined;
      }
      batch.push(frame);
      batchSamples += frame.samples;
      if (batchSamples >= sliceSamples(frame.sampleRateHz)) yield* decodeBatch();
    }
    yield* endSound();
  } finally {
    decoder.free();
  }
}
