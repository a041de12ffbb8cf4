import { createByteReader } from '../../../../src/audio/bytes.ts';
import { readOpus } from '../../../../src/audio/container/ogg-reader.ts';
import { isOnePacket } from './bot-stream.ts';

/** What somebody says: Opus packets of 20 ms, or an Ogg Opus file of such packets. */
export type Sound = Uint8Array | readonly Uint8Array[];

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  yield bytes;
}

export const packetsOf = async (sound: Sound): Promise<readonly Uint8Array[]> => {
  const packets: Uint8Array[] = [];
  if (sound instanceof Uint8Array) {
    for await (const item of readOpus(createByteReader(once(sound))))
      if (item.kind === 'packet') packets.push(item.data);
  } else packets.push(...sound);
  if (!packets.every(isOnePacket)) throw new Error('voice clients send packets of 20 ms alone');
  return packets;
};

/** CELT, full band, mono, 20 ms in one frame (RFC 6716 section 3.1). */
const CELT_TOC = 0xf8;
const NOISE_BYTES = 120;

/** Any bytes are a CELT frame, and random ones sound like noise. */
export const noisePackets = (count: number, random: () => number): Uint8Array[] =>
  Array.from({ length: count }, () =>
    Uint8Array.from({ length: NOISE_BYTES }, (_, at) =>
      at === 0 ? CELT_TOC : Math.floor(random() * 256),
    ),
  );
