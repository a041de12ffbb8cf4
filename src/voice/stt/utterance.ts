import { type ByteSource } from '../../model/file.ts';
import { sumSamples, type HeldPacket, toMs } from './reorder-buffer.ts';
import { PRE_SKIP_SAMPLES, createOggOpusWriter } from '../../audio/container/ogg-writer.ts';
import { bytesSource } from '../../audio/bytes.ts';

export interface UtteranceFile {
  /** Ogg Opus, mono. */
  readonly audio: ByteSource;
  /** To within a packet for each gap. */
  readonly durationMs: number;
}

/**
 * An utterance as a file. The packets of the one before it are decoded and not played (RFC 7845
 * section 4.2); gaps are filled, for players take no notice of a jump in time.
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

/** What somebody says without a longer pause: Opus packets in the order in which they were sent. */
export interface Utterance {
  /** One number an utterance, growing from one to the next of all speakers. */
  readonly id: number;
  readonly speakerId: string;
  /** Where its voice begins and ends, on the room's clock. */
  readonly startMs: number;
  readonly endMs: number;
  /** What was said before it, of another utterance: decoders need it, nobody is to hear it again. */
  readonly preRoll: readonly HeldPacket[];
  /** What is to be heard; the moments before and after its voice among it. */
  readonly packets: readonly HeldPacket[];
  /** Of the packets that are voice. */
  readonly voiceMs: number;
  /** Of all that is to be heard, gaps included. */
  readonly spanMs: number;
  /** The speaker had not stopped before: the one before it was cut for its length. */
  readonly isContinued: boolean;
}

export const makeUtterance = (
  facts: Pick<Utterance, 'id' | 'speakerId' | 'isContinued' | 'preRoll' | 'packets'>,
): Utterance => {
  let startMs = 0;
  let endMs = 0;
  let voiceSamples = 0;
  let spanSamples = 0;
  // What is missing before the first packet is no part of it.
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
