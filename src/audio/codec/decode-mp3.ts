import { type ByteReader, concatBytes } from '../bytes.ts';
import { damagedAudio } from '../errors.ts';
import { type Mp3Frame, readMp3Frames } from '../container/mp3-frame.ts';
import { mixToMono, type Pcm, sliceSamples } from '../pcm.ts';

/** Decodes an MP3 file to mono. */
export async function* decodeMp3(reader: ByteReader): AsyncGenerator<Pcm, void, void> {
  // The tables that gapless playback trusts are left out: a wrong one ends the decoder early.
  const { MPEGDecoder } = await import('mpg123-decoder');
  const decoder = new MPEGDecoder({ enableGapless: false });
  await decoder.ready;
  let batch: Mp3Frame[] = [];
  let batchSamples = 0;

  const decodeBatch = (): Pcm => {
    const { sampleRateHz } = batch[0]!;
    const bytes = concatBytes(batch.map((frame) => frame.data));
    batch = [];
    batchSamples = 0;
    try {
      return { samples: mixToMono(decoder.decode(bytes).channelData), sampleRateHz };
    } catch (cause) {
      throw damagedAudio('MP3 frames', cause);
    }
  };

  try {
    for await (const frame of readMp3Frames(reader)) {
      if (frame.isTable) continue;
      if (batch[0] && batch[0].sampleRateHz !== frame.sampleRateHz) yield decodeBatch();
      batch.push(frame);
      batchSamples += frame.samples;
      if (batchSamples >= sliceSamples(frame.sampleRateHz)) yield decodeBatch();
    }
    if (batch.length > 0) yield decodeBatch();
  } finally {
    decoder.free();
  }
}
