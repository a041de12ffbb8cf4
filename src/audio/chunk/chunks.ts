import { createAudioLimit } from '../codec/decode.ts';
import type { OpusItem, OpusPacket } from '../container/ogg-reader.ts';
import { createOggOpusWriter, PRE_SKIP_SAMPLES } from '../container/ogg-writer.ts';
import {
  isSilentPacket,
  OPUS_CLOCK_HZ,
  toMs,
  VOICE_WEIGHT,
  voiceBit,
  WARM_UP_PACKETS,
  type OpusHead,
} from '../opus/packet.ts';
import { yieldTurn } from '../pcm.ts';
import { createLevelMeter, FRAME_MS, VAD_RATE_HZ } from '../vad.ts';

/** The length of a pause between sentences, over which loudness is summed. */
const PAUSE_MS = 300;

/**
 * Finds the place to cut a run of equal frames: the middle of the quietest 300 ms that begin at
 * `from` or later; of equally quiet ones the last. `loudness` has one value per frame, in any unit.
 */
export const quietestFrame = (
  loudness: readonly number[],
  from: number,
  frameMs: number,
): number => {
  const width = Math.max(1, Math.round(PAUSE_MS / frameMs));
  let sum = 0;
  let best = Infinity;
  let cut = loudness.length;
  for (let end = from; end < loudness.length; end += 1) {
    sum += loudness[end]!;
    if (end - from >= width) sum -= loudness[end - width]!;
    if (end - from < width - 1 || sum > best) continue;
    best = sum;
    cut = end + 1 - Math.ceil(width / 2);
  }
  return cut;
};

/** A part of PCM at 16 kHz. */
interface PcmChunk {
  readonly startSamples: number;
  readonly samples: Float32Array;
  /** True for the first and only chunk. */
  readonly isWhole: boolean;
  /** True when nothing in it is loud enough to be speech. */
  readonly isSilent: boolean;
}

/** Level of digital silence: any microphone's noise and the faintest recorded speech are above it. */
const DIGITAL_SILENCE_DB = -75;
const FRAME_SAMPLES = (VAD_RATE_HZ * FRAME_MS) / 1_000;

/**
 * Cuts `pcm` (16 kHz, mono) into chunks of at most `longestMs` at the quietest places. Chunks are
 * yielded as the PCM arrives; at most one is in memory.
 */
export async function* chunkPcm(
  pcm: AsyncIterable<Float32Array>,
  longestMs: number,
): AsyncGenerator<PcmChunk, void, void> {
  const longestFrames = Math.max(2, Math.floor(longestMs / FRAME_MS));
  let buffer = new Float32Array(VAD_RATE_HZ);
  let filled = 0;
  let levels: number[] = [];
  let startSamples = 0;
  let measure = createLevelMeter();

  const append = (samples: Float32Array): void => {
    if (filled + samples.length > buffer.length) {
      const larger = new Float32Array((filled + samples.length) * 2);
      larger.set(buffer.subarray(0, filled));
      buffer = larger;
    }
    buffer.set(samples, filled);
    filled += samples.length;
    levels.push(...measure(samples));
  };

  /** Takes the first `count` samples out of the buffer. */
  const takeChunk = (count: number, isWhole: boolean): PcmChunk => {
    const isSilent = levels
      .slice(0, Math.ceil(count / FRAME_SAMPLES))
      .every((levelDb) => levelDb < DIGITAL_SILENCE_DB);
    const chunk = { startSamples, samples: buffer.slice(0, count), isWhole, isSilent };
    const rest = buffer.slice(count, filled);
    startSamples += count;
    filled = 0;
    levels = [];
    measure = createLevelMeter();
    append(rest);
    return chunk;
  };

  const nextChunk = (): PcmChunk | undefined => {
    if (filled <= longestFrames * FRAME_SAMPLES) return undefined;
    const loudness = levels.slice(0, longestFrames);
    const cut = quietestFrame(loudness, Math.floor(longestFrames / 2), FRAME_MS);
    return takeChunk(cut * FRAME_SAMPLES, false);
  };

  for await (const samples of pcm) {
    append(samples);
    for (let chunk = nextChunk(); chunk; chunk = nextChunk()) yield chunk;
  }
  if (filled > 0) yield takeChunk(filled, startSamples === 0);
}

/** A part of a stream of packets, as an Ogg file of its own. */
interface OpusChunk {
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
