import { type ByteReader, damagedAudio } from '../bytes.ts';
import { type FlacFrame, isSilentFrame, readFlacFrames } from '../container/flac-frame.ts';
import { mixToMono, type Pcm, sliceSamples } from '../pcm.ts';

/** Corrects the scale: the decoder divides by the largest sample, while full scale is one more. */
const toFullScale = (samples: Float32Array, bitsPerSample: number): Float32Array => {
  const whole = 2 ** (bitsPerSample - 1);
  return samples.map((sample) => (sample * (whole - 1)) / whole);
};

/** Decodes a FLAC file to mono. */
export async function* decodeFlac(reader: ByteReader): AsyncGenerator<Pcm, void, void> {
  // Frames are cut here: the library's own parser loses a last frame of silence.
  const { FLACDecoder } = await import('@wasm-audio-decoders/flac');
  const decoder = new FLACDecoder();
  await decoder.ready;
  let batch: FlacFrame[] = [];
  let batchSamples = 0;
  let hasSkipped = false;

  const decodeBatch = async (): Promise<Pcm> => {
    const { sampleRateHz } = batch[0]!;
    const frames = batch.map((frame) => frame.data);
    batch = [];
    batchSamples = 0;
    try {
      const { channelData, bitDepth } = await decoder.decodeFrames(frames);
      return { samples: toFullScale(mixToMono(channelData), bitDepth), sampleRateHz };
    } catch (cause) {
      throw damagedAudio('FLAC frames', cause);
    }
  };

  try {
    for await (const frame of readFlacFrames(reader)) {
      const isOther = frame.isAfterGap || frame.sampleRateHz !== batch[0]?.sampleRateHz;
      if (batch.length > 0 && isOther) yield await decodeBatch();
      if (isSilentFrame(frame)) {
        if (batch.length > 0) yield await decodeBatch();
        yield { samples: new Float32Array(frame.samples), sampleRateHz: frame.sampleRateHz };
        hasSkipped = true;
        continue;
      }
      // Otherwise the library warns of missing frames on standard error.
      if (frame.isAfterGap || hasSkipped) await decoder.reset();
      hasSkipped = false;
      batch.push(frame);
      batchSamples += frame.samples;
      if (batchSamples >= sliceSamples(frame.sampleRateHz)) yield await decodeBatch();
    }
    if (batch.length > 0) yield await decodeBatch();
  } finally {
    decoder.free();
  }
}
