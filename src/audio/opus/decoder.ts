import { framesOf, packetOf } from './layout.ts';

/** Decodes the packets of one Opus stream, in order, to mono. */
export interface PacketDecoder {
  /** Decodes a packet; undefined, without any effect, for one that no decoder takes. */
  decode(packet: Uint8Array): Float32Array | undefined;
  /** Gives back the codec's memory; nothing may be called afterwards. */
  free(): void;
}

/** The input buffer of opus-decoder for one channel; only packets of several frames are longer. */
const LONGEST_INPUT_BYTES = 3_840;

/**
 * Creates a decoder.
 *
 * @param sampleRateHz one of the rates of Opus
 */
export const createPacketDecoder = async (sampleRateHz: number): Promise<PacketDecoder> => {
  const { OpusDecoder } = await import('opus-decoder');
  const decoder = new OpusDecoder({ sampleRate: sampleRateHz as 48_000, channels: 1 });
  await decoder.ready;
  return {
    decode: (packet) => {
      // Otherwise the library warns of bad packets on standard error.
      const frames = framesOf(packet);
      if (!frames) return undefined;
      const packets =
        packet.length > LONGEST_INPUT_BYTES
          ? frames.map((frame) => packetOf(packet[0]!, [frame]))
          : [packet];
      return decoder.decodeFrames(packets).channelData[0];
    },
    free: () => decoder.free(),
  };
};
