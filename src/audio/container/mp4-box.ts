/** Reads the boxes of MP4 (ISO 14496-12 section 4.2) out of bytes in memory. */
import { ascii, viewOf } from '../bytes.ts';

export interface Box {
  readonly type: string;
  readonly body: Uint8Array;
}

/** Boxes within one box that are read; real files have a few dozen. */
const MOST_BOXES = 64;

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

/** The part of a track that is to be heard, in seconds of its media. */
export interface Mp4Edit {
  readonly startSeconds: number;
  /** Infinite where the file does not say. */
  readonly endSeconds: number;
}

/** Entries that are read; a list with more than one of media is not followed. */
const MOST_ENTRIES = 64;
const ENTRY_BYTES = [12, 20];

interface Entry {
  /** The length in units of the movie; 0 where the file is written piece by piece. */
  readonly duration: number;
  /** The start in units of the track; -1 for a pause. */
  readonly mediaTime: number;
}

function* entries(elst: Uint8Array): Generator<Entry, void, void> {
  const view = viewOf(elst);
  const isLong = elst[0] === 1;
  const bytes = ENTRY_BYTES[isLong ? 1 : 0]!;
  const count = Math.min(uint32(elst, 4), MOST_ENTRIES);
  for (let i = 0, at = 8; i < count && at + bytes <= elst.length; i += 1, at += bytes)
    yield isLong
      ? { duration: Number(view.getBigUint64(at)), mediaTime: Number(view.getBigInt64(at + 8)) }
      : { duration: view.getUint32(at), mediaTime: view.getInt32(at + 4) };
}

interface Timing {
  /** The units of a second. */
  readonly perSecond: number;
  /** The length in seconds; infinite where the file is written piece by piece. */
  readonly seconds: number;
}

/** Reads an `mvhd` or `mdhd`. */
const parseTiming = (header: Uint8Array | undefined): Timing => {
  const isLong = header?.[0] === 1;
  const perSecond = uint32(header, isLong ? 20 : 12);
  const units = isLong ? uint32(header, 24) * 2 ** 32 + uint32(header, 28) : uint32(header, 16);
  return { perSecond, seconds: units === 0 ? Infinity : units / perSecond };
};

/**
 * Parses the edit of a `trak` (ISO 14496-12, 8.6.6), by which encoders tell what they added and phones cut
 * recordings. Undefined without one, and where several cut or repeat the media.
 */
export const parseEdit = (mvhd: Uint8Array | undefined, trak: Uint8Array): Mp4Edit | undefined => {
  const elst = find(trak, 'edts', 'elst');
  const edits = elst ? [...entries(elst)].filter(({ mediaTime }) => mediaTime >= 0) : [];
  const [edit] = edits;
  const media = parseTiming(find(trak, 'mdia', 'mdhd'));
  if (!edit || edits.length > 1 || media.perSecond === 0) return undefined;
  const startSeconds = edit.mediaTime / media.perSecond;
  const movie = parseTiming(mvhd);
  if (edit.duration === 0 || movie.perSecond === 0) return { startSeconds, endSeconds: Infinity };
  // A coarse unit of the movie has cut off what is shorter.
  const rounding = movie.perSecond < media.perSecond ? 1 : 0;
  const editEndSeconds = startSeconds + (edit.duration + rounding) / movie.perSecond;
  return { startSeconds, endSeconds: Math.min(editEndSeconds, media.seconds) };
};
