import { createPacketDecoder } from '../../audio/opus/streams-decoder.ts';
import { tryCreatePacketEncoder } from '../../audio/opus/encoder.ts';
import { OPUS_CLOCK_HZ, WARM_UP_PACKETS } from '../../audio/opus/packet.ts';

const ramp = (samples: Float32Array, from: number, to: number): Float32Array =>
  samples.map((sample, index) => sample * (from + ((to - from) * index) / samples.length));

/**
 * Creates what decodes consecutive packets of 20 ms, after those `before`, and encodes them at another loudness;
 * undefined while no encoder is free.
 */
const createTranscoder = async (before: readonly Uint8Array[]) => {
  const encoder = tryCreatePacketEncoder(OPUS_CLOCK_HZ);
  if (!encoder) return undefined;
  const decoder = await createPacketDecoder(OPUS_CLOCK_HZ).catch((error: unknown) => {
    encoder.free();
    throw error;
  });
  /** Changes from one gain to the other within the packet; undefined if it cannot be decoded. */
  const push = (packet: Uint8Array, fromGain: number, toGain: number): Uint8Array | undefined => {
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
 * Applies the current `gain` to packets of 20 ms. At gain 1 they pass unchanged and no codec is in
 * use. While no encoder is free they keep their loudness.
 */
export async function* applyGain(
  packets: AsyncIterable<Uint8Array>,
  gain: () => number,
): AsyncGenerator<Uint8Array, void, void> {
  let transcoder: Awaited<ReturnType<typeof createTranscoder>>;
  let before: Uint8Array[] = [];
  let last = 1;
  try {
    for await (const packet of packets) {
      const target = gain();
      if (target === 1 && last === 1) {
        transcoder?.free();
        transcoder = undefined;
      } else if (!transcoder) {
        transcoder = await createTranscoder(before);
      }
      yield transcoder?.push(packet, last, target) ?? packet;
      last = transcoder ? target : 1;
      before = [...before, packet].slice(-WARM_UP_PACKETS);
    }
    if (transcoder) yield* transcoder.end();
  } finally {
    transcoder?.free();
  }
}
