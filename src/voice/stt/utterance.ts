import { bytesSource } from '../../audio/bytes.ts';
import { quietestFrame } from '../../audio/chunk/quietest-frame.ts';
import { createOggOpusWriter, PRE_SKIP_SAMPLES } from '../../audio/container/ogg-writer.ts';
import type { ByteSource } from '../../model/file.ts';
import type { Utterance, UtterancePacket } from '../../ports/recogniser.ts';
import { type BufferedPacket, SAMPLES_PER_MS, toMs } from './reorder-buffer.ts';

/** Adds up when an utterance begins and ends, and how much voice it has. */
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

export interface UtteranceFile {
  /** Ogg Opus, mono. */
  readonly audio: ByteSource;
  /** Exact to a packet for each gap. */
  readonly durationMs: number;
}

const sumSamples = (packets: readonly UtterancePacket[]): number => {
  let sum = 0;
  for (const { samples } of packets) sum += samples;
  return sum;
};

/**
 * Wraps an utterance as a file. The pre-roll is decoded and not played (RFC 7845 section 4.2); gaps are
 * filled, for players take no notice of a jump in time.
 */
export const utteranceFile = ({ preRoll, packets, spanMs }: Utterance): UtteranceFile => {
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

/** Loudness is compared in steps of this length, whatever the lengths of the packets. */
const STEP_MS = 20;
const STEP_SAMPLES = STEP_MS * SAMPLES_PER_MS;
/** More than the bytes of any packet in a step, so that the voice bit counts before the size. */
const VOICE_WEIGHT = 1_500;

/** The index of the packet before which the later half of the speech pauses, or is quietest. */
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
