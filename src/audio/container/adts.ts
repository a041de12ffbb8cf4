/** Reads AAC in ADTS frames (ISO 13818-7 section 6.2), as `.aac` files and radio streams have it. */
import type { ByteReader } from '../bytes.ts';
import { skipId3 } from './mp3-frame.ts';

/** An access unit of AAC with its AudioSpecificConfig (ISO 14496-3). */
export interface AacFrame {
  readonly config: Uint8Array;
  readonly unit: Uint8Array;
}

const HEADER_BYTES = 7;
const CRC_BYTES = 2;
const SEARCH_BYTES = 16_384;

interface AdtsHeader {
  readonly config: Uint8Array;
  readonly headerBytes: number;
  /** The frame's length, header included. */
  readonly bytes: number;
}

/** Parses a frame's header; undefined where no frame begins. */
export const parseAdtsHeader = (bytes: Uint8Array, at = 0): AdtsHeader | undefined => {
  if (bytes.length < at + HEADER_BYTES || bytes[at] !== 0xff) return undefined;
  const [, b1, b2, b3, b4, b5] = bytes.subarray(at, at + HEADER_BYTES) as unknown as number[];
  const rateIndex = (b2! >> 2) & 15;
  const frameBytes = ((b3! & 3) << 11) | (b4! << 3) | (b5! >> 5);
  const headerBytes = HEADER_BYTES + ((b1! & 1) === 0 ? CRC_BYTES : 0);
  if ((b1! & 0xf6) !== 0xf0 || rateIndex > 12 || frameBytes <= headerBytes) return undefined;
  const objectType = (b2! >> 6) + 1;
  const channels = ((b2! & 1) << 2) | (b3! >> 6);
  const config = Uint8Array.of(
    (objectType << 3) | (rateIndex >> 1),
    ((rateIndex & 1) << 7) | (channels << 3),
  );
  return { config, headerBytes, bytes: frameBytes };
};

/** True where two frames follow each other at `at`, or one ends with `bytes`. */
export const isAdtsRun = (bytes: Uint8Array, at: number): boolean => {
  const first = parseAdtsHeader(bytes, at);
  if (!first) return false;
  const next = at + first.bytes;
  return next + HEADER_BYTES > bytes.length || parseAdtsHeader(bytes, next) !== undefined;
};

const bytesToRun = (bytes: Uint8Array): number => {
  for (let at = bytes.indexOf(0xff); at >= 0; at = bytes.indexOf(0xff, at + 1))
    if (isAdtsRun(bytes, at)) return at;
  return bytes.length;
};

/** Yields every whole frame; what lies between frames is passed over. */
export async function* readAdts(reader: ByteReader): AsyncGenerator<AacFrame, void, void> {
  for (;;) {
    const header = parseAdtsHeader(await reader.peek(HEADER_BYTES));
    if (header) {
      const frame = await reader.take(header.bytes);
      if (frame.length < header.bytes) return;
      yield { config: header.config, unit: frame.subarray(header.headerBytes) };
      continue;
    }
    await skipId3(reader);
    const ahead = await reader.peek(SEARCH_BYTES);
    if (ahead.length < HEADER_BYTES) return;
    await reader.skip(Math.max(1, bytesToRun(ahead.subarray(1)) + 1));
  }
}
