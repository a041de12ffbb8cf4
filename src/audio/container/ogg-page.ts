/** Reads and writes Ogg pages (RFC 3533). */
import { type ByteReader, viewOf } from '../bytes.ts';

export const PAGE_HEADER_BYTES = 27;
export const LONGEST_SEGMENT_TABLE = 255;
/** The bytes that are looked at: more than the longest page, so that a shorter rest is the end of the file. */
const SEARCH_BYTES = 65_536;

export const FLAG_CONTINUED = 1;
export const FLAG_BEGIN = 2;
export const FLAG_END = 4;
/** The granule of a page on which no packet ends. */
export const NO_GRANULE = -1;

const CRC_OFFSET = 22;
const CRC_POLYNOMIAL = 0x04c11db7;

/** Tables of the checksum: `CRC_TABLES[n][b]` is byte `b` carried over `n` more bytes, so that four go in one step. */
const CRC_TABLES = [0, 1, 2, 3].map(() => new Uint32Array(256));
for (let byte = 0; byte < 256; byte += 1) {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc << 1) ^ (crc < 0 ? CRC_POLYNOMIAL : 0);
  CRC_TABLES[0]![byte] = crc;
}
for (let step = 1; step < 4; step += 1)
  for (let byte = 0; byte < 256; byte += 1) {
    const before = CRC_TABLES[step - 1]![byte]!;
    CRC_TABLES[step]![byte] = (before << 8) ^ CRC_TABLES[0]![before >>> 24]!;
  }

const crcOver = (start: number, bytes: Uint8Array): number => {
  const [one, two, three, four] = CRC_TABLES as [
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ];
  let crc = start;
  let i = 0;
  for (; i + 4 <= bytes.length; i += 4)
    crc =
      four[(crc >>> 24) ^ bytes[i]!]! ^
      three[((crc >>> 16) & 0xff) ^ bytes[i + 1]!]! ^
      two[((crc >>> 8) & 0xff) ^ bytes[i + 2]!]! ^
      one[(crc & 0xff) ^ bytes[i + 3]!]!;
  for (; i < bytes.length; i += 1) crc = (crc << 8) ^ one[(crc >>> 24) ^ bytes[i]!]!;
  return crc >>> 0;
};

const NO_CRC = new Uint8Array(4);

/** The page's checksum, its own field counted as zero. */
const pageCrc = (page: Uint8Array): number => {
  let crc = crcOver(0, page.subarray(0, CRC_OFFSET));
  crc = crcOver(crc, NO_CRC);
  return crcOver(crc, page.subarray(CRC_OFFSET + 4));
};

export interface OggPage {
  readonly flags: number;
  readonly granule: number;
  readonly serial: number;
  readonly sequence: number;
  readonly segments: Uint8Array;
  /** The packets' bytes, as many as the segments say. */
  readonly body: Uint8Array;
}

export const writePage = (page: OggPage): Uint8Array => {
  const headBytes = PAGE_HEADER_BYTES + page.segments.length;
  const bytes = new Uint8Array(headBytes + page.body.length);
  const view = viewOf(bytes);
  bytes.set([0x4f, 0x67, 0x67, 0x53, 0, page.flags]);
  view.setBigInt64(6, BigInt(page.granule), true);
  view.setUint32(14, page.serial, true);
  view.setUint32(18, page.sequence, true);
  bytes[26] = page.segments.length;
  bytes.set(page.segments, PAGE_HEADER_BYTES);
  bytes.set(page.body, headBytes);
  view.setUint32(CRC_OFFSET, pageCrc(bytes), true);
  return bytes;
};

/** Finds the next `OggS`, or its beginning at the very end; the length if there is none. */
const findCapture = (bytes: Uint8Array, from: number): number => {
  for (let at = bytes.indexOf(0x4f, from); at >= 0; at = bytes.indexOf(0x4f, at + 1)) {
    const [, g1 = 0x67, g2 = 0x67, s = 0x53] = bytes.subarray(at, at + 4);
    if (g1 === 0x67 && g2 === 0x67 && s === 0x53) return at;
  }
  return bytes.length;
};

const sum = (numbers: Uint8Array): number => numbers.reduce((total, number) => total + number, 0);

/** Reads the page that begins here, its body as far as there is input; undefined if none begins. */
const peekPage = async (
  reader: ByteReader,
): Promise<{ page: OggPage; bytes: Uint8Array; whole: boolean } | undefined> => {
  const head = await reader.peek(PAGE_HEADER_BYTES);
  if (head.length < PAGE_HEADER_BYTES || findCapture(head, 0) !== 0 || head[4] !== 0)
    return undefined;
  const bodyAt = PAGE_HEADER_BYTES + head[26]!;
  const segments = (await reader.peek(bodyAt)).subarray(PAGE_HEADER_BYTES);
  const pageBytes = bodyAt + sum(segments);
  const bytes = await reader.peek(pageBytes);
  if (bytes.length < bodyAt) return undefined;
  const view = viewOf(bytes);
  return {
    page: {
      flags: bytes[5]!,
      granule: Number(view.getBigInt64(6, true)),
      serial: view.getUint32(14, true),
      sequence: view.getUint32(18, true),
      segments,
      body: bytes.subarray(bodyAt),
    },
    bytes,
    whole: bytes.length === pageBytes,
  };
};

/** The whole segments of a page whose body was cut off. */
const cutPage = (page: OggPage): OggPage => {
  let bytes = 0;
  const fits = (segment: number): boolean => {
    bytes += segment;
    return bytes <= page.body.length;
  };
  const count = page.segments.findIndex((segment) => !fits(segment));
  const segments = page.segments.subarray(0, Math.max(0, count));
  return { ...page, segments, body: page.body.subarray(0, sum(segments)) };
};

export interface PagesEnd {
  /** True when the last page was cut off. */
  readonly truncated: boolean;
  /** Bytes that belong to no page with a right checksum. */
  readonly skippedBytes: number;
}

/**
 * Yields every page whose checksum is right, and what there is of a last one that was cut off.
 * What lies between pages is skipped.
 */
export async function* readPages(reader: ByteReader): AsyncGenerator<OggPage, PagesEnd, void> {
  let skippedBytes = 0;
  for (;;) {
    const found = await peekPage(reader);
    if (found?.whole && viewOf(found.bytes).getUint32(CRC_OFFSET, true) === pageCrc(found.bytes)) {
      await reader.skip(found.bytes.length);
      yield found.page;
      continue;
    }
    const ahead = await reader.peek(SEARCH_BYTES);
    if (ahead.length === 0) return { truncated: false, skippedBytes };
    const next = findCapture(ahead, 1);
    if (next === ahead.length && ahead.length < SEARCH_BYTES && findCapture(ahead, 0) === 0) {
      if (found && !found.whole) yield cutPage(found.page);
      return { truncated: true, skippedBytes };
    }
    skippedBytes += await reader.skip(next);
  }
}
