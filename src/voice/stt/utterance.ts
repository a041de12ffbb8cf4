import type { Utterance, UtterancePacket } from '../../ports/recogniser.ts';
import { PRE_SKIP_SAMPLES, createOggOpusWriter } from '../../audio/container/ogg-writer.ts';
import { bytesSource } from '../../audio/bytes.ts';
import { quietestFrame } from '../../audio/chunk/chunks.ts';
import { OPUS_CLOCK_HZ, toMs, VOICE_WEIGHT } from '../../audio/opus/packet.ts';
import type { VoicePacket } from '../../ports/voice.ts';
import type { SpeechSpan } from '../../audio/vad.ts';
import type { PacketDecoder } from '../../audio/opus/streams-decoder.ts';
import { toS16le, yieldTurn } from '../../audio/pcm.ts';

/** A packet at its place in the stream of its speaker. */
export interface BufferedPacket extends VoicePacket, UtterancePacket {}

const SAMPLES_PER_MS: number = OPUS_CLOCK_HZ / 1_000;
/** Longest jitter: a packet that is later than this was sent later. */
const JITTER_SAMPLES = 100 * SAMPLES_PER_MS;
/** The longest gap that the Ogg writer fills. */
const LONGEST_GAP_SAMPLES = 2 * OPUS_CLOCK_HZ;

/** Measures a gap by timestamps; where these stand still, by lost packets or times of arrival. */
const gapBetween = (
  before: BufferedPacket | undefined,
  after: Omit<BufferedPacket, 'gapSamples'>,
): number => {
  if (!before) return 0;
  const byTimestamp = after.timestampSamples - before.timestampSamples - before.samples;
  if (byTimestamp > 0) return Math.min(byTimestamp, LONGEST_GAP_SAMPLES);
  const lost = after.sequence - before.sequence - 1;
  if (lost > 0) return Math.min(lost * before.samples, LONGEST_GAP_SAMPLES);
  if (before.isVoice) return 0;
  const byArrival = (after.arrivedMs - before.arrivedMs) * SAMPLES_PER_MS - after.samples;
  return byArrival > JITTER_SAMPLES ? Math.min(Math.round(byArrival), LONGEST_GAP_SAMPLES) : 0;
};

const withGap = (
  packet: Omit<BufferedPacket, 'gapSamples'>,
  gapSamples: number,
): BufferedPacket => ({
  speakerId: packet.speakerId,
  data: packet.data,
  sequence: packet.sequence,
  timestampSamples: packet.timestampSamples,
  arrivedMs: packet.arrivedMs,
  samples: packet.samples,
  isVoice: packet.isVoice,
  gapSamples,
});

/** Puts the packets of one speaker into the order in which they were sent. */
export class ReorderBuffer {
  #packets: BufferedPacket[] = [];
  #spanSamples = 0;

  get packets(): readonly BufferedPacket[] {
    return this.#packets;
  }

  /** Length of all packets, the gaps between them included. */
  get spanSamples(): number {
    return this.#spanSamples;
  }

  /** Inserts a packet that is not buffered yet. Earlier results of `packets` never change. */
  insert(packet: Omit<BufferedPacket, 'gapSamples'>): void {
    const packets = this.#packets;
    let at = packets.length;
    while (at > 0 && packets[at - 1]!.sequence > packet.sequence) at -= 1;
    const placed = withGap(packet, gapBetween(packets[at - 1], packet));
    this.#spanSamples += placed.samples + placed.gapSamples;
    const after = packets[at];
    if (!after) {
      packets.push(placed);
      return;
    }
    const moved = withGap(after, gapBetween(placed, after));
    this.#spanSamples += moved.gapSamples - after.gapSamples;
    packets.splice(at, 1, placed, moved);
  }

  has(sequence: number): boolean {
    return this.#packets.findLast((packet) => packet.sequence <= sequence)?.sequence === sequence;
  }

  dropBefore(index: number): void {
    if (index <= 0) return;
    for (const packet of this.#packets.splice(0, index))
      this.#spanSamples -= packet.samples + packet.gapSamples;
    const first = this.#packets[0];
    if (!first) return;
    this.#spanSamples -= first.gapSamples;
    if (first.gapSamples > 0) this.#packets[0] = withGap(first, 0);
  }
}

/** Makes an utterance of packets, with its start, its end and its duration of voice. */
export const makeUtterance = (
  facts: Pick<Utterance, 'id' | 'speakerId' | 'isContinued'> & {
    readonly preRoll: readonly BufferedPacket[];
    readonly packets: readonly BufferedPacket[];
  },
): Utterance => {
  let startMs = 0;
  let endMs = 0;
  let voiceSamples = 0;
  let spanSamples = 0;
  // A gap before the first packet is no part of the utterance.
  let isFirst = true;
  for (const { samples, gapSamples, isVoice, arrivedMs } of facts.packets) {
    spanSamples += isFirst ? samples : samples + gapSamples;
    isFirst = false;
    if (!isVoice) continue;
    if (voiceSamples === 0) startMs = arrivedMs - toMs(samples);
    voiceSamples += samples;
    endMs = Math.max(endMs, startMs, arrivedMs);
  }
  return { ...facts, startMs, endMs, voiceMs: toMs(voiceSamples), spanMs: toMs(spanSamples) };
};

/** The stretches with voice, by their times in the sound of the packets. */
export const voiceIn = (packets: readonly UtterancePacket[]): readonly SpeechSpan[] => {
  const spans: { startMs: number; endMs: number }[] = [];
  let endMs = 0;
  for (const [index, { samples, gapSamples, isVoice }] of packets.entries()) {
    const startMs = index === 0 ? 0 : endMs + toMs(gapSamples);
    endMs = startMs + toMs(samples);
    const last = spans.at(-1);
    if (!isVoice) continue;
    if (last?.endMs === startMs) last.endMs = endMs;
    else spans.push({ startMs, endMs });
  }
  return spans;
};

/** Longest silence between two utterances that are joined: more of it tells a recogniser nothing. */
const LONGEST_SILENCE_MS = 300;

/** Makes one utterance of two that follow each other, with the id of the first. */
export const joinUtterances = (first: Utterance, next: Utterance): Utterance => {
  const silenceMs = Math.min(LONGEST_SILENCE_MS, Math.max(0, next.startMs - first.endMs));
  const [head, ...rest] = next.packets;
  const joint = head ? [{ ...head, gapSamples: silenceMs * SAMPLES_PER_MS }, ...rest] : [];
  return {
    ...first,
    packets: [...first.packets, ...joint],
    endMs: next.endMs,
    voiceMs: first.voiceMs + next.voiceMs,
    spanMs: first.spanMs + silenceMs + next.spanMs,
  };
};

const sumSamples = (packets: readonly UtterancePacket[]): number => {
  let sum = 0;
  for (const { samples } of packets) sum += samples;
  return sum;
};

/**
 * Wraps an utterance as a file (Ogg Opus, mono), gaps filled; the pre-roll is not played (RFC 7845,
 * 4.2). The duration is exact to one packet for each gap.
 */
export const utteranceFile = ({ preRoll, packets, spanMs }: Utterance) => {
  const preSkipSamples = preRoll.length > 0 ? sumSamples(preRoll) : PRE_SKIP_SAMPLES;
  const writer = createOggOpusWriter({ preSkipSamples });
  const pages: Uint8Array[] = [];
  const put = (bytes: Uint8Array): void => {
    if (bytes.length > 0) pages.push(bytes);
  };
  for (const { data } of preRoll) put(writer.push(data));
  for (const [index, { data, gapSamples }] of packets.entries()) {
    if (index > 0 && gapSamples > 0) put(writer.gap(gapSamples));
    put(writer.push(data));
  }
  put(writer.end());
  const skippedMs = preRoll.length > 0 ? 0 : toMs(PRE_SKIP_SAMPLES);
  return { audio: bytesSource(pages), durationMs: Math.max(0, spanMs - skippedMs) };
};

/** Length of the steps in which loudness is compared, whatever the lengths of the packets. */
const STEP_MS = 20;

const STEP_SAMPLES = STEP_MS * SAMPLES_PER_MS;

/** The index of the packet to cut before: the quietest moment of the later half. */
export const quietestCut = (packets: readonly BufferedPacket[]): number => {
  const loudness: number[] = [];
  const packetAt: number[] = [];
  let endSamples = 0;
  const fill = (samples: number, value: number, index: number): void => {
    endSamples += samples;
    while (loudness.length * STEP_SAMPLES < endSamples) {
      loudness.push(value);
      packetAt.push(index);
    }
  };
  for (const [index, { samples, gapSamples, isVoice, data }] of packets.entries()) {
    fill(gapSamples, 0, index);
    fill(samples, (isVoice ? VOICE_WEIGHT : 0) + (data.length * STEP_SAMPLES) / samples, index);
  }
  const step = quietestFrame(loudness, Math.floor(loudness.length / 2), STEP_MS);
  return packetAt[step] ?? packets.length;
};

/** Sample rate of the decoder that this needs, and of what it makes. */
export const PCM_RATE_HZ = 16_000;
const RATIO = OPUS_CLOCK_HZ / PCM_RATE_HZ;
/** Packets that are decoded before other work has a turn: 25 take 1 to 3 ms. */
const PACKETS_AT_ONCE = 25;
/** Newest audio that waits while somebody speaks, for a late packet may belong before it. */
const HELD_BACK_SAMPLES = 0.06 * OPUS_CLOCK_HZ;

const silence = (samples: number): Uint8Array => new Uint8Array(2 * Math.round(samples / RATIO));

/** The packets without the newest ones, before which a late one may belong. */
const withoutNewest = (packets: readonly UtterancePacket[]): readonly UtterancePacket[] => {
  let end = packets.length;
  for (let held = 0; end > 0 && held < HELD_BACK_SAMPLES; end -= 1)
    held += packets[end - 1]!.samples;
  return packets.slice(0, end);
};

export type UtterancePcm = ReturnType<typeof createUtterancePcm>;

/** Decodes a growing utterance: each packet once, gaps filled with silence, to s16le mono. */
export const createUtterancePcm = (decoder: PacketDecoder) => {
  const taken = new Set<number>();
  let newest = -Infinity;
  let isWarm = false;
  let isFree = false;

  const pcmOf = ({ data, samples, gapSamples }: UtterancePacket): Uint8Array[] => {
    const sound = decoder.decode(data);
    return [
      ...(gapSamples > 0 && taken.size > 0 ? [silence(gapSamples)] : []),
      sound ? toS16le(sound) : silence(samples),
    ];
  };

  return {
    /**
     * Yields the audio that was not yielded yet.
     *
     * @param isWhole true when no packet follows
     */
    async *next(utterance: Utterance, isWhole: boolean): AsyncGenerator<Uint8Array, void, void> {
      if (isFree) return;
      if (!isWarm) for (const { data } of utterance.preRoll) decoder.decode(data);
      isWarm = true;
      const { packets } = utterance;
      const fresh = (isWhole ? packets : withoutNewest(packets)).filter(
        ({ sequence }) => sequence > newest,
      );
      for (let from = 0; from < fresh.length; from += PACKETS_AT_ONCE) {
        if (from > 0) await yieldTurn();
        if (isFree) return;
        const parts: Uint8Array[] = [];
        for (const packet of fresh.slice(from, from + PACKETS_AT_ONCE)) {
          parts.push(...pcmOf(packet));
          taken.add(packet.sequence);
          newest = packet.sequence;
        }
        yield Buffer.concat(parts);
      }
    },
    /** Audio of packets that came too late to be yielded, in samples at 48 kHz. */
    missedSamples: ({ packets }: Utterance): number =>
      packets
        .filter(({ sequence }) => sequence < newest && !taken.has(sequence))
        .reduce((sum, { samples }) => sum + samples, 0),
    free: (): void => {
      if (!isFree) decoder.free();
      isFree = true;
    },
  };
};
