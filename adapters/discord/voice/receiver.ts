import { parseToc, SILENCE_PACKET } from '../../../src/audio/opus.ts';
import type { SpeakerStats, VoicePacket } from '../../../src/room/port.ts';
import { createArrivals, createUnwrap, type Arrivals } from './counters.ts';
import type { DaveReader } from './dave.ts';
import { openRtp, readRtp, type RtpHeader } from './rtp.ts';
import { createSsrcs } from './ssrcs.ts';
import type { VoicePacketIn } from './wires.ts';

export interface Receiver {
  datagram(message: Buffer): void;
  readonly packet: (packet: VoicePacketIn) => void;
  /** Another voice server, with other numbers. */
  renewed(): void;
  readonly hear: (memberIds: readonly string[]) => void;
  readonly left: (memberId: string) => void;
  readonly stats: () => readonly SpeakerStats[];
}

export interface ReceiverParts {
  readonly key: () => Uint8Array | undefined;
  readonly dave: Pick<DaveReader, 'open'>;
  /** Everybody who is there, bots included. */
  readonly presentIds: () => readonly string[];
  readonly nowMs: () => number;
  readonly heard: (packet: VoicePacket) => void;
  readonly audible: (memberId: string, isAudible: boolean) => void;
  /** Somebody speaks, and nobody has told who. */
  readonly unknownSpeaker: () => void;
}

const SPEAKING_OP = 5;
const DISCONNECT_OP = 13;
/** Half a second of speech that cannot be opened: longer than any change of keys takes. */
const INAUDIBLE_PACKETS = 25;
/** The gateway tells who speaks a moment after they began. */
const UNKNOWN_MS = 2_000;
/** More than a room holds; those who were not heard for longest go. */
const MOST_STREAMS = 200;

/** What comes of one member over one number. */
interface Stream {
  readonly ssrc: number;
  readonly sequenceOf: (value: number) => number;
  readonly timestampOf: (value: number) => number;
  readonly arrivals: Arrivals;
}

interface Counts {
  received: number;
  lost: number;
  undecryptable: number;
  /** In a row, up to now. */
  unopened: number;
  isInaudible: boolean;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Turns what comes over UDP into packets of members who are to be heard. */
export const createReceiver = (parts: ReceiverParts): Receiver => {
  const { nowMs, dave, audible } = parts;
  const ssrcs = createSsrcs(nowMs);
  const streams = new Map<string, Stream>();
  const counts = new Map<string, Counts>();
  let wanted: ReadonlySet<string> = new Set();

  const countsOf = (memberId: string): Counts => {
    const known = counts.get(memberId);
    if (known) return known;
    if (counts.size >= MOST_STREAMS) counts.delete(counts.keys().next().value!);
    const fresh = { received: 0, lost: 0, undecryptable: 0, unopened: 0, isInaudible: false };
    counts.set(memberId, fresh);
    return fresh;
  };
  const streamOf = (memberId: string, ssrc: number): Stream => {
    const known = streams.get(memberId);
    if (known?.ssrc === ssrc) return known;
    const fresh: Stream = {
      ssrc,
      sequenceOf: createUnwrap(16),
      timestampOf: createUnwrap(32),
      arrivals: createArrivals(),
    };
    streams.set(memberId, fresh);
    return fresh;
  };

  const tell = (memberId: string, count: Counts, isAudible: boolean): void => {
    if (count.isInaudible !== isAudible) return;
    count.isInaudible = !isAudible;
    audible(memberId, isAudible);
  };
  const cannotOpen = (memberId: string, count: Counts): void => {
    count.undecryptable += 1;
    count.unopened += 1;
    if (count.unopened >= INAUDIBLE_PACKETS) tell(memberId, count, false);
  };

  const take = (message: Buffer, header: RtpHeader, memberId: string): void => {
    const key = parts.key();
    if (!key) return;
    const frame = openRtp(message, header, key);
    // What was not sent with our key is no packet of this session.
    if (!frame || frame.length === 0) return;
    const count = countsOf(memberId);
    const stream = streamOf(memberId, header.ssrc);
    const sequence = stream.sequenceOf(header.sequence);
    const lost = stream.arrivals.note(sequence);
    if (lost === undefined) return;
    count.lost += lost;
    const timestampSamples = stream.timestampOf(header.timestampSamples);
    count.received += 1;
    const data = dave.open(frame, memberId);
    if (!data || !parseToc(data)) {
      cannotOpen(memberId, count);
      return;
    }
    // Silence is never encrypted: it proves nothing.
    if (!data.equals(SILENCE_PACKET)) {
      count.unopened = 0;
      tell(memberId, count, true);
    }
    parts.heard({ speakerId: memberId, data, sequence, timestampSamples, arrivedMs: nowMs() });
  };

  const stranger = (ssrc: number): string | undefined => {
    const memberId = ssrcs.guess(ssrc, parts.presentIds());
    if (memberId === undefined && ssrcs.unknownForMs() > UNKNOWN_MS) parts.unknownSpeaker();
    return memberId;
  };

  return {
    datagram: (message) => {
      const header = readRtp(message);
      if (!header) return;
      const memberId = ssrcs.ownerOf(header.ssrc) ?? stranger(header.ssrc);
      if (memberId !== undefined && wanted.has(memberId)) take(message, header, memberId);
    },
    packet: ({ op, d }) => {
      const memberId = textOf(d?.['user_id']);
      const ssrc = d?.['ssrc'];
      if (op === SPEAKING_OP && typeof ssrc === 'number' && memberId !== '')
        ssrcs.assign(ssrc, memberId);
      else if (op === DISCONNECT_OP) ssrcs.remove(memberId);
    },
    renewed: () => {
      ssrcs.clear();
      streams.clear();
    },
    hear: (memberIds) => {
      wanted = new Set(memberIds);
      // What was not listened to was not lost.
      for (const memberId of streams.keys()) if (!wanted.has(memberId)) streams.delete(memberId);
    },
    left: (memberId) => {
      ssrcs.remove(memberId);
      streams.delete(memberId);
    },
    stats: () =>
      [...counts].map(([memberId, { received, lost, undecryptable }]) => ({
        memberId,
        received,
        lost,
        undecryptable,
      })),
  };
};
