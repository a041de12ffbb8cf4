/** Decodes the packets of one Opus stream, in order, to mono. */
export interface PacketDecoder {
  /** Decodes a packet; undefined, without any effect, for one that no decoder takes. */
  decode(packet: Uint8Array): Float32Array | undefined;
  /** Gives back the codec's memory; nothing may be called afterwards. */
  free(): void;
}

/**
 * Creates a decoder.
 *
 * @param sampleRateHz one of the rates of Opus
 */
export const createPacketDecoder = async (sampleRateHz: number): Promise<PacketDecoder> => {
  const { createDecoder } = await import('libopus-wasm');
  const decoder = await createDecoder({ sampleRate: sampleRateHz as 48_000, channels: 1 });
  return {
    decode: (packet) => {
      try {
        return decoder.decodeFloat(packet);
      } catch {
        return undefined;
      }
    },
    free: () => decoder.free(),
  };
};
