/** Reads the Opus packets of a WebM or Matroska file (RFC 9559), as browsers record them. */
import type { AppError } from '../../errors.ts';
import {
  ascii,
  type AudioKind,
  type ByteReader,
  damagedAudio,
  silentFilm,
  unsupportedAudio,
  unsupportedForm,
} from '../bytes.ts';
import type { OpusItem } from './ogg-reader.ts';
import type { OggEnd } from './ogg-streams.ts';
import { packetParser } from '../opus/layout.ts';
import { OPUS_CLOCK_HZ, type OpusHead, parseOpusHead } from '../opus/packet.ts';

const ID = {
  segment: 0x18538067,
  cluster: 0x1f43b675,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackNumber: 0xd7,
  codecId: 0x86,
  codecPrivate: 0x63a2,
  encodings: 0x6d80,
  trackType: 0x83,
  blockGroup: 0xa0,
  simpleBlock: 0xa3,
  block: 0xa1,
  discardPadding: 0x75a2,
} as const;

/**
 * Elements whose contents are read as if they stood beside them, so that no end or size need be
 * known.
 */
const ENTERED: ReadonlySet<number> = new Set([ID.segment, ID.cluster, ID.blockGroup]);

const AUDIO_TRACK = 2;
const LONGEST_TRACKS_BYTES = 1024 * 1024;
const LONGEST_BLOCK_BYTES = 128 * 1024;
/** Elements of a track that are read; real files have a few dozen. */
const MOST_CHILDREN = 128;
const LONGEST_CODEC_ID = 64;
const LACING_FLAGS = 0x06;
const CLUSTER_MAGIC = Uint8Array.of(0x1f, 0x43, 0xb6, 0x75);
const SEARCH_BYTES = 65_536;

interface Vint {
  /** The size of the contents; infinite where it is unknown (all bits set). */
  readonly value: number;
  readonly bytes: number;
}

/** A number of variable length (RFC 8794 section 4); undefined where none begins or it is cut. */
const readVint = (bytes: Uint8Array, at: number, keepMarker: boolean): Vint | undefined => {
  const first = bytes[at] ?? 0;
  const length = Math.clz32(first) - 23;
  if (length > 8 || at + length > bytes.length) return undefined;
  let value = keepMarker ? first : first & (0xff >> length);
  let allOnes = !keepMarker && value === 0xff >> length;
  for (let i = 1; i < length; i += 1) {
    value = value * 256 + bytes[at + i]!;
    allOnes &&= bytes[at + i] === 0xff;
  }
  return { value: allOnes ? Infinity : value, bytes: length };
};

interface Element {
  readonly id: number;
  readonly size: number;
  readonly headBytes: number;
}

const parseElement = (bytes: Uint8Array, at: number): Element | undefined => {
  const id = readVint(bytes, at, true);
  const size = id && id.bytes <= 4 ? readVint(bytes, at + id.bytes, false) : undefined;
  return id && size && { id: id.value, size: size.value, headBytes: id.bytes + size.bytes };
};

function* children(bytes: Uint8Array): Generator<{ id: number; body: Uint8Array }, void, void> {
  for (let at = 0, count = 0; at < bytes.length && count < MOST_CHILDREN; count += 1) {
    const element = parseElement(bytes, at);
    if (!element) return;
    at += element.headBytes;
    yield { id: element.id, body: bytes.subarray(at, at + element.size) };
    at += element.size;
  }
}

const uint = (bytes: Uint8Array): number =>
  bytes.subarray(0, 8).reduce((value, byte) => value * 256 + byte, 0);

const CODEC_NAMES: Readonly<Record<string, AudioKind>> = {
  A_VORBIS: ['WebM', 'Vorbis'],
  A_AAC: ['Matroska', 'AAC'],
  'A_MPEG/L3': ['Matroska', 'MP3'],
  A_FLAC: ['Matroska', 'FLAC'],
  A_ALAC: ['Matroska', 'Apple Lossless'],
  A_AC3: ['Matroska', 'AC-3'],
  A_EAC3: ['Matroska', 'AC-3'],
  A_DTS: ['Matroska', 'DTS'],
  'A_PCM/INT/LIT': ['Matroska', 'PCM'],
  'A_PCM/INT/BIG': ['Matroska', 'PCM'],
  'A_PCM/FLOAT/IEEE': ['Matroska', 'PCM'],
};

interface Track {
  readonly number: number;
  readonly head: OpusHead;
}

const STANDARD_HEAD: OpusHead = {
  channels: 1,
  preSkipSamples: 0,
  inputRateHz: OPUS_CLOCK_HZ,
  gain: 0,
  mappingFamily: 0,
  mapping: new Uint8Array(0),
};

/** Parses the first audio track with Opus as it is. Throws `unsupported` if there is none. */
const parseTracks = (tracks: Uint8Array): Track => {
  let refusal: AppError | undefined;
  for (const entry of children(tracks)) {
    if (entry.id !== ID.trackEntry) continue;
    const fields = new Map(children(entry.body).map(({ id, body }) => [id, body]));
    const field = (id: number): Uint8Array => fields.get(id) ?? new Uint8Array(0);
    if (uint(field(ID.trackType)) !== AUDIO_TRACK) continue;
    const codec = ascii(field(ID.codecId), 0, LONGEST_CODEC_ID).replace(/\0+$/, '');
    if (codec !== 'A_OPUS' || fields.has(ID.encodings)) {
      const kind = CODEC_NAMES[codec];
      refusal ??= kind ? unsupportedAudio(kind) : unsupportedForm('WebM');
      continue;
    }
    const head = parseOpusHead(field(ID.codecPrivate)) ?? STANDARD_HEAD;
    return { number: uint(field(ID.trackNumber)), head };
  }
  throw refusal ?? silentFilm('WebM');
};

/** The packet in a block of this track; undefined for other tracks and for what is no packet. */
const parseBlock = (block: Uint8Array, track: Track): OpusItem | undefined => {
  const number = readVint(block, 0, false);
  if (!number || number.value !== track.number) return undefined;
  const flags = block[number.bytes + 2] ?? 0;
  if ((flags & LACING_FLAGS) !== 0) throw unsupportedForm('WebM', 'with lacing');
  const data = block.subarray(number.bytes + 3);
  const samples = packetParser(track.head)(data)?.samples;
  return samples === undefined
    ? undefined
    : { kind: 'packet', data, samples, keepSamples: samples };
};

/** Applies a DiscardPadding: nanoseconds at the end of the packet before it that are not to be heard. */
const cutPadding = (item: OpusItem | undefined, body: Uint8Array): OpusItem | undefined => {
  if (item?.kind !== 'packet' || body.length === 0 || body.length > 8 || body[0]! > 127)
    return item;
  const cut = Math.round((uint(body) * OPUS_CLOCK_HZ) / 1e9);
  return { ...item, keepSamples: Math.max(0, item.samples - cut) };
};

const nextCluster = (bytes: Uint8Array): number => {
  const at = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(CLUSTER_MAGIC, 1);
  return at < 0 ? Math.max(1, bytes.length - CLUSTER_MAGIC.length + 1) : at;
};

/**
 * Reads the first audio track with Opus. Sizes that a recorder left open, a cut end and damage between
 * clusters are tolerated. Throws `AppError`: `unsupported` where all codecs are others and for
 * laced blocks, `bad-input` where no track is described.
 */
export async function* readWebm(reader: ByteReader): AsyncGenerator<OpusItem, OggEnd, void> {
  let track: Track | undefined;
  let pending: OpusItem | undefined;
  let damaged = false;
  let truncated = false;
  for (;;) {
    const ahead = await reader.peek(12);
    if (ahead.length === 0) break;
    const element = parseElement(ahead, 0);
    const open = element?.size === Infinity;
    if (!element || (open && !ENTERED.has(element.id))) {
      damaged = true;
      await reader.skip(nextCluster(await reader.peek(SEARCH_BYTES)));
      continue;
    }
    await reader.skip(element.headBytes);
    if (ENTERED.has(element.id)) continue;
    const isBlock = element.id === ID.simpleBlock || element.id === ID.block;
    const isRead = isBlock || element.id === ID.tracks || element.id === ID.discardPadding;
    const longest = element.id === ID.tracks ? LONGEST_TRACKS_BYTES : LONGEST_BLOCK_BYTES;
    if (!isRead || element.size > longest) {
      truncated = (await reader.skip(element.size)) < element.size;
      continue;
    }
    const body = await reader.take(element.size);
    truncated = body.length < element.size;
    if (element.id === ID.tracks && !track) {
      track = parseTracks(body);
      yield { kind: 'head', head: track.head };
    } else if (element.id === ID.discardPadding) pending = cutPadding(pending, body);
    else if (isBlock && track && !truncated) {
      const packet = parseBlock(body, track);
      if (packet && pending) yield pending;
      pending = packet ?? pending;
    }
  }
  if (pending) yield pending;
  if (!track) throw damagedAudio('a WebM file without tracks');
  return { truncated, damaged };
}
