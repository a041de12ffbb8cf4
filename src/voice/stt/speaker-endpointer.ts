import type { OpusToc } from '../../audio/opus/packet.ts';
import type { VoicePacket } from '../../ports/voice.ts';
import { type HeldPacket, ReorderBuffer, quietestCut, toMs } from './reorder-buffer.ts';
import { makeUtterance, type Utterance } from './utterance.ts';

export interface UtteranceLengths {
  /** An utterance ends after so long without voice. */
  readonly hangoverMs: number;
  /** What is longer is cut. */
  readonly longestMs: number;
  /** What has less voice than this is dropped. */
  readonly shortestMs: number;
  /** How often a growing utterance is told, by its length; 0: never. */
  readonly growEveryMs: number;
}

/** What becomes of somebody's utterance. `grew` and `ended` have all of it anew. */
export type EndpointerEvent =
  | { readonly kind: 'began' | 'grew' | 'ended'; readonly utterance: Utterance }
  /** Too little voice for speech. It may have begun, where it was cut afterwards. */
  | { readonly kind: 'dropped'; readonly utterance: Utterance };

/** Packets kept before the speech: a decoder is within 23 dB of the sound after as many. */
const PRE_ROLL_PACKETS = 5;
/** Kept after the last voice: the bit misses one in seven packets of speech, ends of words first. */
const TAIL_MS = 200;
/** What was before a longer pause than this is no part of what follows. */
const STALE_MS = 200;

type HeardPacket = Omit<HeldPacket, 'gapSamples'>;

interface Open {
  readonly id: number;
  readonly isContinued: boolean;
  /** Of the packets of other utterances that are held before it. */
  readonly preRollSpanMs: number;
  voiceMs: number;
  lastVoice: HeardPacket;
  /** When voice came last; not always with the packet that is last in order. */
  voiceArrivedMs: number;
  hasBegun: boolean;
  toldMs: number;
}

/** The packets of one speaker, and what they say at this moment. */
export class SpeakerEndpointer {
  readonly #lengths: UtteranceLengths;
  readonly #speakerId: string;
  readonly #nextId: () => number;
  readonly #line = new ReorderBuffer();
  /** Sequence numbers up to this one are in an utterance that is finished. */
  #usedThrough = -Infinity;
  #open: Open | undefined;

  constructor(speakerId: string, lengths: UtteranceLengths, nextId: () => number) {
    this.#speakerId = speakerId;
    this.#lengths = lengths;
    this.#nextId = nextId;
  }

  get heldPackets(): number {
    return this.#line.packets.length;
  }

  /** When an open utterance ends, should no voice come. */
  get endsAtMs(): number | undefined {
    return this.#open && this.#open.voiceArrivedMs + this.#lengths.hangoverMs;
  }

  /** Why a packet with this sequence number is of no use. */
  refuses(sequence: number): 'late' | 'duplicate' | undefined {
    if (sequence <= this.#usedThrough) return 'late';
    return this.#line.has(sequence) ? 'duplicate' : undefined;
  }

  /** Takes one that is not refused. */
  add(
    packet: VoicePacket,
    { samples }: OpusToc,
    isVoice: boolean,
    events: EndpointerEvent[],
  ): void {
    const { speakerId, data, sequence, timestampSamples, arrivedMs } = packet;
    const heard = { speakerId, data, sequence, timestampSamples, arrivedMs, samples, isVoice };
    if (this.#open && this.#isOver(this.#open, heard)) this.#close(this.#open, events);
    if (!this.#open) this.#forgetStale(heard);
    this.#line.insert(heard);
    if (isVoice) this.#addVoice(heard);
    if (!this.#open) this.#keepPreRoll(this.#line.packets.length);
    else this.#tell(this.#open, events);
  }

  /** Ends what has had no voice for long enough. */
  tick(nowMs: number, events: EndpointerEvent[]): void {
    if (this.#open && nowMs >= this.#open.voiceArrivedMs + this.#lengths.hangoverMs)
      this.#close(this.#open, events);
  }

  /** Ends what is being said. */
  end(events: EndpointerEvent[]): void {
    if (this.#open) this.#close(this.#open, events);
  }

  /** By its timestamp: it may arrive late. */
  #isOver({ lastVoice }: Open, packet: HeardPacket): boolean {
    const { hangoverMs } = this.#lengths;
    if (packet.sequence < this.#line.packets.at(-1)!.sequence) return false;
    const silentUntil = packet.timestampSamples + (packet.isVoice ? 0 : packet.samples);
    return toMs(silentUntil - lastVoice.timestampSamples - lastVoice.samples) >= hangoverMs;
  }

  #forgetStale(packet: HeardPacket): void {
    const newest = this.#line.packets.at(-1);
    if (!newest || newest.sequence > packet.sequence) return;
    const pause = packet.timestampSamples - newest.timestampSamples - newest.samples;
    const arrivedAfterMs = packet.arrivedMs - newest.arrivedMs - toMs(packet.samples);
    if (toMs(pause) > STALE_MS || arrivedAfterMs > STALE_MS)
      this.#line.dropBefore(this.#line.packets.length);
  }

  #keepPreRoll(before: number): void {
    this.#line.dropBefore(before - PRE_ROLL_PACKETS);
  }

  /** The place of the first packet that is in no other utterance. */
  #firstOwn(): number {
    const at = this.#line.packets.findIndex(({ sequence }) => sequence > this.#usedThrough);
    return at < 0 ? this.#line.packets.length : at;
  }

  #begin(voice: HeardPacket, isContinued: boolean): Open {
    let preRollSpan = 0;
    for (const { samples, gapSamples } of this.#line.packets.slice(0, this.#firstOwn()))
      preRollSpan += samples + gapSamples;
    const open: Open = {
      id: this.#nextId(),
      isContinued,
      preRollSpanMs: toMs(preRollSpan),
      voiceMs: 0,
      lastVoice: voice,
      voiceArrivedMs: voice.arrivedMs,
      hasBegun: false,
      toldMs: 0,
    };
    this.#open = open;
    return open;
  }

  #addVoice(voice: HeardPacket, isContinued = false): void {
    const open = this.#open ?? this.#begin(voice, isContinued);
    open.voiceMs += toMs(voice.samples);
    if (voice.sequence > open.lastVoice.sequence) open.lastVoice = voice;
    open.voiceArrivedMs = Math.max(open.voiceArrivedMs, voice.arrivedMs);
  }

  #tell(open: Open, events: EndpointerEvent[]): void {
    const { shortestMs, longestMs, growEveryMs } = this.#lengths;
    const spanMs = toMs(this.#line.spanSamples) - open.preRollSpanMs;
    if (!open.hasBegun && open.voiceMs >= shortestMs) {
      open.hasBegun = true;
      open.toldMs = spanMs;
      events.push({ kind: 'began', utterance: this.#utterance(open) });
    }
    if (spanMs > longestMs) {
      this.#cut(open, events);
    } else if (open.hasBegun && growEveryMs > 0 && spanMs - open.toldMs >= growEveryMs) {
      open.toldMs = spanMs;
      events.push({ kind: 'grew', utterance: this.#utterance(open) });
    }
  }

  #utterance({ id, isContinued }: Open, end = this.#line.packets.length): Utterance {
    const first = this.#firstOwn();
    return makeUtterance({
      id,
      speakerId: this.#speakerId,
      isContinued,
      preRoll: this.#line.packets.slice(0, first),
      packets: this.#line.packets.slice(first, end),
    });
  }

  #finish(open: Open, end: number, events: EndpointerEvent[]): void {
    const utterance = this.#utterance(open, end);
    const kind = utterance.voiceMs >= this.#lengths.shortestMs ? 'ended' : 'dropped';
    events.push({ kind, utterance });
    this.#usedThrough = this.#line.packets[end - 1]!.sequence;
    this.#open = undefined;
  }

  #close(open: Open, events: EndpointerEvent[]): void {
    const { packets } = this.#line;
    const { sequence: lastVoice } = open.lastVoice;
    let end = packets.findLastIndex(({ sequence }) => sequence === lastVoice) + 1;
    let tailMs = 0;
    for (; end < packets.length; end += 1) {
      const { samples, gapSamples } = packets[end]!;
      tailMs += toMs(samples + gapSamples);
      if (tailMs > TAIL_MS) break;
    }
    this.#finish(open, end, events);
    this.#keepPreRoll(packets.length);
  }

  /** What comes after the cut goes on as an utterance of its own, if there is voice in it. */
  #cut(open: Open, events: EndpointerEvent[]): void {
    const first = this.#firstOwn();
    const end = first + Math.max(1, quietestCut(this.#line.packets.slice(first)));
    this.#finish(open, end, events);
    this.#keepPreRoll(end);
    const rest = this.#line.packets.slice(this.#firstOwn());
    for (const packet of rest) if (packet.isVoice) this.#addVoice(packet, true);
    if (this.#open) this.#tell(this.#open, events);
    else this.#keepPreRoll(this.#line.packets.length);
  }
}
