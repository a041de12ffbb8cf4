import { createPacketDecoder } from './decoder.ts';
import { tryCreatePacketEncoder } from './encoder.ts';
import { OPUS_CLOCK_HZ } from './packet.ts';

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

/** A recoder that has heard the packets `before`; undefined where all encoders are taken. */
const createRecoder = async (before: readonly Uint8Array[]): Promise<Recoder | undefined> => {
  const encoder = tryCreatePacketEncoder(OPUS_CLOCK_HZ);
  if (!encoder) return undefined;
  const decoder = await createPacketDecoder(OPUS_CLOCK_HZ).catch((error: unknown) => {
    encoder.free();
    throw error;
  });
  const push: Recoder['push'] = (packet, fromGain, toGain) => {
    const samples = decoder.decode(packet);
    return samples && encoder.push(ramp(samples, fromGain, toGain))[0];
  };
  for (const packet of before) push(packet, 1, 1);
  const free = (): void => {
    encoder.free();
    decoder.free();
  };
  return { push, end: () => encoder.end(), free };
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
        recoder = await createRecoder(before);
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
