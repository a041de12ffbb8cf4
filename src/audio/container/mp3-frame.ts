/** Reads MP3 frames: MPEG-1, 2 and 2.5, layer III (ISO 11172-3, 13818-3). */
import type { ByteReader } from '../bytes.ts';
import { skipId3 } from './id3.ts';
import { type Mp3Table, parseMp3Table } from './mp3-table.ts';

export interface Mp3Header {
  readonly sampleRateHz: number;
  readonly channels: 1 | 2;
  readonly bytes: number;
  readonly samples: number;
  /** The end of the side information, where a Xing or Info tag begins. */
  readonly tagAt: number;
}

export const MP3_HEADER_BYTES = 4;

const KBITS_MPEG1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const KBITS_MPEG2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const RATES_MPEG1 = [44_100, 48_000, 32_000];
const LAYER_3 = 1;

/** Parses a header; undefined where no frame of layer III begins. The free format counts as none. */
export const parseMp3Header = (bytes: Uint8Array, at = 0): Mp3Header | undefined => {
  const [sync, b1 = 0, b2 = 0, b3 = 0] = bytes.subarray(at, at + MP3_HEADER_BYTES);
  if (sync !== 0xff || (b1 & 0xe0) !== 0xe0 || bytes.length < at + MP3_HEADER_BYTES)
    return undefined;
  const version = (b1 >> 3) & 3;
  const mpeg1 = version === 3;
  const kbits = (mpeg1 ? KBITS_MPEG1 : KBITS_MPEG2)[b2 >> 4];
  const baseRate = RATES_MPEG1[(b2 >> 2) & 3];
  const reserved = version === 1 || (b3 & 3) === 2;
  if (reserved || ((b1 >> 1) & 3) !== LAYER_3 || !kbits || !baseRate) return undefined;
  const sampleRateHz = baseRate / (mpeg1 ? 1 : version === 2 ? 2 : 4);
  const samples = mpeg1 ? 1_152 : 576;
  const channels = b3 >> 6 === 3 ? 1 : 2;
  const padding = (b2 >> 1) & 1;
  const sideBytes = mpeg1 ? (channels === 1 ? 17 : 32) : channels === 1 ? 9 : 17;
  return {
    sampleRateHz,
    channels,
    bytes: Math.floor((samples / 8) * ((kbits * 1_000) / sampleRateHz)) + padding,
    samples,
    tagAt: MP3_HEADER_BYTES + sideBytes,
  };
};

/** True where `bytes` from `at` on is a run of `count` like frames, as far as there are bytes. */
export const isMp3Run = (bytes: Uint8Array, at: number, count: number): boolean => {
  const first = parseMp3Header(bytes, at);
  if (!first) return false;
  let next = at;
  for (let seen = 0; seen < count; seen += 1) {
    const header = parseMp3Header(bytes, next);
    if (!header) return seen > 0 && next + MP3_HEADER_BYTES > bytes.length;
    if (header.sampleRateHz !== first.sampleRateHz) return false;
    next += header.bytes;
  }
  return true;
};

export interface Mp3Frame extends Mp3Header {
  readonly data: Uint8Array;
  /** The table that a frame carries instead of audio. */
  readonly table: Mp3Table | undefined;
}

const SEARCH_BYTES = 4_096;

/** The bytes before the next run of frames; all of `bytes` where there is none. */
const bytesToRun = (bytes: Uint8Array): number => {
  for (let at = bytes.indexOf(0xff); at >= 0; at = bytes.indexOf(0xff, at + 1))
    if (isMp3Run(bytes, at, 2)) return at;
  return bytes.length;
};

/** Yields every whole frame; tags and what else lies between frames are skipped. */
export async function* readMp3Frames(reader: ByteReader): AsyncGenerator<Mp3Frame, void, void> {
  let inSync = false;
  for (;;) {
    const head = await reader.peek(MP3_HEADER_BYTES);
    if (head.length < MP3_HEADER_BYTES) return;
    const header = inSync ? parseMp3Header(head) : undefined;
    if (header) {
      const data = await reader.take(header.bytes);
      if (data.length < header.bytes) return;
      yield { ...header, data, table: parseMp3Table(data, header.tagAt) };
      continue;
    }
    await skipId3(reader);
    const ahead = await reader.peek(SEARCH_BYTES);
    const skipped = bytesToRun(ahead);
    if (skipped === ahead.length && ahead.length < SEARCH_BYTES) return;
    // A run that begins at the very end is looked at again with what follows it.
    inSync = skipped < ahead.length;
    await reader.skip(skipped);
  }
}
