import { unsupportedAudio } from '../errors.ts';
import type { OpusItem, OpusPacket } from '../container/ogg-reader.ts';
import { createPacketDecoder, type PacketDecoder } from '../opus/decoder.ts';
import { OPUS_RATES } from '../opus/encoder.ts';
import type { OpusHead } from '../opus/head.ts';
import { packetOf } from '../opus/layout.ts';
import { OPUS_CLOCK_HZ, parseToc } from '../opus/packet.ts';
import { type Pcm, sliceSamples } from '../pcm.ts';

const LOST_FRAME = new Uint8Array(0);

/** Decodes a packet; one that no decoder takes is concealed, so that what follows keeps its time. */
const decodePacket = (decoder: PacketDecoder, { data, samples }: OpusPacket): Float32Array => {
  const decoded = decoder.decode(data);
  if (decoded) return decoded;
  const lostFrames = Array.from({ length: parseToc(data)?.frames ?? 0 }, () => LOST_FRAME);
  return decoder.decode(packetOf(data[0]!, lostFrames)) ?? new Float32Array(samples);
};

const checkHead = ({ channels, mapping, mappingFamily }: OpusHead): void => {
  const streams = mappingFamily === 0 ? 1 : mapping[0];
  if (channels > 2 || streams !== 1) throw unsupportedAudio('Opus with more than two channels');
};

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
  let decoder: PacketDecoder | undefined;
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
        checkHead(item.head);
        decoder = await createPacketDecoder(sampleRateHz);
        skip = Math.round(item.head.preSkipSamples / clocks);
        gain = gainFactor(item.head);
        continue;
      }
      if (!decoder) continue;
      const whole = decodePacket(decoder, item);
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
