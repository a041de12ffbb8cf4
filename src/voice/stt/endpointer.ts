import { type OpusToc, parseToc } from '../../audio/opus/packet.ts';
import type { VoicePacket } from '../../ports/voice.ts';
import {
  type EndpointerEvent,
  type UtteranceLengths,
  SpeakerEndpointer,
} from './speaker-endpointer.ts';
import { createSpeakerVad, type SpeakerVad } from './vad/speaker-vad.ts';

export type { EndpointerEvent } from './speaker-endpointer.ts';

export interface EndpointerOptions extends Partial<UtteranceLengths> {
  /** More than so many are not heard at the same time; who was silent longest is forgotten. */
  readonly mostSpeakers?: number;
  readonly voicing?: SpeakerVad;
  /** Numbers of utterances; from 1 where they need not differ from those of other cutters. */
  readonly nextId?: () => number;
}

/** Packets that were of no use, by why; and those that were. */
export interface PacketCounts {
  readonly taken: number;
  /** They cannot be Opus. */
  readonly impossible: number;
  readonly duplicate: number;
  /** Of an utterance that was finished. */
  readonly late: number;
}

/** Cuts what several speakers say into utterances, without decoding it. */
export interface Endpointer extends Disposable {
  take(packet: VoicePacket): readonly EndpointerEvent[];
  /** Time passes. By it alone those end who send nothing more; packets tell of pauses themselves. */
  tick(nowMs: number): readonly EndpointerEvent[];
  /** When `tick` should be called next, or a little before; undefined while nothing waits for it. */
  readonly nextTickMs: number | undefined;
  /** Ends everything that is being said. */
  endAll(): readonly EndpointerEvent[];
  /** Lets go of all that is known of somebody. */
  forget(speakerId: string): void;
  readonly counts: PacketCounts;
  readonly heldPackets: number;
}

const LENGTHS: UtteranceLengths = {
  hangoverMs: 600,
  longestMs: 15_000,
  shortestMs: 200,
  growEveryMs: 0,
};
const MOST_SPEAKERS = 100;

/** RFC 3550 appendix A.1: a packet that is further behind is no late one. */
const MOST_MISORDERED = 100;
/** Nor is one that comes so long after the last. */
const LATEST_MS = 1_000;
/** The same appendix: before one that is further ahead not all others were lost. */
const MOST_DROPPED = 3_000;
/** Two packets this near to each other are a sender who began anew, one alone is not. */
const NEXT_OF_RESTART = 5;

interface ReadPacket {
  readonly packet: VoicePacket;
  readonly toc: OpusToc;
}

interface Speaker {
  packets: SpeakerEndpointer;
  newestSequence: number;
  arrivedMs: number;
  /** It may be the first of a sender who began anew. */
  stray: ReadPacket | undefined;
}

export const createEndpointer = (options: EndpointerOptions = {}): Endpointer => {
  const lengths: UtteranceLengths = {
    hangoverMs: options.hangoverMs ?? LENGTHS.hangoverMs,
    longestMs: options.longestMs ?? LENGTHS.longestMs,
    shortestMs: options.shortestMs ?? LENGTHS.shortestMs,
    growEveryMs: options.growEveryMs ?? LENGTHS.growEveryMs,
  };
  const { mostSpeakers = MOST_SPEAKERS, voicing = createSpeakerVad() } = options;
  const speakers = new Map<string, Speaker>();
  const counts = { taken: 0, impossible: 0, duplicate: 0, late: 0 };
  let lastId = 0;
  /** No later than the next thing that `tick` has to do. */
  let wakeMs = Infinity;
  const nextId = options.nextId ?? (() => (lastId += 1));

  const forget = (speakerId: string): void => {
    speakers.delete(speakerId);
    voicing.forget(speakerId);
  };

  const makeRoom = (events: EndpointerEvent[]): void => {
    if (speakers.size < mostSpeakers) return;
    let silent: [string, Speaker] | undefined;
    for (const entry of speakers)
      if (!silent || entry[1].arrivedMs < silent[1].arrivedMs) silent = entry;
    if (!silent) return;
    silent[1].packets.end(events);
    forget(silent[0]);
  };

  const speakerOf = (packet: VoicePacket, events: EndpointerEvent[]): Speaker => {
    const known = speakers.get(packet.speakerId);
    if (known) return known;
    makeRoom(events);
    const speaker: Speaker = {
      packets: new SpeakerEndpointer(packet.speakerId, lengths, nextId),
      newestSequence: packet.sequence,
      arrivedMs: packet.arrivedMs,
      stray: undefined,
    };
    speakers.set(packet.speakerId, speaker);
    return speaker;
  };

  const add = (speaker: Speaker, { packet, toc }: ReadPacket, events: EndpointerEvent[]): void => {
    const refusal = speaker.packets.refuses(packet.sequence);
    if (refusal) {
      counts[refusal] += 1;
      return;
    }
    counts.taken += 1;
    speaker.newestSequence = Math.max(speaker.newestSequence, packet.sequence);
    speaker.arrivedMs = packet.arrivedMs;
    speaker.packets.add(packet, toc, voicing.isVoice(packet, toc), events);
    wakeMs = Math.min(wakeMs, speaker.packets.endsAtMs ?? Infinity);
  };

  const isStray = ({ newestSequence, arrivedMs }: Speaker, packet: VoicePacket): boolean =>
    packet.sequence < newestSequence - MOST_MISORDERED ||
    packet.sequence > newestSequence + MOST_DROPPED ||
    (packet.sequence <= newestSequence && packet.arrivedMs - arrivedMs > LATEST_MS);

  const takeStray = (speaker: Speaker, read: ReadPacket, events: EndpointerEvent[]): void => {
    const { packet } = read;
    const { stray } = speaker;
    const ahead = stray ? packet.sequence - stray.packet.sequence : 0;
    if (!stray || ahead <= 0 || ahead > NEXT_OF_RESTART) {
      if (stray) counts.late += 1;
      speaker.stray = read;
      return;
    }
    speaker.packets.end(events);
    speaker.packets = new SpeakerEndpointer(packet.speakerId, lengths, nextId);
    speaker.newestSequence = stray.packet.sequence;
    speaker.stray = undefined;
    add(speaker, stray, events);
    add(speaker, read, events);
  };

  return {
    take: (packet) => {
      const events: EndpointerEvent[] = [];
      const toc = parseToc(packet.data);
      if (!toc) {
        counts.impossible += 1;
        return events;
      }
      const speaker = speakerOf(packet, events);
      if (isStray(speaker, packet)) {
        takeStray(speaker, { packet, toc }, events);
        return events;
      }
      if (speaker.stray) {
        counts.late += 1;
        speaker.stray = undefined;
      }
      add(speaker, { packet, toc }, events);
      return events;
    },
    tick: (nowMs) => {
      const events: EndpointerEvent[] = [];
      wakeMs = Infinity;
      for (const { packets } of speakers.values()) {
        packets.tick(nowMs, events);
        wakeMs = Math.min(wakeMs, packets.endsAtMs ?? Infinity);
      }
      voicing.tick(nowMs);
      return events;
    },
    get nextTickMs() {
      const next = Math.min(wakeMs, voicing.nextTickMs ?? Infinity);
      return next === Infinity ? undefined : next;
    },
    endAll: () => {
      const events: EndpointerEvent[] = [];
      for (const { packets } of speakers.values()) packets.end(events);
      return events;
    },
    forget,
    get counts() {
      return { ...counts };
    },
    get heldPackets() {
      let held = 0;
      for (const { packets } of speakers.values()) held += packets.heldPackets;
      return held;
    },
    [Symbol.dispose]: () => {
      for (const speakerId of speakers.keys()) forget(speakerId);
    },
  };
};
