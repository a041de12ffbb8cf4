import { parseToc } from './packet.ts';
import { framesOf, packetOf } from './layout.ts';

/** The length of the packets that come out: 20 ms on the clock of 48 kHz. */
const PACKET_SAMPLES = 960;
const CODE_MASK = 0x03;

/** Makes packets of 20 ms of packets of any length, without changing the frames in them. */
export const createRepacketizer = () => {
  let kind = 0;
  let frames: Uint8Array[] = [];
  let needed = 1;

  const takeOut = (): Uint8Array => {
    const packet = packetOf(kind, frames);
    frames = [];
    return packet;
  };

  return {
    /**
     * Takes a packet and returns those that are complete by now; a damaged one gives none. Undefined, and
     * nothing is taken, where a frame is longer than 20 ms or the kind of frames changes within a packet.
     */
    push: (packet: Uint8Array): Uint8Array[] | undefined => {
      const toc = parseToc(packet);
      const parts = framesOf(packet);
      if (!toc || !parts) return [];
      const nextKind = packet[0]! & ~CODE_MASK;
      if (toc.frameSamples > PACKET_SAMPLES || (frames.length > 0 && nextKind !== kind))
        return undefined;
      kind = nextKind;
      needed = PACKET_SAMPLES / toc.frameSamples;
      const packets: Uint8Array[] = [];
      for (const part of parts) {
        frames.push(part);
        if (frames.length === needed) packets.push(takeOut());
      }
      return packets;
    },
    /** The frames not yet returned, as a packet shorter than 20 ms. */
    pending: (): Uint8Array | undefined => (frames.length > 0 ? packetOf(kind, frames) : undefined),
    /** The last packet, if one is begun: players conceal the frames that it lacks. */
    end: (): Uint8Array[] => {
      if (frames.length === 0) return [];
      while (frames.length < needed) frames.push(new Uint8Array(0));
      return [takeOut()];
    },
  };
};
