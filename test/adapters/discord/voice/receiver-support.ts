import { randomBytes } from 'node:crypto';
import { createReceiver } from '../../../../adapters/discord/voice/receiver.ts';
import type { VoicePacket } from '../../../../src/ports/voice.ts';
import { sealRtp } from '../../../fakes/discord/voice/rtp.ts';

const KEY = randomBytes(32);
export const OPUS = Uint8Array.of(0xf8, 1, 2, 3);
export const SILENCE = Uint8Array.of(0xf8, 0xff, 0xfe);

/** A receiver, people who send to it, and what it told. */
export const startReceiver = (...present: string[]) => {
  const time = { ms: 1_000_000 };
  const counts = { keys: 0, opened: 0, unknown: 0 };
  const told: string[] = [];
  const packets: VoicePacket[] = [];
  const room = {
    present,
    understood: true,
    proves: true,
    /** The member whose keys decrypt what is sent. */
    sender: undefined as string | undefined,
  };
  const receiver = createReceiver({
    // Nothing can be opened without it.
    key: () => {
      counts.keys += 1;
      return KEY;
    },
    dave: {
      open: (frame) => {
        counts.opened += 1;
        return room.understood ? frame : undefined;
      },
      proves: () => room.proves,
      isFrom: (_, id) => id === room.sender,
    },
    ownId: 'bot',
    presentIds: () => room.present,
    nowMs: () => time.ms,
    received: (packet) => packets.push(packet),
    audible: (id, isAudible) =>
      told.push(`${isAudible ? 'hears' : 'cannot hear'} ${id ?? 'somebody'}`),
    missed: (ms) => told.push(`missed ${ms}`),
    unknownSpeaker: () => (counts.unknown += 1),
  });
  const sequences = new Map<number, number>();
  const came: Buffer[] = [];
  return {
    time,
    counts,
    told,
    packets,
    room,
    receiver,
    speaks: (id: string, ssrc: number) =>
      receiver.packet({ op: 5, d: { user_id: id, ssrc, speaking: 1 } }),
    /** One packet each 20 ms. */
    send: (ssrc: number, count = 1, payload = OPUS, key = KEY) => {
      for (let at = 0; at < count; at += 1) {
        const sequence = sequences.get(ssrc) ?? 65_530;
        sequences.set(ssrc, (sequence + 1) % 65_536);
        time.ms += 20;
        const packet = {
          payloadType: 0x78,
          sequence,
          timestamp: (sequence * 960) % 2 ** 32,
          ssrc,
          extension: undefined,
          paddingBytes: 0,
          payload,
        };
        came.push(sealRtp(packet, key, time.ms));
        receiver.datagram(came.at(-1)!);
      }
    },
    /** All that came comes once more. */
    replay: () => came.forEach((message) => receiver.datagram(message)),
    skip: (ssrc: number, count: number) =>
      sequences.set(ssrc, (sequences.get(ssrc)! + count) % 65_536),
  };
};
