import type { OpusItem } from '../container/ogg-reader.ts';
import { OPUS_RATES } from '../opus/encoder.ts';
import { type OpusHead, OPUS_CLOCK_HZ } from '../opus/packet.ts';
import { createStreamsDecoder, type StreamsDecoder } from '../opus/streams-decoder.ts';
import { type Pcm, sliceSamples, yieldTurn } from '../pcm.ts';

/** The factor of `head.gain`, which counts steps of 1/256 dB. */
const gainFactor = ({ gain }: OpusHead): number => 10 ** (gain / (20 * 256));

/** Decodes Opus streams to mono, at `wantedHz` if Opus has that rate, otherwise at 48 kHz. */
export async function* decodeOpus(
  items: AsyncIterable<OpusItem>,
  wantedHz: number,
): AsyncGenerator<Pcm, void, void> {
  const sampleRateHz = OPUS_RATES.includes(wantedHz) ? wantedHz : OPUS_CLOCK_HZ;
  const clocks = OPUS_CLOCK_HZ / sampleRateHz;
  const slice = new Float32Array(2 * sliceSamples(sampleRateHz));
  let filled = 0;
  let skip = 0;
  let gain = 1;
  let decoder: StreamsDecoder | undefined;
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
        decoder = await createStreamsDecoder(item.head, sampleRateHz);
        await yieldTurn();
        skip = Math.round(item.head.preSkipSamples / clocks);
        gain = gainFactor(item.head);
        continue;
      }
      if (!decoder) continue;
      const whole = decoder.decode(item.data);
      const heard = whole.subarray(skip, Math.round(item.keepSamples / clocks));
      skip = Math.max(0, skip - whole.length);
      if (filled + heard.length > slice.length) yield takeSlice();
      slice.set(gain === 1 ? heard : heard.map((sample) => sample * gain), filled);
      filled += heard.length;
      if (filled * 2 >= slice.length) yield takeSlice();
    }
    if (filled > 0) yield takeSlice();
  } finally {
    decoder?.free();
  }
}
