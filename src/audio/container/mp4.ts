/** Reads the audio track of an MP4, M4A or fragmented MP4 file from its start to its end. */
import type { AacFrame } from './adts.ts';
import {
  ascii,
  type ByteReader,
  createByteReader,
  viewOf,
  oversizedAudio,
  damagedAudio,
  unsupportedForm,
} from '../bytes.ts';
import type { Box, Mp4Edit } from './mp4-box.ts';
import { type Mp4Sample, type Mp4Track, parseMoof, parseMoov } from './mp4-track.ts';
import type { OpusItem } from './ogg-reader.ts';
import { packetParser } from '../opus/layout.ts';
import { OPUS_CLOCK_HZ, type OpusHead } from '../opus/packet.ts';

/** The most bytes of tables, which are in memory as a whole; those of four hours of AAC take under 6 MB. */
const LONGEST_TABLE_BYTES = 8 * 1024 * 1024;
/** The largest sample: AAC has at most 768 bytes a channel (ISO 14496-3), and Opus less. */
const LONGEST_SAMPLE_BYTES = 64 * 1024;
/** Samples that may be unreadable: tables may list billions of them. */
const MOST_UNREADABLE = 10_000;

/** The contents of an audio track, in the order of the file. */
export type Mp4Audio =
  | {
      readonly codec: 'aac';
      readonly frames: AsyncGenerator<AacFrame, void, void>;
      readonly edit: Mp4Edit | undefined;
    }
  | { readonly codec: 'opus'; readonly items: AsyncGenerator<OpusItem, void, void> };

interface BoxHead {
  readonly type: string;
  /** The first byte of the box, and the one behind its end; infinite if it goes on to the end. */
  readonly start: number;
  readonly end: number;
}

const readBoxHead = async (reader: ByteReader): Promise<BoxHead | undefined> => {
  const start = reader.position;
  const head = await reader.take(8);
  if (head.length < 8) return undefined;
  const type = ascii(head, 4, 4);
  let size = viewOf(head).getUint32(0);
  if (size === 1) {
    const long = await reader.take(8);
    if (long.length < 8) return undefined;
    size = Number(viewOf(long).getBigUint64(0));
  } else if (size === 0) size = Infinity;
  return size < reader.position - start ? undefined : { type, start, end: start + size };
};

const readTable = async (
  reader: ByteReader,
  box: BoxHead,
  mostBytes = LONGEST_TABLE_BYTES,
): Promise<Uint8Array> => {
  const bytes = box.end - reader.position;
  if (bytes > mostBytes) throw oversizedAudio(`an MP4 ${box.type} box of ${bytes} bytes`);
  const body = await reader.take(bytes);
  if (body.length < bytes) throw damagedAudio(`the MP4 ${box.type} box is cut off`);
  return body;
};

/** The boxes of a `moov` that are read: its header, tracks and defaults of fragments. */
const MOOV_BOXES: ReadonlySet<string> = new Set(['mvhd', 'trak', 'mvex']);
/** Boxes within a `moov`; real files have a dozen. */
const MOST_MOOV_BOXES = 64;

/** The boxes of a `moov` that are read; names and pictures of any size are passed over. */
const readMoov = async (reader: ByteReader, moov: BoxHead): Promise<readonly Box[]> => {
  const read: Box[] = [];
  let remainingBytes = LONGEST_TABLE_BYTES;
  for (let count = 0; reader.position + 8 <= moov.end && count < MOST_MOOV_BOXES; count += 1) {
    const head = await readBoxHead(reader);
    if (!head) break;
    // A last box may end with the one around it, or go on behind it by mistake.
    const box = { ...head, end: Math.min(head.end, moov.end) };
    if (MOOV_BOXES.has(box.type)) {
      const body = await readTable(reader, box, remainingBytes);
      remainingBytes -= body.length;
      read.push({ type: box.type, body });
    } else await reader.skip(box.end - reader.position);
  }
  const restBytes = moov.end - reader.position;
  if ((await reader.skip(restBytes)) < restBytes && moov.end !== Infinity)
    throw damagedAudio('the MP4 moov box is cut off');
  return read;
};

/**
 * Creates a reader that moves on to each sample's place. A sample that is empty or lies before the
 * reader's position is left out. Throws `bad-input` if a file has very many of those.
 */
const createSampleReader = (reader: ByteReader) => {
  let unreadable = 0;
  return async function* readSamples(
    samples: Iterable<Mp4Sample>,
  ): AsyncGenerator<Uint8Array, void, void> {
    for (const { offset, bytes } of samples) {
      const ahead = offset - reader.position;
      if (bytes > LONGEST_SAMPLE_BYTES) throw damagedAudio('an MP4 sample of absurd size');
      if (ahead < 0 || bytes === 0) {
        unreadable += 1;
        if (unreadable > MOST_UNREADABLE) throw damagedAudio('MP4 tables of nothing');
        await reader.idle();
        continue;
      }
      if ((await reader.skip(ahead)) < ahead) return;
      const unit = await reader.take(bytes);
      if (unit.length < bytes) return;
      yield unit;
    }
  };
};

/** Reads on from behind `moov`: its own samples or, in a fragmented file, those of each `moof`. */
async function* readUnits(
  reader: ByteReader,
  track: Mp4Track,
): AsyncGenerator<Uint8Array, void, void> {
  const readSamples = createSampleReader(reader);
  yield* readSamples(track.samples());
  for (;;) {
    const box = await readBoxHead(reader);
    if (!box) return;
    if (box.type === 'moof') {
      const moof = await readTable(reader, box);
      yield* readSamples(parseMoof(moof, box.start, track));
      continue;
    }
    if ((await reader.skip(box.end - reader.position)) === 0 && box.end === Infinity) return;
  }
}

async function* rereadUnits(
  bytes: AsyncIterable<Uint8Array>,
  track: Mp4Track,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, void> {
  const reader = createByteReader(bytes, signal);
  try {
    yield* createSampleReader(reader)(track.samples());
  } finally {
    await reader.close();
  }
}

async function* aacFrames(
  units: AsyncIterable<Uint8Array>,
  config: Uint8Array,
): AsyncGenerator<AacFrame, void, void> {
  for await (const unit of units) yield { config, unit };
}

/** Packets up to the end of `edit`; the start is cut by the pre-skip. */
async function* opusItems(
  units: AsyncIterable<Uint8Array>,
  head: OpusHead,
  edit: Mp4Edit | undefined,
): AsyncGenerator<OpusItem, void, void> {
  yield { kind: 'head', head };
  const parse = packetParser(head);
  let remaining = Math.round((edit?.endSeconds ?? Infinity) * OPUS_CLOCK_HZ);
  for await (const data of units) {
    const samples = parse(data)?.samples;
    if (samples === undefined) continue;
    const keepSamples = Math.min(samples, remaining);
    if (keepSamples === 0) return;
    remaining -= keepSamples;
    yield { kind: 'packet', data, samples, keepSamples };
  }
}

/**
 * Finds the audio track. `reader` stands at the start of the file. Where the tables follow the
 * samples the file is read twice: `reopen` starts it again and `signal` stops that. Throws
 * `AppError`.
 */
export const readMp4 = async (
  reader: ByteReader,
  reopen: () => AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): Promise<Mp4Audio> => {
  let samplesCameFirst = false;
  for (;;) {
    const box = await readBoxHead(reader);
    if (!box) throw damagedAudio('an MP4 file without its tables');
    if (box.type === 'moov') {
      const track = parseMoov(await readMoov(reader, box));
      const units = samplesCameFirst
        ? rereadUnits(reopen(), track, signal)
        : readUnits(reader, track);
      return track.codec.name === 'aac'
        ? { codec: 'aac', frames: aacFrames(units, track.codec.config), edit: track.edit }
        : { codec: 'opus', items: opusItems(units, track.codec.head, track.edit) };
    }
    if (box.type === 'moof') throw unsupportedForm('MP4', 'that is a piece of a stream');
    samplesCameFirst ||= box.type === 'mdat';
    await reader.skip(box.end - reader.position);
  }
};
