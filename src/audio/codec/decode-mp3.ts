import { type ByteReader, concatBytes, damagedAudio } from '../bytes.ts';
import {
  type Mp3Frame,
  MP3_HEADER_BYTES,
  readMp3Frames,
  type Mp3Gapless,
} from '../container/mp3-frame.ts';
import { mixToMono, type Pcm, sliceSamples, concatSamples } from '../pcm.ts';

/** Delay of every layer III decoder, in samples. */
const DECODER_DELAY_SAMPLES = 529;

type Mp3Trimmer = ReturnType<typeof createMp3Trimmer>;

/**
 * Creates the trimmer of an encoder's delay and padding, so that a file is as long as before it was
 * encoded. The end is trimmed only of a whole file: the tables of edited and joined files are wrong.
 */
const createMp3Trimmer = (gapless: Mp3Gapless) => {
  const heldSamples = Math.max(0, gapless.paddingSamples - DECODER_DELAY_SAMPLES);
  let toSkip = gapless.delaySamples + DECODER_DELAY_SAMPLES;
  let frames = 0;
  let held = new Float32Array(0);
  const isWhole = (): boolean => frames === gapless.frames;
  return {
    /** Takes the samples of `frames` frames; returns those that are certainly no padding. */
    push: (samples: Float32Array, count: number): Float32Array => {
      frames += count;
      const heard = samples.subarray(toSkip);
      toSkip -= samples.length - heard.length;
      const all = concatSamples([held, heard]);
      const sure = Math.max(0, all.length - heldSamples);
      held = all.slice(sure);
      return all.subarray(0, sure);
    },
    /** True when as many frames came as the table counts, so that its padding is right. */
    isWhole,
    /**
     * Returns the rest.
     *
     * @param flushed the decoder's samples for a silent frame after the last one, if `isWhole`
     */
    end: (flushed: Float32Array): Float32Array => {
      const all = concatSamples([held, flushed]);
      const extra = gapless.paddingSamples + flushed.length - DECODER_DELAY_SAMPLES;
      return isWhole() ? all.subarray(0, Math.max(0, all.length - Math.max(0, extra))) : all;
    },
  };
};

const NO_CHECKSUM = 1;

/** A frame like `frame` in which nothing is coded: it makes the decoder return what it held back. */
const silentFrame = (frame: Mp3Frame): Uint8Array => {
  const silent = new Uint8Array(frame.data.length);
  silent.set(frame.data.subarray(0, MP3_HEADER_BYTES));
  silent[1]! |= NO_CHECKSUM;
  return silent;
};

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
