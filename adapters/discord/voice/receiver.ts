import { createLru } from '../../../src/async/lru.ts';
import { parsePacket } from '../../../src/audio/opus/layout.ts';
import { SILENCE_PACKET } from '../../../src/audio/opus/packet.ts';
import type { SpeakerStats, VoicePacket } from '../../../src/ports/voice.ts';
import type { DaveReader } from './dave.ts';
import type { VoicePacketIn } from './library-internals.ts';
import {
  type Arrivals,
  createArrivals,
  createUnwrap,
  openRtp,
  readRtp,
  type RtpHeader,
} from './rtp.ts';
import { createSsrcs } from './ssrcs.ts';

export interface ReceiverDeps {
  /** The key of packets from the voice server; read for each packet that is decrypted. */
  readonly key: () => Uint8Array | undefined;
  readonly dave: Pick<DaveReader, 'open' | 'proves' | 'isFrom'>;
  readonly ownId: string;
  /** Ids of those present according to the main gateway: other bots too, but not the bot itself. */
  readonly presentIds: () => readonly string[];
  readonly nowMs: () => number;
  readonly received: (packet: VoicePacket) => void;
  /** Reports as `LinkListener.audible` does. */
  readonly audible: (memberId: string | undefined, isAudible: boolean) => void;
  /** Reports the duration of speech that was lost in one piece. */
  readonly missed: (ms: number) => void;
  /** Reports that somebody who may be subscribed speaks, and cannot be identified. */
  readonly unknownSpeaker: () => void;
}

const SPEAKING_OP = 5;
const CONNECT_OP = 11;
/** Opcode of an event about a camera, which holds the stream number of its owner. */
const VIDEO_OP = 12;
const DISCONNECT_OP = 13;
/** Time in which the gateway reports who speaks. */
const UNKNOWN_MS = 2_000;

/** Longest loss that people do not notice. */
const MISSED_MS = 1_000;
const PACKET_MS = 20;

/** Most members whose connection is tracked; beyond it, no number's owner is guessed. */
const MOST_CLIENTS = 1_000;
/** Silence of a member after which a new number may be theirs, where their keys prove it. */
const CHANGED_MS = 300;
/** Most members whose keys are tried on a packet without a known owner. */
const MOST_SUSPECTS = 50;
/** Digits of an id, a number of 64 bits. */
const LONGEST_ID = 20;

/** The packets of one member under one number. */
interface Stream {
  readonly ssrc: number;
  readonly sequenceOf: (value: number) => number;
  readonly timestampOf: (value: number) => number;
  readonly arrivals: Arrivals;
  lastMs: number;
}

const isId = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= LONGEST_ID;
const isSsrc = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) > 0 && Number(value) < 2 ** 32;

/** A second of speech that cannot be decrypted: a change of keys takes up to 0.9 s on a busy machine. */
const INAUDIBLE_PACKETS = 50;

/** Most members that are counted, more than a room holds. */
const MOST_MEMBERS = 200;

interface Counts {
  received: number;
  lost: number;
  undecryptable: number;
  /** Packets in a row that could not be decrypted. */
  unopened: number;
  isInaudible: boolean;
}

/** Counts packets; `audible` tells when a speaking member cannot be received, or can again. */
const createVoiceStatistics = (audible: (memberId: string, isAudible: boolean) => void) => {
  /** Members who were silent longest are dropped first. */
  const counts = createLru<string, Counts>(MOST_MEMBERS);

  const countsOf = (memberId: string): Counts => {
    const own = counts.get(memberId) ?? {
      received: 0,
      lost: 0,
      undecryptable: 0,
      unopened: 0,
      isInaudible: false,
    };
    counts.set(memberId, own);
    return own;
  };
  const tell = (memberId: string, own: Counts, isAudible: boolean): void => {
    if (own.isInaudible !== isAudible) return;
    own.isInaudible = !isAudible;
    audible(memberId, isAudible);
  };

  return {
    received: (memberId: string, lost: number): void => {
      const own = countsOf(memberId);
      own.received += 1;
      own.lost += lost;
    },
    /** Counts a packet that proves that a member can be received. */
    opened: (memberId: string): void => {
      const own = countsOf(memberId);
      own.unopened = 0;
      tell(memberId, own, true);
    },
    /** Counts a packet that cannot be decrypted. */
    unopened: (memberId: string): void => {
      const own = countsOf(memberId);
      own.undecryptable += 1;
      own.unopened += 1;
      if (own.unopened >= INAUDIBLE_PACKETS) tell(memberId, own, false);
    },
    /** Notes that a stream can only be that of this member, and is not known to be. */
    missed: (memberId: string): void => tell(memberId, countsOf(memberId), false),
    /** Notes that a stream was not that of a member, or is by now. */
    placed: (memberId: string): void => {
      const own = counts.get(memberId);
      if (own && own.unopened < INAUDIBLE_PACKETS) tell(memberId, own, true);
    },
    /** Notes that a member is no longer subscribed. */
    dismissed: (memberId: string): void => {
      const own = counts.get(memberId);
      if (own) Object.assign(own, { unopened: 0, isInaudible: false });
    },
    stats: (): SpeakerStats[] =>
      [...counts].map(([memberId, { received, lost, undecryptable }]) => ({
        memberId,
        received,
        lost,
        undecryptable,
      })),
  };
};

/** Turns UDP packets into packets of subscribed members. */
export const createReceiver = (deps: ReceiverDeps) => {
  const { nowMs, dave } = deps;
  const ssrcs = createSsrcs(nowMs);
  const statistics = createVoiceStatistics(deps.audible);
  const streams = new Map<string, Stream>();
  /** Members who are connected according to the voice server. */
  const clients = new Set<string>();
  /** True when some of them are not tracked. */
  let isCrowded = false;
  let subscribers: ReadonlySet<string> = new Set();
  /** True while a stream is reported whose owner is one of several. */
  let isUnplaced = false;
  /** The member who was reported because nobody else can own a stream. */
  let accused: string | undefined;
  /** Time of the last packet without an owner. */
  let strangeMs = Number.NEGATIVE_INFINITY;

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
    // A packet that was not sent with this key is not of this session.
    if (!frame) return;
    const stream = streamOf(memberId, header.ssrc);
    const sequence = stream.sequenceOf(header.sequence);
    const lost = stream.arrivals.note(sequence, header.counter);
    if (lost === undefined) return;
    statistics.received(memberId, lost);
    const arrivedMs = nowMs();
    const missedMs = Math.min(lost * PACKET_MS, arrivedMs - stream.lastMs);
    stream.lastMs = arrivedMs;
    if (missedMs >= MISSED_MS) deps.missed(missedMs);
    const timestampSamples = stream.timestampOf(header.timestampSamples);
    // A packet of nothing but padding counts by its number alone.
    if (frame.length === 0) return;
    const data = dave.open(frame, memberId);
    if (!data || !parsePacket(data)) return statistics.unopened(memberId);
    // Silence is never encrypted, so it proves nothing.
    if (!data.equals(SILENCE_PACKET)) statistics.opened(memberId);
    deps.received({ speakerId: memberId, data, sequence, timestampSamples, arrivedMs });
  };

  /** Ids of members according to either gateway, since both may be late. */
  const hereIds = (): string[] => {
    const here = new Set([...deps.presentIds(), ...clients]);
    here.delete(deps.ownId);
    return [...here];
  };
  /** Reports a stream that has no owner: nobody by name who may be silent. */
  const report = ([only, ...others]: readonly string[]): void => {
    if (only !== undefined && others.length === 0) {
      accused = only;
      statistics.missed(only);
    } else if (!isUnplaced) {
      isUnplaced = true;
      deps.audible(undefined, false);
    }
  };
  const notPlaced = (here: readonly string[]): void => {
    const suspects = ssrcs.suspects(here);
    const subscribed = suspects.filter((id) => subscribers.has(id));
    if (subscribed.length === 0) return;
    // When the speaker may be somebody who is not subscribed, nothing is reported about the others.
    if (subscribed.length === suspects.length) report(suspects);
    deps.unknownSpeaker();
  };
  /** Withdraws the reports about streams, when none has been without an owner for a while. */
  const withdrawReports = (): void => {
    const isReported = isUnplaced || accused !== undefined;
    if (!isReported || nowMs() - strangeMs <= UNKNOWN_MS) return;
    if (isUnplaced) deps.audible(undefined, true);
    if (accused !== undefined) statistics.placed(accused);
    isUnplaced = false;
    accused = undefined;
  };
  /** True when an owner may be guessed: with proof by the encryption, or consent of all present. */
  const mayGuess = (here: readonly string[]): boolean =>
    dave.proves() || here.every((id) => subscribers.has(id));
  /**
   * Finds the owner of a packet by whose keys decrypt it. Nothing is decrypted where its sender may
   * be somebody who is not subscribed.
   */
  const provenOwner = (
    message: Buffer,
    header: RtpHeader,
    here: readonly string[],
  ): string | undefined => {
    const suspects = ssrcs.suspects(here, CHANGED_MS);
    if (!dave.proves() || !suspects.every((id) => subscribers.has(id))) return undefined;
    if (suspects.length > MOST_SUSPECTS || !ssrcs.isProbeDue(header.ssrc)) return undefined;
    const key = deps.key();
    const frame = key && openRtp(message, header, key);
    const owner = frame && suspects.find((id) => dave.isFrom(frame, id));
    if (owner !== undefined) ssrcs.assign(header.ssrc, owner);
    return owner;
  };
  const stranger = (message: Buffer, header: RtpHeader): string | undefined => {
    if (isCrowded) return undefined;
    const here = hereIds();
    const memberId =
      ssrcs.guess(header.ssrc, mayGuess(here) ? here : []) ?? provenOwner(message, header, here);
    if (memberId === undefined) strangeMs = nowMs();
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
    datagram: (message: Buffer): void => {
      const header = readRtp(message);
      if (!header) return;
      const memberId = ssrcs.ownerOf(header.ssrc) ?? stranger(message, header);
      withdrawReports();
      if (memberId !== undefined && subscribers.has(memberId)) take(message, header, memberId);
    },
    packet: ({ op, d }: VoicePacketIn): void => {
      const id = d?.['user_id'];
      if (op === SPEAKING_OP) speaks(id, d?.['ssrc']);
      else if (op === VIDEO_OP) speaks(id, d?.['audio_ssrc']);
      else if (op === CONNECT_OP) [d?.['user_ids']].flat().forEach(connected);
      if (op !== DISCONNECT_OP || !isId(id)) return;
      clients.delete(id);
      ssrcs.remove(id);
    },
    /** Drops streams: another voice server assigns other numbers. */
    renewed: (): void => {
      ssrcs.clear();
      streams.clear();
      clients.clear();
      isCrowded = false;
    },
    subscribe: (memberIds: readonly string[]): void => {
      const before = subscribers;
      subscribers = new Set(memberIds);
      for (const memberId of before.difference(subscribers)) {
        // Speech of members who were not subscribed was not lost.
        streams.delete(memberId);
        statistics.dismissed(memberId);
      }
    },
    left: (memberId: string): void => {
      clients.delete(memberId);
      ssrcs.remove(memberId);
      streams.delete(memberId);
    },
    stats: statistics.stats,
  };
};
