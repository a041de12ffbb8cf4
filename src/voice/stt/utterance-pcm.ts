import type { PacketDecoder } from '../../audio/opus/decoder.ts';
import { OPUS_CLOCK_HZ } from '../../audio/opus/packet.ts';
import { toS16le, yieldTurn } from '../../audio/pcm.ts';
import type { Utterance, UtterancePacket } from '../../ports/recogniser.ts';

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
