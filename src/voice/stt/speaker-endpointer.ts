import { type OpusToc, toMs, WARM_UP_PACKETS } from '../../audio/opus/packet.ts';
import type { VoicePacket } from '../../ports/voice.ts';
import type { Utterance } from '../../ports/recogniser.ts';
import { type BufferedPacket, ReorderBuffer, makeUtterance, quietestCut } from './utterance.ts';

export interface UtteranceLengths {
  /** Silence after which an utterance ends. */
  readonly hangoverMs: number;
  /** Longest utterance; a longer one is cut. */
  readonly longestMs: number;
  /** Least voice in an utterance; one with less is dropped. */
  readonly leastVoiceMs: number;
  /** Growth of an utterance between two `grew` events; 0: there are no such events. */
  readonly growEveryMs: number;
}

/** A step in the life of an utterance; each event holds all of its packets. */
export type EndpointerEvent =
  | { readonly kind: 'began' | 'grew' | 'ended'; readonly utterance: Utterance }
  /** The utterance has too little voice for speech; it may have begun and been cut afterwards. */
  | { readonly kind: 'dropped'; readonly utterance: Utterance };

/** Audio kept after the last voice: the voice bit misses some ends of words. */
const TAIL_MS = 200;
/** Earlier audio is sent with the speech after it if no more than this lies between them. */
const STALE_MS = 200;

type ReceivedPacket = Omit<BufferedPacket, 'gapSamples'>;

interface Open {
  readonly id: number;
  readonly isContinued: boolean;
  /** Length of the packets of other utterances that are buffered before it. */
  readonly preRollSpanMs: number;
  voiceMs: number;
  lastVoice: ReceivedPacket;
  /** Arrival of the latest voice, which need not be the packet that is last in order. */
  voiceArrivedMs: number;
  hasBegun: boolean;
  grownMs: number;
}

/** Cuts the packets of one speaker into utterances. */
export class SpeakerEndpointer {
  readonly #lengths: UtteranceLengths;
  readonly #speakerId: string;
  readonly #nextId: () => number;
  readonly #buffer = new ReorderBuffer();
  #usedThrough = -Infinity;
  #open: Open | undefined;

  constructor(speakerId: string, lengths: UtteranceLengths, nextId: () => number) {
    this.#speakerId = speakerId;
    this.#lengths = lengths;
    this.#nextId = nextId;
  }

  get bufferedPackets(): number {
    return this.#buffer.packets.length;
  }

  /** The time at which the open utterance ends unless there is more voice. */
  get endsAtMs(): number | undefined {
    return this.#open && this.#open.voiceArrivedMs + this.#lengths.hangoverMs;
  }

  /** The reason why a packet with this sequence number cannot be used. */
  refuses(sequence: number): 'late' | 'duplicate' | undefined {
    if (sequence <= this.#usedThrough) return 'late';
    return this.#buffer.has(sequence) ? 'duplicate' : undefined;
  }

  add(
    packet: VoicePacket,
    { samples }: OpusToc,
    isVoice: boolean,
    events: EndpointerEvent[],
  ): void {
    const { speakerId, data, sequence, timestampSamples, arrivedMs } = packet;
    const received = { speakerId, data, sequence, timestampSamples, arrivedMs, samples, isVoice };
    if (this.#open && this.#isOver(this.#open, received)) this.#close(this.#open, events);
    if (!this.#open) this.#forgetStale(received);
    this.#buffer.insert(received);
    if (isVoice) this.#addVoice(received);
    if (!this.#open) this.#keepPreRoll(this.#buffer.packets.length);
    else this.#report(this.#open, events);
  }

  tick(nowMs: number, events: EndpointerEvent[]): void {
    if (this.#open && nowMs >= this.#open.voiceArrivedMs + this.#lengths.hangoverMs)
      this.#close(this.#open, events);
  }

  end(events: EndpointerEvent[]): void {
    if (this.#open) this.#close(this.#open, events);
  }

  /**
   * Ends the open utterance after the packet with this sequence number, whatever voice it has;
   * later packets continue as another utterance. Does nothing when `id` is not the open utterance,
   * or has no such packet.
   */
  endThrough(id: number, sequence: number, events: EndpointerEvent[]): void {
    const at = this.#buffer.packets.findIndex((packet) => packet.sequence === sequence);
    if (this.#open?.id === id && at >= this.#firstOwn()) this.#split(this.#open, at + 1, events);
  }

  /** True when a timestamp shows that the utterance has ended; the packet may be late. */
  #isOver({ lastVoice }: Open, packet: ReceivedPacket): boolean {
    const { hangoverMs } = this.#lengths;
    if (packet.sequence < this.#buffer.packets.at(-1)!.sequence) return false;
    const silentUntil = packet.timestampSamples + (packet.isVoice ? 0 : packet.samples);
    return toMs(silentUntil - lastVoice.timestampSamples - lastVoice.samples) >= hangoverMs;
  }

  #forgetStale(packet: ReceivedPacket): void {
    const newest = this.#buffer.packets.at(-1);
    if (!newest || newest.sequence > packet.sequence) return;
    const pause = packet.timestampSamples - newest.timestampSamples - newest.samples;
    const arrivedAfterMs = packet.arrivedMs - newest.arrivedMs - toMs(packet.samples);
    if (toMs(pause) > STALE_MS || arrivedAfterMs > STALE_MS)
      this.#buffer.dropBefore(this.#buffer.packets.length);
  }

  #keepPreRoll(before: number): void {
    this.#buffer.dropBefore(before - WARM_UP_PACKETS);
  }

  /** The index of the first packet that is in no other utterance. */
  #firstOwn(): number {
    const at = this.#buffer.packets.findIndex(({ sequence }) => sequence > this.#usedThrough);
    return at < 0 ? this.#buffer.packets.length : at;
  }

  #begin(voice: ReceivedPacket, isContinued: boolean): Open {
    let preRollSpan = 0;
    for (const { samples, gapSamples } of this.#buffer.packets.slice(0, this.#firstOwn()))
      preRollSpan += samples + gapSamples;
    const open: Open = {
      id: this.#nextId(),
      isContinued,
      preRollSpanMs: toMs(preRollSpan),
      voiceMs: 0,
      lastVoice: voice,
      voiceArrivedMs: voice.arrivedMs,
      hasBegun: false,
      grownMs: 0,
    };
    this.#open = open;
    return open;
  }

  #addVoice(voice: ReceivedPacket, isContinued = false): void {
    const open = this.#open ?? this.#begin(voice, isContinued);
    open.voiceMs += toMs(voice.samples);
    if (voice.sequence > open.lastVoice.sequence) open.lastVoice = voice;
    open.voiceArrivedMs = Math.max(open.voiceArrivedMs, voice.arrivedMs);
  }

  #report(open: Open, events: EndpointerEvent[]): void {
    const { leastVoiceMs, longestMs, growEveryMs } = this.#lengths;
    const spanMs = toMs(this.#buffer.spanSamples) - open.preRollSpanMs;
    if (!open.hasBegun && open.voiceMs >= leastVoiceMs) {
      open.hasBegun = true;
      open.grownMs = spanMs;
      events.push({ kind: 'began', utterance: this.#utterance(open) });
    }
    if (spanMs > longestMs) {
      this.#cut(open, events);
    } else if (open.hasBegun && growEveryMs > 0 && spanMs - open.grownMs >= growEveryMs) {
      open.grownMs = spanMs;
      events.push({ kind: 'grew', utterance: this.#utterance(open) });
    }
  }

  #utterance({ id, isContinued }: Open, end = this.#buffer.packets.length): Utterance {
    const first = this.#firstOwn();
    return makeUtterance({
      id,
      speakerId: this.#speakerId,
      isContinued,
      preRoll: this.#buffer.packets.slice(0, first),
      packets: this.#buffer.packets.slice(first, end),
    });
  }

  #finish(open: Open, end: number, leastVoiceMs: number, events: EndpointerEvent[]): void {
    const utterance = this.#utterance(open, end);
    const kind = utterance.voiceMs >= leastVoiceMs ? 'ended' : 'dropped';
    events.push({ kind, utterance });
    this.#usedThrough = this.#buffer.packets[end - 1]!.sequence;
    this.#open = undefined;
  }

  #close(open: Open, events: EndpointerEvent[]): void {
    const { packets } = this.#buffer;
    const { sequence: lastVoice } = open.lastVoice;
    let end = packets.findLastIndex(({ sequence }) => sequence === lastVoice) + 1;
    let tailMs = 0;
    for (; end < packets.length; end += 1) {
      const { samples, gapSamples } = packets[end]!;
      tailMs += toMs(samples + gapSamples);
      if (tailMs > TAIL_MS) break;
    }
    this.#finish(open, end, this.#lengths.leastVoiceMs, events);
    this.#keepPreRoll(packets.length);
  }

  /** Cuts an utterance that is too long at its quietest moment. */
  #cut(open: Open, events: EndpointerEvent[]): void {
    const first = this.#firstOwn();
    const end = first + Math.max(1, quietestCut(this.#buffer.packets.slice(first)));
    this.#split(open, end, events, this.#lengths.leastVoiceMs);
  }

  /** Splits an utterance: packets after the split continue as another one if they contain voice. */
  #split(open: Open, end: number, events: EndpointerEvent[], leastVoiceMs = 0): void {
    this.#finish(open, end, leastVoiceMs, events);
    this.#keepPreRoll(end);
    const rest = this.#buffer.packets.slice(this.#firstOwn());
    for (const packet of rest) if (packet.isVoice) this.#addVoice(packet, true);
    if (this.#open) this.#report(this.#open, events);
    else this.#keepPreRoll(this.#buffer.packets.length);
  }
}
