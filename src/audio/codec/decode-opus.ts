import type { OpusDecoderHandle, SampleRate } from 'libopus-wasm';
import { unsupportedAudio } from '../faults.ts';
import type { OpusItem, OpusPacket } from '../container/ogg-reader.ts';
import { OPUS_CLOCK_HZ } from '../opus/packet.ts';
import type { OpusHead } from '../opus/head.ts';
import { type Pcm, sliceSamples } from '../pcm.ts';

const RATES: readonly number[] = [8_000, 12_000, 16_000, 24_000, 48_000];

/** A packet that libopus refuses is concealed, so that what follows keeps its time. */
const decodePacket = (
  decoder: OpusDecoderHandle,
  packet: OpusPacket,
  frameSize: number,
): Float32Array => {
  try {
    return decoder.decodeFloat(packet.data);
  } catch {
    return decoder.decodePacketLossFloat(frameSize);
  }
};

const createDecoderFor = async (head: OpusHead, rate: number): Promise<OpusDecoderHandle> => {
  const streams = head.mappingFamily === 0 ? 1 : head.mapping[0];
  if (head.channels > 2 || streams !== 1)
    throw unsupportedAudio('Opus with more than two channels');
  const { createDecoder, DecoderCtl } = await import('libopus-wasm');
  const decoder = await createDecoder({ sampleRate: rate as SampleRate, channels: 1 });
  decoder.decoderCtl(DecoderCtl.SetGain, head.gain);
  return decoder;
};

/** Mono sound of Opus streams, at `wantedHz` if Opus has that rate, otherwise at 48 kHz. */
export async function* decodeOpus(
  items: AsyncIterable<OpusItem>,
  wantedHz: number,
): AsyncGenerator<Pcm, void, void> {
  const sampleRateHz = RATES.includes(wantedHz) ? wantedHz : OPUS_CLOCK_HZ;
  const clocks = OPUS_CLOCK_HZ / sampleRateHz;
  const slice = new Float32Array(2 * sliceSamples(sampleRateHz));
  let filled = 0;
  let skip = 0;
  let decoder: OpusDecoderHandle | undefined;
  const takeSlice = (): Pcm => {
    const samples = slice.slice(0, filled);
    filled = 0;
    return { samples, sampleRateHz };
  };
  try {
    for await (const item of items) {
      if (item.kind === 'head') {
        decoder?.free();
        decoder = undefined;
        decoder = await createDecoderFor(item.head, sampleRateHz);
        skip = Math.round(item.head.preSkipSamples / clocks);
        continue;
      }
      if (!decoder) continue;
      const whole = decodePacket(decoder, item, item.samples / clocks);
      const heard = whole.subarray(skip, Math.round(item.keepSamples / clocks));
      skip = Math.max(0, skip - whole.length);
      if (filled + heard.length > slice.length) yield takeSlice();
      slice.set(heard, filled);
      filled += heard.length;
      if (filled * 2 >= slice.length) yield takeSlice();
    }
    if (filled > 0) yield takeSlice();
  } finally {
    decoder?.free();
  }
}
