import { parseToc, SILENCE_PACKET } from '../../../src/audio/opus/packet.ts';
import type { SpeakerStats, VoicePacket } from '../../../src/ports/voice.ts';
import {
  createArrivals,
  createUnwrap,
  type Arrivals,
  openRtp,
  readRtp,
  type RtpHeader,
} from './rtp.ts';
import type { DaveReader } from './dave.ts';
import { createSsrcs } from './ssrcs.ts';

import type { VoicePacketIn } from './library-internals.ts';

/** What became of everybody's packets, and who cannot be heard. */
export interface VoiceStatistics {
  received(memberId: string, lost: number): void;
  /** A packet that proves that they can be heard. */
  opened(memberId: string): void;
  /** A packet that cannot be opened. */
  unopened(memberId: string): void;
  /** They speak, and nothing of it can be told to be theirs. */
  readonly missed: (memberId: string) => void;
  /** They are not to be heard any more: nothing is asked of them. */
  dismissed(memberId: string): void;
  readonly stats: () => readonly SpeakerStats[];
}

/** Half a second of speech that cannot be opened: longer than any change of keys takes. */
const INAUDIBLE_PACKETS = 25;

/** More than a room holds. */
const MOST_TALLIES = 200;

interface Tally {
  received: number;
  lost: number;
  undecryptable: number;
  /** In a row, up to now. */
  unopened: number;
  isInaudible: boolean;
}

/** @param audible is told when somebody cannot be heard although they speak, and when they can again */
export const createVoiceStatistics = (
  audible: (memberId: string, isAudible: boolean) => void,
): VoiceStatistics => {
  const tallies = new Map<string, Tally>();

  const tallyOf = (memberId: string): Tally => {
    const known = tallies.get(memberId);
    // Those of whom nothing came for longest stand first, and go first.
    if (known) tallies.delete(memberId);
    else if (tallies.size >= MOST_TALLIES) tallies.delete(tallies.keys().next().value!);
    const tally = known ?? {
      received: 0,
      lost: 0,
      undecryptable: 0,
      unopened: 0,
      isInaudible: false,
    };
    tallies.set(memberId, tally);
    return tally;
  };
  const tell = (memberId: string, tally: Tally, isAudible: boolean): void => {
    if (tally.isInaudible !== isAudible) return;
    tally.isInaudible = !isAudible;
    audible(memberId, isAudible);
  };

  return {
    received: (memberId, lost) => {
      const tally = tallyOf(memberId);
      tally.received += 1;
      tally.lost += lost;
    },
    opened: (memberId) => {
      const tally = tallyOf(memberId);
      tally.unopened = 0;
      tell(memberId, tally, true);
    },
    unopened: (memberId) => {
      const tally = tallyOf(memberId);
      tally.undecryptable += 1;
      tally.unopened += 1;
      if (tally.unopened >= INAUDIBLE_PACKETS) tell(memberId, tally, false);
    },
    missed: (memberId) => tell(memberId, tallyOf(memberId), false),
    dismissed: (memberId) => {
      const tally = tallies.get(memberId);
      if (tally) Object.assign(tally, { unopened: 0, isInaudible: false });
    },
    stats: () =>
      [...tallies].map(([memberId, { received, lost, undecryptable }]) => ({
        memberId,
        received,
        lost,
        undecryptable,
      })),
  };
};

export interface Receiver {
  datagram(message: Buffer): void;
  readonly packet: (packet: VoicePacketIn) => void;
  /** Another voice server, with other numbers. */
  renewed(): void;
  readonly subscribe: (memberIds: readonly string[]) => void;
  readonly left: (memberId: string) => void;
  readonly stats: () => readonly SpeakerStats[];
}

export interface ReceiverDeps {
  /** Of the packets between us and the voice server; asked for each one that is opened. */
  readonly key: () => Uint8Array | undefined;
  readonly dave: Pick<DaveReader, 'open' | 'proves'>;
  readonly ownId: string;
  /** Everybody who is there as the main gateway tells, bots included, ourselves left out. */
  readonly presentIds: () => readonly string[];
  readonly nowMs: () => number;
  readonly received: (packet: VoicePacket) => void;
  readonly audible: (memberId: string, isAudible: boolean) => void;
  /** So much of what somebody said never came, in one piece. */
  readonly missed: (ms: number) => void;
  /** Somebody who may be to be heard speaks, and nobody has told who it is. */
  readonly unknownSpeaker: () => void;
}

const SPEAKING_OP = 5;
const CONNECT_OP = 11;
/** Tells of somebody's camera, and their number along with it. */
const VIDEO_OP = 12;
const DISCONNECT_OP = 13;
/** The gateway tells who speaks a moment after they began. */
const UNKNOWN_MS = 2_000;

/** People notice that a second is missing. */
const MISSED_MS = 1_000;
const PACKET_MS = 20;

/** More than speak in one channel; of a stage with more than that, nobody's number is guessed. */
const MOST_CLIENTS = 1_000;
/** An id is a number of 64 bits. */
const LONGEST_ID = 20;

/** What comes of one member over one number. */
interface Stream {
  readonly ssrc: number;
  readonly sequenceOf: (value: number) => number;
  readonly timestampOf: (value: number) => number;
  readonly arrivals: Arrivals;
  /** When the last one came. */
  lastMs: number;
}

const isId = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= LONGEST_ID;
const isSsrc = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) > 0 && Number(value) < 2 ** 32;

/** Turns what comes over UDP into packets of members who are to be heard. */
export const createReceiver = (deps: ReceiverDeps): Receiver => {
  const { nowMs, dave } = deps;
  const ssrcs = createSsrcs(nowMs);
  const tallies = createVoiceStatistics(deps.audible);
  const streams = new Map<string, Stream>();
  /** Who is connected, as the voice server tells. */
  const clients = new Set<string>();
  /** Not all of them are remembered. */
  let isCrowded = false;
  let wanted: ReadonlySet<string> = new Set();

  const streamOf = (memberId: string, ssrc: number): Stream => {
    const known = streams.get(memberId);
    if (known?.ssrc === ssrc) return known;
    const fresh: Stream = {
      ssrc,
      sequenceOf: createUnwrap(16),
      timestampOf: createUnwrap(32),
      arrivals: createArrivals(),
      lastMs: nowMs(),
    };
    streams.set(memberId, fresh);
    return fresh;
  };

  const take = (message: Buffer, header: RtpHeader, memberId: string): void => {
    const key = deps.key();
    const frame = key && openRtp(message, header, key);
    // What was not sent with our key is no packet of this session.
    if (!frame) return;
    const stream = streamOf(memberId, header.ssrc);
    const sequence = stream.sequenceOf(header.sequence);
    const lost = stream.arrivals.note(sequence, header.counter);
    if (lost === undefined) return;
    tallies.received(memberId, lost);
    const arrivedMs = nowMs();
    const missedMs = Math.min(lost * PACKET_MS, arrivedMs - stream.lastMs);
    stream.lastMs = arrivedMs;
    if (missedMs >= MISSED_MS) deps.missed(missedMs);
    const timestampSamples = stream.timestampOf(header.timestampSamples);
    // Nothing but padding: it has its number, and that is all.
    if (frame.length === 0) return;
    const data = dave.open(frame, memberId);
    if (!data || !parseToc(data)) return tallies.unopened(memberId);
    // Silence is never encrypted: it proves nothing.
    if (!data.equals(SILENCE_PACKET)) tallies.opened(memberId);
    deps.received({ speakerId: memberId, data, sequence, timestampSamples, arrivedMs });
  };

  /** Either gateway may be late to tell of somebody who has come. */
  const hereIds = (): string[] => {
    const here = new Set([...deps.presentIds(), ...clients]);
    here.delete(deps.ownId);
    return [...here];
  };
  const notPlaced = (here: readonly string[]): void => {
    const suspects = ssrcs.suspects(here);
    const meant = suspects.filter((id) => wanted.has(id));
    if (meant.length === 0) return;
    // Where it may be somebody who is not to be heard, nothing is said of the others.
    if (meant.length === suspects.length) meant.forEach(tallies.missed);
    deps.unknownSpeaker();
  };
  /** A number may have changed without a word: where nothing proves whose it is, all must have agreed. */
  const mayGuess = (here: readonly string[]): boolean =>
    dave.proves() || here.every((id) => wanted.has(id));
  const stranger = (ssrc: number): string | undefined => {
    if (isCrowded) return undefined;
    const here = hereIds();
    const memberId = ssrcs.guess(ssrc, mayGuess(here) ? here : []);
    if (memberId === undefined && ssrcs.unknownForMs() > UNKNOWN_MS) notPlaced(here);
    return memberId;
  };

  const connected = (id: unknown): void => {
    if (!isId(id)) return;
    if (clients.size < MOST_CLIENTS) clients.add(id);
    else if (!clients.has(id)) isCrowded = true;
  };
  const speaks = (id: unknown, ssrc: unknown): void => {
    if (!isId(id) || !isSsrc(ssrc)) return;
    connected(id);
    ssrcs.assign(ssrc, id);
  };

  return {
    datagram: (message) => {
      const header = readRtp(message);
      if (!header) return;
      const memberId = ssrcs.ownerOf(header.ssrc) ?? stranger(header.ssrc);
      if (memberId !== undefined && wanted.has(memberId)) take(message, header, memberId);
    },
    packet: ({ op, d }) => {
      const id = d?.['user_id'];
      if (op === SPEAKING_OP) speaks(id, d?.['ssrc']);
      else if (op === VIDEO_OP) speaks(id, d?.['audio_ssrc']);
      else if (op === CONNECT_OP) [d?.['user_ids']].flat().forEach(connected);
      if (op !== DISCONNECT_OP || !isId(id)) return;
      clients.delete(id);
      ssrcs.remove(id);
    },
    renewed: () => {
      ssrcs.clear();
      streams.clear();
      clients.clear();
      isCrowded = false;
    },
    subscribe: (memberIds) => {
      const before = wanted;
      wanted = new Set(memberIds);
      for (const memberId of before.difference(wanted)) {
        // What was not listened to was not lost.
        streams.delete(memberId);
        tallies.dismissed(memberId);
      }
    },
    left: (memberId) => {
      clients.delete(memberId);
      ssrcs.remove(memberId);
      streams.delete(memberId);
    },
    stats: tallies.stats,
  };
};
