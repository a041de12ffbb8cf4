/** Takes Opus packets apart into their frames and makes packets of frames (RFC 6716 section 3.2). */
import { concatBytes } from '../bytes.ts';
import { parseToc } from './packet.ts';

/** The first length that takes two bytes (RFC 6716 section 3.2.1). */
const FIRST_LONG_LENGTH = 252;
const LONGEST_FRAME_BYTES = 1_275;
const CODE_MASK = 0x03;
const VARIABLE = 0x80;
const PADDED = 0x40;

/** Reads one packet from its second byte on; a read past the end makes it broken. */
const createCursor = (packet: Uint8Array) => {
  let at = 1;
  let end = packet.length;
  let broken = false;
  const byte = (): number => {
    broken ||= at >= end;
    at += 1;
    return packet[at - 1] ?? 0;
  };
  return {
    byte,
    left: (): number => end - at,
    frameLength: (): number => {
      const first = byte();
      return first < FIRST_LONG_LENGTH ? first : first + 4 * byte();
    },
    cutEnd: (bytes: number): void => {
      end -= bytes;
    },
    take: (bytes: number): Uint8Array => {
      broken ||= bytes > end - at || bytes > LONGEST_FRAME_BYTES;
      at += bytes;
      return packet.subarray(at - bytes, at);
    },
    isBroken: (): boolean => broken || at > end,
  };
};

type Cursor = ReturnType<typeof createCursor>;

const paddingBytes = (cursor: Cursor): number => {
  let padding = 0;
  let step: number;
  do {
    step = cursor.byte();
    padding += step === 255 ? 254 : step;
  } while (step === 255);
  return padding;
};

const lengthsOf = (cursor: Cursor, code: number): number[] => {
  if (code === 0) return [cursor.left()];
  if (code === 1) return [cursor.left() / 2, cursor.left() / 2];
  if (code === 2) {
    const first = cursor.frameLength();
    return [first, cursor.left() - first];
  }
  const layout = cursor.byte();
  const count = layout & 0x3f;
  if ((layout & PADDED) !== 0) cursor.cutEnd(paddingBytes(cursor));
  if ((layout & VARIABLE) === 0) return Array.from({ length: count }, () => cursor.left() / count);
  const lengths = Array.from({ length: count - 1 }, () => cursor.frameLength());
  return [...lengths, cursor.left() - lengths.reduce((total, length) => total + length, 0)];
};

/** The frames of a packet, without padding; undefined for one that decoders must refuse. */
export const framesOf = (packet: Uint8Array): Uint8Array[] | undefined => {
  if (!parseToc(packet)) return undefined;
  const cursor = createCursor(packet);
  const lengths = lengthsOf(cursor, packet[0]! & CODE_MASK);
  if (lengths.some((length) => length < 0 || !Number.isInteger(length))) return undefined;
  const frames = lengths.map((length) => cursor.take(length));
  return cursor.isBroken() ? undefined : frames;
};

const lengthBytes = (length: number): Uint8Array => {
  if (length < FIRST_LONG_LENGTH) return Uint8Array.of(length);
  const first = FIRST_LONG_LENGTH + (length % 4);
  return Uint8Array.of(first, (length - first) / 4);
};

/** Makes one packet of frames whose configuration `toc` gives; its frame count is ignored. */
export const packetOf = (toc: number, frames: readonly Uint8Array[]): Uint8Array => {
  const [first = new Uint8Array(0), second] = frames;
  const kind = toc & ~CODE_MASK;
  const isEven = frames.every(({ length }) => length === first.length);
  if (!second) return concatBytes([Uint8Array.of(kind), first]);
  if (frames.length === 2 && isEven) return concatBytes([Uint8Array.of(kind | 1), ...frames]);
  if (frames.length === 2)
    return concatBytes([Uint8Array.of(kind | 2), lengthBytes(first.length), ...frames]);
  if (isEven) return concatBytes([Uint8Array.of(kind | 3, frames.length), ...frames]);
  const lengths = frames.slice(0, -1).map(({ length }) => lengthBytes(length));
  return concatBytes([Uint8Array.of(kind | 3, VARIABLE | frames.length), ...lengths, ...frames]);
};
