/** Opus packets between the one who makes them and the one who plays them. */
export interface PacketBuffer {
  /** Resolves when there is room for more. */
  push(packet: Uint8Array): Promise<void>;
  /** Nothing comes any more; what is there is still given out. */
  end(): void;
  /** Resolves when a packet is there, or when none will come. */
  ready(): Promise<void>;
  /** The next packet; undefined at the end. */
  next(): Promise<Uint8Array | undefined>;
}

/** A minute: half a megabyte. */
const MOST_PACKETS = 3_000;

export const createPacketBuffer = (): PacketBuffer => {
  const packets: Uint8Array[] = [];
  let ended = false;
  let arrival = Promise.withResolvers<void>();
  let room = Promise.withResolvers<void>();

  const mayCome = (): boolean => packets.length === 0 && !ended;
  const ready = async (): Promise<void> => {
    while (mayCome()) await arrival.promise;
  };
  const wake = (): void => {
    arrival.resolve();
    arrival = Promise.withResolvers();
  };

  return {
    push: async (packet) => {
      packets.push(packet);
      wake();
      if (packets.length >= MOST_PACKETS && !ended) await room.promise;
    },
    end: () => {
      ended = true;
      wake();
      room.resolve();
    },
    ready,
    next: async () => {
      await ready();
      const packet = packets.shift();
      if (packets.length === MOST_PACKETS - 1) {
        room.resolve();
        room = Promise.withResolvers();
      }
      return packet;
    },
  };
};
