/** Takes Opus packets apart into their frames and makes packets of frames (RFC 6716 section 3.2). */
import { concatBytes } from '../bytes.ts';
import { isOneStream, type OpusHead, type OpusToc, parseToc } from './packet.ts';

/** The first length that takes two bytes (RFC 6716 section 3.2.1). */
const FIRST_LONG_LENGTH = 252;
const LONGEST_FRAME_BYTES = 1_275;
const CODE_MASK = 0x03;
const VARIABLE = 0x80;
const PADDED = 0x40;

/** Reads bytes one after the other; a read past the end makes the cursor broken. */
const createCursor = (bytes: Uint8Array) => {
  let at = 0;
  let end = bytes.length;
  let broken = false;
  const byte = (): number => {
    broken ||= at >= end;
    at += 1;
    return bytes[at - 1] ?? 0;
  };
  return {
    byte,
    left: (): number => end - at,
    rest: (): Uint8Array => bytes.subarray(at, end),
    frameLength: (): number => {
      const first = byte();
      return first < FIRST_LONG_LENGTH ? first : first + 4 * byte();
    },
    cutEnd: (count: number): void => {
      end -= count;
    },
    take: (count: number): Uint8Array => {
      broken ||= count > end - at;
      at += count;
      return bytes.subarray(at - count, at);
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

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** The lengths of frames behind which nothing follows but padding, which is cut off. */
const lengthsToEnd = (
  cursor: Cursor,
  { count, isEven, padding }: { count: number; isEven: boolean; padding: number },
): number[] => {
  cursor.cutEnd(padding);
  if (isEven) return Array.from({ length: count }, () => cursor.left() / count);
  const lengths = Array.from({ length: count - 1 }, () => cursor.frameLength());
  return [...lengths, cursor.left() - sum(lengths)];
};

/** The lengths of frames that give the last one's as well (RFC 6716 appendix B). */
const delimitedLengths = (cursor: Cursor, count: number, isEven: boolean): number[] => {
  const given = Array.from({ length: isEven ? 1 : count }, () => cursor.frameLength());
  return isEven ? Array.from({ length: count }, () => given[0]!) : given;
};

const isFrameLength = (length: number): boolean =>
  Number.isInteger(length) && length >= 0 && length <= LONGEST_FRAME_BYTES;

/** Reads a packet's frames; undefined for what decoders must refuse. */
const readFrames = (cursor: Cursor, isDelimited: boolean): Uint8Array[] | undefined => {
  const toc = parseToc(cursor.rest());
  if (!toc) return undefined;
  const code = cursor.byte() & CODE_MASK;
  const layout = code === 3 ? cursor.byte() : 0;
  const padding = (layout & PADDED) === 0 ? 0 : paddingBytes(cursor);
  const isEven = code === 3 ? (layout & VARIABLE) === 0 : code !== 2;
  const lengths = isDelimited
    ? delimitedLengths(cursor, toc.frames, isEven)
    : lengthsToEnd(cursor, { count: toc.frames, isEven, padding });
  if (!lengths.every(isFrameLength)) return undefined;
  const frames = lengths.map((length) => cursor.take(length));
  if (isDelimited) cursor.take(padding);
  return cursor.isBroken() ? undefined : frames;
};

/** The frames of a packet, without padding; undefined for one that decoders must refuse. */
export const framesOf = (packet: Uint8Array): Uint8Array[] | undefined =>
  readFrames(createCursor(packet), false);

/**
 * Parses a packet of one stream; undefined where its frames do not fit into it (RFC 6716 section 3.4):
 * one such packet makes a recogniser refuse the whole file.
 */
export const parsePacket = (packet: Uint8Array): OpusToc | undefined =>
  framesOf(packet) && parseToc(packet);

/** The parser of a stream's packets: where each holds several streams, it looks at the first byte alone. */
export const packetParser = (head?: OpusHead): typeof parsePacket =>
  head && !isOneStream(head) ? parseToc : parsePacket;

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

/**
 * Takes a packet of several streams apart (RFC 7845 section 3): the packet of each stream, in order;
 * undefined where there are not as many.
 */
export const splitStreams = (packet: Uint8Array, streams: number): Uint8Array[] | undefined => {
  const cursor = createCursor(packet);
  const packets: Uint8Array[] = [];
  while (packets.length < streams - 1) {
    const [toc = 0] = cursor.rest();
    const frames = readFrames(cursor, true);
    if (!frames) return undefined;
    packets.push(packetOf(toc, frames));
  }
  return [...packets, cursor.rest()];
};

/** The length of the packets that come out: 20 ms on the clock of 48 kHz. */
const PACKET_SAMPLES = 960;

/** Makes packets of 20 ms of packets of any length, without changing the frames in them. */
export const createRepacketizer = () => {
  let kind = 0;
  let frames: Uint8Array[] = [];
  let needed = 1;

  const takeOut = (): Uint8Array => {
    const packet = packetOf(kind, frames);
    frames = [];
    return packet;
  };

  return {
    /**
     * Takes a packet and returns those that are complete by now; a damaged one gives none. Undefined, and
     * nothing is taken, where a frame is longer than 20 ms or the kind of frames changes within a packet.
     */
    push: (packet: Uint8Array): Uint8Array[] | undefined => {
      const toc = parseToc(packet);
      const parts = framesOf(packet);
      if (!toc || !parts) return [];
      const nextKind = packet[0]! & ~CODE_MASK;
      if (toc.frameSamples > PACKET_SAMPLES || (frames.length > 0 && nextKind !== kind))
        return undefined;
      kind = nextKind;
      needed = PACKET_SAMPLES / toc.frameSamples;
      const packets: Uint8Array[] = [];
      for (const part of parts) {
        frames.push(part);
        if (frames.length === needed) packets.push(takeOut());
      }
      return packets;
    },
    /** The frames not yet returned, as a packet shorter than 20 ms. */
    pending: (): Uint8Array | undefined => (frames.length > 0 ? packetOf(kind, frames) : undefined),
    /** The last packet, if one is begun: players conceal the frames that it lacks. */
    end: (): Uint8Array[] => {
      if (frames.length === 0) return [];
      while (frames.length < needed) frames.push(new Uint8Array(0));
      return [takeOut()];
    },
  };
};
