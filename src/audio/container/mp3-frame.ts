/** Reads MP3 frames: MPEG-1, 2 and 2.5, layer III (ISO 11172-3, 13818-3). */
import { type ByteReader, ascii, viewOf } from '../bytes.ts';

/** The head of an ID3v2 tag. */
export const ID3_HEADER_BYTES = 10;

/** True where a tag begins, even one whose size is wrong. */
export const isId3 = (head: Uint8Array): boolean => ascii(head, 0, 3) === 'ID3';

/** The length of an ID3v2 tag that `head` begins with, header and footer included; 0 without. */
export const id3Bytes = (head: Uint8Array): number => {
  const [, , , major = 255, minor = 255, flags = 0, ...size] = head.subarray(0, ID3_HEADER_BYTES);
  if (!isId3(head) || major === 255 || minor === 255) return 0;
  if (size.length < 4 || size.some((byte) => byte > 127)) return 0;
  const footer = (flags & 0x10) !== 0 ? ID3_HEADER_BYTES : 0;
  return ID3_HEADER_BYTES + footer + size.reduce((total, byte) => total * 128 + byte, 0);
};

/** Skips ID3v2 tags, of which some tools write several. */
export const skipId3 = async (reader: ByteReader): Promise<void> => {
  for (;;) {
    const bytes = id3Bytes(await reader.peek(ID3_HEADER_BYTES));
    if (bytes === 0 || (await reader.skip(bytes)) < bytes) return;
  }
};

/** Numbers of samples that an encoder added to a sound: the part of LAME in a Xing or Info table. */
export interface Mp3Gapless {
  /** The frames of audio that follow the table. */
  readonly frames: number;
  readonly delaySamples: number;
  readonly paddingSamples: number;
}

export interface Mp3Table {
  readonly gapless?: Mp3Gapless;
}

/** The place of VBRI, whatever the side information. */
const VBRI_AT = 36;
const FRAMES_GIVEN = 1;
/** Bytes of the fields before LAME's part, by the flag that says whether they are there. */
const FIELD_BYTES = [4, 4, 100, 4];
const ENCODERS = ['LAME', 'Lavf', 'Lavc'];
/** The place of delay and padding, of 12 bits each, behind the name of the encoder. */
const DELAYS_AT = 21;

const parseGapless = (data: Uint8Array, tagAt: number): Mp3Gapless | undefined => {
  if (data.length < tagAt + 8) return undefined;
  const flags = viewOf(data).getUint32(tagAt + 4);
  const lameAt = FIELD_BYTES.reduce(
    (at, bytes, bit) => ((flags & (1 << bit)) === 0 ? at : at + bytes),
    tagAt + 8,
  );
  const isKnown = ENCODERS.includes(ascii(data, lameAt, 4));
  if ((flags & FRAMES_GIVEN) === 0 || !isKnown || data.length < lameAt + DELAYS_AT + 3)
    return undefined;
  const delays = viewOf(data).getUint32(lameAt + DELAYS_AT - 1) & 0xff_ffff;
  return {
    frames: viewOf(data).getUint32(tagAt + 8),
    delaySamples: delays >> 12,
    paddingSamples: delays & 0xfff,
  };
};

/** Parses a frame's table (Xing, Info or VBRI); undefined for a frame of audio. `tagAt` is the end of its side information. */
export const parseMp3Table = (data: Uint8Array, tagAt: number): Mp3Table | undefined => {
  if (ascii(data, VBRI_AT, 4) === 'VBRI') return {};
  if (!['Xing', 'Info'].includes(ascii(data, tagAt, 4))) return undefined;
  const gapless = parseGapless(data, tagAt);
  return gapless ? { gapless } : {};
};

export interface Mp3Header {
  readonly sampleRateHz: number;
  readonly channels: 1 | 2;
  readonly bytes: number;
  readonly samples: number;
  /** The end of the side information, where a Xing or Info tag begins. */
  readonly tagAt: number;
}

export const MP3_HEADER_BYTES = 4;
/** The longest frame: 320 kbit/s at 32 kHz. */
export const LONGEST_MP3_FRAME = 1_441;

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
/** Bytes behind a place that show whether a run begins there: a frame and the head of the next. */
const RUN_BYTES = LONGEST_MP3_FRAME + MP3_HEADER_BYTES;

/** The bytes before the next run of frames; at most `SEARCH_BYTES`, and all of `bytes`. */
const bytesToRun = (bytes: Uint8Array): number => {
  for (let at = bytes.indexOf(0xff); at >= 0 && at < SEARCH_BYTES; at = bytes.indexOf(0xff, at + 1))
    if (isMp3Run(bytes, at, 2)) return at;
  return Math.min(SEARCH_BYTES, bytes.length);
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
    const ahead = await reader.peek(SEARCH_BYTES + RUN_BYTES);
    const skipped = bytesToRun(ahead);
    if (skipped === ahead.length) return;
    inSync = isMp3Run(ahead, skipped, 2);
    await reader.skip(skipped);
  }
}
