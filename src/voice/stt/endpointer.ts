import { parsePacket } from '../../audio/opus/layout.ts';
import type { OpusToc } from '../../audio/opus/packet.ts';
import { USUAL_PAUSE_MS } from '../../model/room.ts';
import type { Utterance } from '../../ports/recogniser.ts';
import type { VoicePacket } from '../../ports/voice.ts';
import {
  type EndpointerEvent,
  type UtteranceLengths,
  SpeakerEndpointer,
} from './speaker-endpointer.ts';
import { createSpeakerVad, type SpeakerVad } from './speaker-vad.ts';

export interface EndpointerOptions extends Partial<UtteranceLengths> {
  /** Most speakers at the same time; beyond it the one who was silent longest is forgotten. */
  readonly mostSpeakers?: number;
  readonly vad?: SpeakerVad;
  /** The id of the next utterance. Default: counts from 1, for one endpointer alone. */
  readonly nextId?: () => number;
}

const LENGTHS: UtteranceLengths = {
  hangoverMs: USUAL_PAUSE_MS,
  longestMs: 15_000,
  leastVoiceMs: 140,
  growEveryMs: 0,
};
const MOST_SPEAKERS = 100;

/** Distance behind the stream beyond which a packet is not merely late (RFC 3550 appendix A.1). */
const MOST_MISORDERED = 100;
/** Time since the last packet beyond which an earlier packet is not merely late either. */
const LATEST_MS = 1_000;
/** Distance ahead of the stream beyond which a packet does not follow a loss (same appendix). */
const MOST_DROPPED = 3_000;
/** Distance within which two stray packets prove that the sender has restarted. */
const NEXT_OF_RESTART = 5;

interface ReadPacket {
  readonly packet: VoicePacket;
  readonly toc: OpusToc;
}

interface Speaker {
  endpointer: SpeakerEndpointer;
  newestSequence: number;
  arrivedMs: number;
  /** A packet that may be the first of a sender who restarted. */
  stray: ReadPacket | undefined;
}

export type Endpointer = ReturnType<typeof createEndpointer>;

/** Cuts the speech of several people into utterances, without decoding it. */
export const createEndpointer = (options: EndpointerOptions = {}) => {
  const lengths: UtteranceLengths = { ...LENGTHS, ...options };
  const { mostSpeakers = MOST_SPEAKERS, vad = createSpeakerVad() } = options;
  const speakers = new Map<string, Speaker>();
  /** Packets that were used, and that were not: no Opus, received before, or of a finished utterance. */
  const counts = { taken: 0, invalid: 0, duplicate: 0, late: 0 };
  let lastId = 0;
  /** Latest time of the next `tick`. */
  let wakeMs = Infinity;
  const nextId = options.nextId ?? (() => (lastId += 1));

  const forget = (speakerId: string): void => {
    speakers.delete(speakerId);
    vad.forget(speakerId);
  };

  const makeRoom = (events: EndpointerEvent[]): void => {
    if (speakers.size < mostSpeakers) return;
    let silent: [string, Speaker] | undefined;
    for (const entry of speakers)
      if (!silent || entry[1].arrivedMs < silent[1].arrivedMs) silent = entry;
    if (!silent) return;
    silent[1].endpointer.end(events);
    forget(silent[0]);
  };

  const speakerOf = (packet: VoicePacket, events: EndpointerEvent[]): Speaker => {
    const known = speakers.get(packet.speakerId);
    if (known) return known;
    makeRoom(events);
    const speaker: Speaker = {
      endpointer: new SpeakerEndpointer(packet.speakerId, lengths, nextId),
      newestSequence: packet.sequence,
      arrivedMs: packet.arrivedMs,
      stray: undefined,
    };
    speakers.set(packet.speakerId, speaker);
    return speaker;
  };

  const add = (speaker: Speaker, { packet, toc }: ReadPacket, events: EndpointerEvent[]): void => {
    const refusal = speaker.endpointer.refuses(packet.sequence);
    if (refusal) {
      counts[refusal] += 1;
      return;
    }
    counts.taken += 1;
    speaker.newestSequence = Math.max(speaker.newestSequence, packet.sequence);
    speaker.arrivedMs = packet.arrivedMs;
    speaker.endpointer.add(packet, toc, vad.isVoice(packet, toc), events);
    wakeMs = Math.min(wakeMs, speaker.endpointer.endsAtMs ?? Infinity);
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
    speaker.endpointer.end(events);
    speaker.endpointer = new SpeakerEndpointer(packet.speakerId, lengths, nextId);
    speaker.newestSequence = stray.packet.sequence;
    speaker.stray = undefined;
    add(speaker, stray, events);
    add(speaker, read, events);
  };

  return {
    take: (packet: VoicePacket): readonly EndpointerEvent[] => {
      const events: EndpointerEvent[] = [];
      const toc = parsePacket(packet.data);
      if (!toc) {
        counts.invalid += 1;
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
    /** Ends the utterances of speakers who send nothing more; other pauses show in the packets. */
    tick: (nowMs: number): readonly EndpointerEvent[] => {
      const events: EndpointerEvent[] = [];
      wakeMs = Infinity;
      for (const { endpointer } of speakers.values()) {
        endpointer.tick(nowMs, events);
        wakeMs = Math.min(wakeMs, endpointer.endsAtMs ?? Infinity);
      }
      vad.tick(nowMs);
      return events;
    },
    /** The time of the next `tick`, or a little before it; undefined while nothing waits for one. */
    get nextTickMs(): number | undefined {
      const next = Math.min(wakeMs, vad.nextTickMs ?? Infinity);
      return next === Infinity ? undefined : next;
    },
    endAll: (): readonly EndpointerEvent[] => {
      const events: EndpointerEvent[] = [];
      for (const { endpointer } of speakers.values()) endpointer.end(events);
      return events;
    },
    /**
     * Ends an open utterance after the packet with this sequence number, for a recogniser that found
     * the end itself. Returns no event when the utterance is not open or has no such packet.
     */
    endThrough: (
      { id, speakerId }: Pick<Utterance, 'id' | 'speakerId'>,
      sequence: number,
    ): readonly EndpointerEvent[] => {
      const events: EndpointerEvent[] = [];
      speakers.get(speakerId)?.endpointer.endThrough(id, sequence, events);
      return events;
    },
    forget,
    get counts(): Readonly<typeof counts> {
      return { ...counts };
    },
    get bufferedPackets(): number {
      let count = 0;
      for (const { endpointer } of speakers.values()) count += endpointer.bufferedPackets;
      return count;
    },
    [Symbol.dispose]: () => {
      for (const speakerId of speakers.keys()) forget(speakerId);
    },
  };
};
