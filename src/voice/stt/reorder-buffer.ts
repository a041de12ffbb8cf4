import { OPUS_CLOCK_HZ } from '../../audio/opus/packet.ts';
import type { UtterancePacket } from '../../ports/recogniser.ts';
import type { VoicePacket } from '../../ports/voice.ts';

/** A packet at its place in the stream of its speaker. */
export interface BufferedPacket extends VoicePacket, UtterancePacket {
  readonly isVoice: boolean;
}

export const SAMPLES_PER_MS: number = OPUS_CLOCK_HZ / 1_000;
/** A packet that is later than this was not on its way but sent later. */
const JITTER_SAMPLES = 100 * SAMPLES_PER_MS;
/** The longest gap that the Ogg writer fills. */
const LONGEST_GAP_SAMPLES = 2 * OPUS_CLOCK_HZ;

export const toMs = (samples: number): number => samples / SAMPLES_PER_MS;

/**
 * Measures the gap between two packets by their timestamps; where these stand still, by the sequence
 * numbers of lost packets, or by the times of arrival after silence.
 */
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

  /** Takes a packet that is not buffered yet. Packets that were given out are never changed. */
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

  /** Drops all packets before the one at `index`. */
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
