import type { OpusDecoderHandle } from 'libopus-wasm';
import { OPUS_CLOCK_HZ } from './packet.ts';
import { createPacketEncoder, encoderLimit, type PacketEncoder } from './encoder.ts';

/** Decoders that begin in the middle of speech need so many packets before they are true. */
export const WARM_UP_PACKETS = 5;

/** Changes the loudness of packets of 20 ms that follow one another. */
interface Recoder {
  /** From one gain to the other within the packet; undefined for one that cannot be decoded. */
  push(packet: Uint8Array, fromGain: number, toGain: number): Uint8Array | undefined;
  end(): Uint8Array[];
  free(): void;
}

const ramp = (samples: Float32Array, from: number, to: number): Float32Array =>
  samples.map((sample, index) => sample * (from + ((to - from) * index) / samples.length));

const createRecoder = async (
  place: Disposable,
  before: readonly Uint8Array[],
): Promise<Recoder> => {
  let encoder: PacketEncoder | undefined;
  let decoder: OpusDecoderHandle | undefined;
  const free = (): void => {
    encoder?.free();
    decoder?.free();
    place[Symbol.dispose]();
  };
  try {
    const { createDecoder } = await import('libopus-wasm');
    const decoding = await createDecoder({ sampleRate: OPUS_CLOCK_HZ, channels: 1 });
    decoder = decoding;
    const encoding = await createPacketEncoder(OPUS_CLOCK_HZ);
    encoder = encoding;
    const push: Recoder['push'] = (packet, fromGain, toGain) => {
      try {
        return encoding.push(ramp(decoding.decodeFloat(packet), fromGain, toGain))[0];
      } catch {
        return undefined;
      }
    };
    for (const packet of before) push(packet, 1, 1);
    return { push, end: () => encoding.end(), free };
  } catch (error) {
    free();
    throw error;
  }
};

/**
 * Packets of 20 ms as loud as `gain` says when each is asked for; at 1 they are passed on untouched,
 * and no codec is alive. Where all encoders are taken they stay as loud as they are.
 */
export async function* lowered(
  packets: AsyncIterable<Uint8Array>,
  gain: () => number,
): AsyncGenerator<Uint8Array, void, void> {
  let recoder: Recoder | undefined;
  let before: Uint8Array[] = [];
  let last = 1;
  try {
    for await (const packet of packets) {
      const wanted = gain();
      if (wanted === 1 && last === 1) {
        recoder?.free();
        recoder = undefined;
      } else if (!recoder) {
        const place = encoderLimit.tryAcquire();
        if (place) recoder = await createRecoder(place, before);
      }
      yield recoder?.push(packet, last, wanted) ?? packet;
      last = recoder ? wanted : 1;
      before = [...before, packet].slice(-WARM_UP_PACKETS);
    }
    if (recoder) yield* recoder.end();
  } finally {
    recoder?.free();
  }
}
