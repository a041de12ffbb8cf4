import { OPUS_CLOCK_HZ } from '../../audio/opus/packet.ts';
import { quietestFrame } from '../../audio/chunk/quietest-frame.ts';
import type { VoicePacket } from '../../ports/voice.ts';

/** A packet of somebody's voice at its place in what they say. */
export interface HeldPacket extends VoicePacket {
  readonly samples: number;
  readonly isVoice: boolean;
  /** What is missing before it, since the one before: lost packets, or a pause. */
  readonly gapSamples: number;
}

const SAMPLES_PER_MS = OPUS_CLOCK_HZ / 1_000;
/** Later than this, a packet was not on its way but sent later. */
const JITTER_SAMPLES = 100 * SAMPLES_PER_MS;
/** The Ogg writer fills no longer one. */
const LONGEST_GAP_SAMPLES = 2 * OPUS_CLOCK_HZ;

export const toMs = (samples: number): number => samples / SAMPLES_PER_MS;

export const sumSamples = (packets: readonly HeldPacket[]): number => {
  let sum = 0;
  for (const { samples } of packets) sum += samples;
  return sum;
};

/**
 * What is missing between two packets. Timestamps tell; where they stand still, sequence numbers tell
 * what was lost, and the times of arrival how long somebody was silent.
 */
const gapBetween = (
  before: HeldPacket | undefined,
  after: Omit<HeldPacket, 'gapSamples'>,
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

const withGap = (packet: Omit<HeldPacket, 'gapSamples'>, gapSamples: number): HeldPacket => ({
  speakerId: packet.speakerId,
  data: packet.data,
  sequence: packet.sequence,
  timestampSamples: packet.timestampSamples,
  arrivedMs: packet.arrivedMs,
  samples: packet.samples,
  isVoice: packet.isVoice,
  gapSamples,
});

/** Packets of one speaker in the order in which they were sent, whatever the order they come in. */
export class ReorderBuffer {
  #packets: HeldPacket[] = [];
  #spanSamples = 0;

  get packets(): readonly HeldPacket[] {
    return this.#packets;
  }

  /** Of all of them, the gaps between included. */
  get spanSamples(): number {
    return this.#spanSamples;
  }

  /** It must not be there already. Packets that were given out are never changed. */
  insert(packet: Omit<HeldPacket, 'gapSamples'>): void {
    const packets = this.#packets;
    let at = packets.length;
    while (at > 0 && packets[at - 1]!.sequence > packet.sequence) at -= 1;
    const held = withGap(packet, gapBetween(packets[at - 1], packet));
    this.#spanSamples += held.samples + held.gapSamples;
    const after = packets[at];
    if (!after) {
      packets.push(held);
      return;
    }
    const moved = withGap(after, gapBetween(held, after));
    this.#spanSamples += moved.gapSamples - after.gapSamples;
    packets.splice(at, 1, held, moved);
  }

  has(sequence: number): boolean {
    return this.#packets.findLast((packet) => packet.sequence <= sequence)?.sequence === sequence;
  }

  /** Lets go of all before the one at `index`. */
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

/** Loudness is looked at in steps of this, whatever the packets' lengths. */
const STEP_MS = 20;
const STEP_SAMPLES = STEP_MS * SAMPLES_PER_MS;
/** More than any packet's bytes in a step, so that the voice bit counts before the size. */
const VOICE = 1_500;

/** The packet before which a pause of the speech, or the quietest moment, is, in the later half. */
export const quietestCut = (packets: readonly HeldPacket[]): number => {
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
    fill(samples, (isVoice ? VOICE : 0) + (data.length * STEP_SAMPLES) / samples, index);
  }
  const step = quietestFrame(loudness, Math.floor(loudness.length / 2), STEP_MS);
  return packetAt[step] ?? packets.length;
};
