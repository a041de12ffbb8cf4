import { createAudioLimit } from '../codec/audio-limit.ts';
import type { OpusItem, OpusPacket } from '../container/ogg-reader.ts';
import { createOggOpusWriter, PRE_SKIP_SAMPLES } from '../container/ogg-writer.ts';
import {
  isSilentPacket,
  OPUS_CLOCK_HZ,
  toMs,
  VOICE_WEIGHT,
  voiceBit,
  WARM_UP_PACKETS,
} from '../opus/packet.ts';
import type { OpusHead } from '../opus/head.ts';
import { yieldTurn } from '../pcm.ts';
import { quietestFrame } from './quietest-frame.ts';

/** A part of a stream of packets, as an Ogg file of its own. */
export interface OpusChunk {
  readonly startMs: number;
  readonly durationMs: number;
  readonly file: readonly Uint8Array[];
  /** True for the first and only chunk. */
  readonly isWhole: boolean;
  /** True when its packets are too small to hold any audio but silence. */
  readonly isSilent: boolean;
}

const PACKETS_PER_TURN = 500;

const sum = (packets: readonly OpusPacket[], field: 'samples' | 'keepSamples'): number =>
  packets.reduce((total, packet) => total + packet[field], 0);

const loudnessOf = ({ data }: OpusPacket): number =>
  (voiceBit(data) ? VOICE_WEIGHT : 0) + data.length;

const writeFile = (
  head: OpusHead,
  preRoll: readonly OpusPacket[],
  packets: readonly OpusPacket[],
  preSkipSamples: number,
): Uint8Array[] => {
  const writer = createOggOpusWriter({ ...head, preSkipSamples });
  const pages = [...preRoll, ...packets].map(({ data }) => writer.push(data));
  const all = sum(preRoll, 'samples') + sum(packets, 'keepSamples');
  return [...pages, writer.end(all - preSkipSamples)].filter((page) => page.length > 0);
};

/**
 * Cuts a stream into chunks of at most `longestMs` at the quietest places, without decoding. A
 * chunk begins with the last packets of the one before, which players decode and do not play (RFC
 * 7845 section 4.2). Chunks are yielded as the packets arrive. Throws as `createAudioLimit` does;
 * `readBytes` tells how many bytes of the file were read.
 */
export async function* chunkPackets(
  items: AsyncIterable<OpusItem>,
  longestMs: number,
  readBytes: () => number,
): AsyncGenerator<OpusChunk, void, void> {
  const count = createAudioLimit();
  let head: OpusHead | undefined;
  let preSkip = 0;
  let preRoll: OpusPacket[] = [];
  let pending: OpusPacket[] = [];
  let pendingSamples = 0;
  let startSamples = 0;
  let seen = 0;

  const makeChunk = (packets: OpusPacket[], isWhole: boolean): OpusChunk => {
    const skip = preRoll.length > 0 ? sum(preRoll, 'samples') : preSkip;
    const heard = sum(packets, 'keepSamples') - (preRoll.length > 0 ? 0 : preSkip);
    const chunk = {
      startMs: toMs(startSamples),
      durationMs: toMs(Math.max(0, heard)),
      file: writeFile(head!, preRoll, packets, skip),
      isWhole,
      isSilent: packets.every(({ data, samples }) => isSilentPacket(data, samples)),
    };
    startSamples += Math.max(0, heard);
    preRoll = packets.slice(-WARM_UP_PACKETS);
    return chunk;
  };

  for await (const item of items) {
    if (item.kind === 'head') {
      if (!head) preSkip = item.head.preSkipSamples || PRE_SKIP_SAMPLES;
      head = item.head;
      continue;
    }
    pending.push(item);
    pendingSamples += item.samples;
    seen += 1;
    count({ samples: item.samples, sampleRateHz: OPUS_CLOCK_HZ, readBytes: readBytes() });
    if (seen % PACKETS_PER_TURN === 0) await yieldTurn();
    if (toMs(pendingSamples) <= longestMs) continue;
    const loudness = pending.slice(0, -1).map(loudnessOf);
    const cut = quietestFrame(loudness, Math.floor(pending.length / 2), toMs(item.samples));
    yield makeChunk(pending.slice(0, cut), false);
    pending = pending.slice(cut);
    pendingSamples = sum(pending, 'samples');
  }
  if (pending.length > 0) yield makeChunk(pending, preRoll.length === 0);
}
