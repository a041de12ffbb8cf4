/** Reads FLAC frames (RFC 9639 section 9) out of a file by their headers and checksums. */
import { ascii, type ByteReader, viewOf, damagedAudio } from '../bytes.ts';

export interface FlacHeader {
  readonly headerBytes: number;
  readonly samples: number;
  /** Zero where the frame refers to the file's header. */
  readonly sampleRateHz: number;
}

export interface FlacFrame {
  readonly data: Uint8Array;
  readonly samples: number;
  readonly sampleRateHz: number;
  /** True when something before it was skipped. */
  readonly isAfterGap: boolean;
}

const RATES = [
  0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000,
];
const LONGEST_HEADER_BYTES = 16;

const crcTable = (polynomial: number, bits: 8 | 16): Uint16Array =>
  Uint16Array.from({ length: 256 }, (_, byte) => {
    let crc = byte << (bits - 8);
    for (let bit = 0; bit < 8; bit += 1)
      crc = (crc << 1) ^ ((crc >> (bits - 1)) & 1 ? polynomial : 0);
    return crc;
  });

const CRC8 = crcTable(0x107, 8);
const CRC16 = crcTable(0x1_8005, 16);

const crc8 = (bytes: Uint8Array): number => {
  let crc = 0;
  for (const byte of bytes) crc = CRC8[crc ^ byte]!;
  return crc;
};

const extendCrc16 = (start: number, bytes: Uint8Array, from: number, to: number): number => {
  let crc = start;
  for (let i = from; i < to; i += 1) crc = ((crc << 8) & 0xffff) ^ CRC16[(crc >> 8) ^ bytes[i]!]!;
  return crc;
};

/** The length of the frame number, which is coded as UTF-8 is; 0 if it begins with none of its patterns. */
const numberBytes = (first: number): number => {
  if (first < 0x80) return 1;
  const ones = Math.clz32(~(first << 24));
  return ones >= 2 && ones <= 7 ? ones : 0;
};

const blockSamples = (code: number, extra: number): number => {
  if (code === 1) return 192;
  if (code < 6) return 144 * 2 ** code;
  return code < 8 ? extra + 1 : 2 ** code;
};

/** Parses a frame's header; undefined where its checksum is wrong or it is cut off. */
export const parseFlacHeader = (bytes: Uint8Array, at = 0): FlacHeader | undefined => {
  // Most places hold no header: they are rejected before anything is allocated.
  if (bytes[at] !== 0xff || (bytes[at + 1]! & 0xfe) !== 0xf8) return undefined;
  const [, , codes = 0, layout = 0, first = 0] = bytes.subarray(at, at + 5);
  if ((layout & 1) !== 0) return undefined;
  const blockCode = codes >> 4;
  const rateCode = codes & 15;
  const numberLength = numberBytes(first);
  if (blockCode === 0 || rateCode === 15 || layout >> 4 > 10 || numberLength === 0)
    return undefined;
  const blockBytes = blockCode === 6 ? 1 : blockCode === 7 ? 2 : 0;
  const rateBytes = rateCode < 12 ? 0 : rateCode === 12 ? 1 : 2;
  const blockAt = at + 4 + numberLength;
  const rateAt = blockAt + blockBytes;
  const crcAt = rateAt + rateBytes;
  if (crcAt >= bytes.length || crc8(bytes.subarray(at, crcAt)) !== bytes[crcAt]) return undefined;
  const number = (start: number, length: number): number =>
    bytes.subarray(start, start + length).reduce((value, byte) => value * 256 + byte, 0);
  const rate = number(rateAt, rateBytes) * (rateCode === 12 ? 1_000 : rateCode === 14 ? 10 : 1);
  return {
    headerBytes: crcAt + 1 - at,
    samples: blockSamples(blockCode, number(blockAt, blockBytes)),
    sampleRateHz: RATES[rateCode] ?? rate,
  };
};

const MAGIC = Buffer.from('fLaC');

const isMagic = (bytes: Uint8Array): boolean => ascii(bytes, 0, MAGIC.length) === 'fLaC';

/** Skips the metadata blocks; resolves with the sample rate that the file as a whole claims. */
const readHead = async (reader: ByteReader): Promise<number> => {
  await reader.skip(MAGIC.length);
  let sampleRateHz = 0;
  for (let last = false; !last;) {
    const head = await reader.take(4);
    if (head.length < 4) throw damagedAudio('a FLAC file without frames');
    last = (head[0]! & 0x80) !== 0;
    const bytes = viewOf(head).getUint32(0) & 0xff_ffff;
    const body = await reader.peek(Math.min(bytes, 18));
    if ((head[0]! & 0x7f) === 0 && body.length === 18)
      sampleRateHz = viewOf(body).getUint32(10) >>> 12;
    await reader.skip(bytes);
  }
  return sampleRateHz;
};

const FIRST_LOOK_BYTES = 16_384;
/** The longest frame: more than 16,384 samples of 16 bits in eight channels. */
const LONGEST_FRAME_BYTES = 512 * 1024;
/** False headers in a row after which a file is given up; damage rarely looks like a header. */
const MOST_FALSE_STARTS = 64;

/** The next place from `from` on where a frame may begin, or a file that was joined; -1 without. */
const nextStart = (bytes: Uint8Array, from: number): number => {
  const frameAt = bytes.indexOf(0xff, from);
  const end = frameAt < 0 ? bytes.length : Math.min(bytes.length, frameAt + MAGIC.length);
  const before = Buffer.from(bytes.buffer, bytes.byteOffset, end);
  const fileAt = before.indexOf(MAGIC, from);
  return fileAt < 0 ? frameAt : fileAt;
};

/**
 * The length of the frame that begins here: up to the next header, or the end of the file, where
 * its checksum is right. Undefined if there is none.
 */
const findEnd = async (reader: ByteReader, headerBytes: number): Promise<number | undefined> => {
  let checked = 0;
  let crc = 0;
  let at = headerBytes;
  const endsAt = (bytes: Uint8Array, end: number): boolean => {
    crc = extendCrc16(crc, bytes, checked, end);
    checked = end;
    return crc === 0;
  };
  for (let look = FIRST_LOOK_BYTES; look <= LONGEST_FRAME_BYTES; look *= 2) {
    const bytes = await reader.peek(look);
    const whole = bytes.length < look;
    const searched = bytes.length - LONGEST_HEADER_BYTES;
    for (at = nextStart(bytes, at); at >= 0 && at < (whole ? bytes.length : searched);) {
      const isStart = bytes[at] !== 0xff || parseFlacHeader(bytes, at) !== undefined;
      if (isStart && endsAt(bytes, at)) return at;
      at = nextStart(bytes, at + 1);
    }
    if (whole) return endsAt(bytes, bytes.length) ? bytes.length : undefined;
    if (at < 0) at = searched;
  }
  return undefined;
};

/**
 * Yields every frame with right checksums and skips what lies between, heads of files that were
 * joined among them. A frame that gives no rate has its file's.
 */
export async function* readFlacFrames(reader: ByteReader): AsyncGenerator<FlacFrame, void, void> {
  let fileRateHz = 0;
  let falseStarts = 0;
  let isAfterGap = false;
  let hasFrames = false;
  for (;;) {
    const ahead = await reader.peek(FIRST_LOOK_BYTES);
    if (ahead.length === 0) return;
    if (isMagic(ahead)) {
      fileRateHz = await readHead(reader);
      isAfterGap = hasFrames;
      continue;
    }
    const header = parseFlacHeader(ahead);
    const bytes = header && (await findEnd(reader, header.headerBytes));
    if (header && bytes !== undefined) {
      const data = await reader.take(bytes);
      yield {
        data,
        samples: header.samples,
        sampleRateHz: header.sampleRateHz || fileRateHz,
        isAfterGap,
      };
      falseStarts = 0;
      isAfterGap = false;
      hasFrames = true;
      continue;
    }
    isAfterGap = true;
    if (header) falseStarts += 1;
    if (falseStarts > MOST_FALSE_STARTS) throw damagedAudio('no FLAC frames');
    const next = nextStart(ahead, 1);
    await reader.skip(next < 0 ? ahead.length : next);
  }
}

/** The checksum at a frame's end. */
const FOOTER_BYTES = 2;

/**
 * True for a frame of digital silence, which is all zeros after its header: constant subframes (type
 * 0) of the value 0 (RFC 9639 section 9.2.3).
 */
export const isSilentFrame = ({ data }: FlacFrame): boolean => {
  const header = parseFlacHeader(data);
  if (!header || data.length <= header.headerBytes + FOOTER_BYTES) return false;
  for (let at = header.headerBytes; at < data.length - FOOTER_BYTES; at += 1)
    if (data[at] !== 0) return false;
  return true;
};
