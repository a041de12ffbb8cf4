import type { VoicePacket } from '../../../../src/ports/voice.ts';
import type { Utterance } from '../../../../src/ports/recogniser.ts';
import {
  createEndpointer,
  type Endpointer,
  type EndpointerOptions,
} from '../../../../src/voice/stt/endpointer.ts';
import type { EndpointerEvent } from '../../../../src/voice/stt/speaker-endpointer.ts';
import type { SpeakerVad } from '../../../../src/voice/stt/speaker-vad.ts';

/** 20 ms of hybrid, mono, whose voice bit is set or not. */
const HYBRID = 0x78;
/** 20 ms of CELT, mono. */
export const CELT = 0xf8;

/** The number of a packet is written into it, so that it is known again. */
const numbered = (toc: number, flag: number, number: number): Uint8Array =>
  Uint8Array.of(toc, flag, number >> 16, number >> 8, number, 1, 2, 3);

export const voiced = (number: number): Uint8Array => numbered(HYBRID, 0x80, number);
export const unvoiced = (number: number): Uint8Array => numbered(HYBRID, 0, number);

/** Somebody who sends a packet every 20 ms. */
export interface Sender {
  say(kind: 'voice' | 'quiet' | 'silence', packets: number): VoicePacket[];
  /** Nothing is sent for so long. */
  pause(ms: number): void;
  /** So many are sent and never come. */
  lose(packets: number): void;
  nowMs: number;
  sequence: number;
  timestampSamples: number;
}

export const createSender = (speakerId = 'ann', startMs = 1_000_000): Sender => {
  const sender: Sender = {
    nowMs: startMs,
    sequence: 100,
    timestampSamples: 48_000,
    say: (kind, packets) =>
      Array.from({ length: packets }, () => {
        const { sequence, timestampSamples, nowMs } = sender;
        const data =
          kind === 'voice'
            ? voiced(sequence)
            : kind === 'quiet'
              ? unvoiced(sequence)
              : Uint8Array.of(0xf8, 0xff, 0xfe);
        sender.lose(1);
        return { speakerId, data, sequence, timestampSamples, arrivedMs: nowMs };
      }),
    pause: (ms) => {
      sender.nowMs += ms;
      sender.timestampSamples += ms * 48;
    },
    lose: (packets) => {
      sender.sequence += packets;
      sender.pause(packets * 20);
    },
  };
  return sender;
};

/** Knows no sound: the bit decides, and what has none is voice. */
export const bitVad = (): SpeakerVad => ({
  isVoice: ({ data }) => data.length > 3 && ((data[0]! & 0x80) !== 0 || (data[1]! & 0x80) !== 0),
  tick: () => undefined,
  nextTickMs: undefined,
  forget: () => undefined,
  decoders: 0,
});

export const endpointerWith = (options: EndpointerOptions = {}): Endpointer =>
  createEndpointer({ vad: bitVad(), ...options });

export const takeAll = (
  endpointer: Endpointer,
  packets: readonly VoicePacket[],
): EndpointerEvent[] => packets.flatMap((packet) => endpointer.take(packet));

export const sequencesOf = ({ packets }: Pick<Utterance, 'packets'>): number[] =>
  packets.map(({ sequence }) => sequence);
