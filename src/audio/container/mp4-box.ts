/** Reads the boxes of MP4 (ISO 14496-12 section 4.2) out of bytes in memory. */
import { ascii, viewOf } from '../bytes.ts';

export interface Box {
  readonly type: string;
  readonly body: Uint8Array;
}

/** Boxes within one box that are read; real files have a few dozen. */
const MOST_BOXES = 64;

/** The boxes of a body, from `from` on. */
export function* boxes(bytes: Uint8Array, from = 0): Generator<Box, void, void> {
  const view = viewOf(bytes);
  for (let at = from, count = 0; at + 8 <= bytes.length && count < MOST_BOXES; count += 1) {
    const short = view.getUint32(at);
    const long = short === 1 && at + 16 <= bytes.length;
    const size = long ? Number(view.getBigUint64(at + 8)) : short === 0 ? bytes.length - at : short;
    const headBytes = long ? 16 : 8;
    if (size < headBytes) return;
    yield { type: ascii(bytes, at + 4, 4), body: bytes.subarray(at + headBytes, at + size) };
    at += size;
  }
}

/** The body of the first box at the end of a path of types; undefined if there is none. */
export const find = (bytes: Uint8Array, ...path: readonly string[]): Uint8Array | undefined => {
  let body: Uint8Array | undefined = bytes;
  for (const type of path) body = body && boxes(body).find((box) => box.type === type)?.body;
  return body;
};

/** Reads a number; 0 where it would reach past the end. */
export const uint32 = (bytes: Uint8Array | undefined, at: number): number =>
  bytes && at >= 0 && at + 4 <= bytes.length ? viewOf(bytes).getUint32(at) : 0;
