import { isAdtsRun, parseAdtsHeader } from './adts.ts';
import { ascii, viewOf } from '../bytes.ts';
import { id3Bytes, isId3, isMp3Run, LONGEST_MP3_FRAME, parseMp3Header } from './mp3-frame.ts';

/**
 * Kinds of files that are told apart; `ogg` is Ogg with a codec that is neither Opus nor Vorbis, and
 * `wav-uncommon` is WAV that few recognisers read: with A-law, µ-law or ADPCM, or big-endian (RIFX).
 */
export type Container =
  | 'wav'
  | 'wav-uncommon'
  | 'aiff'
  | 'ogg-opus'
  | 'ogg-vorbis'
  | 'ogg'
  | 'mp3'
  | 'flac'
  | 'webm'
  | 'mp4'
  | 'adts';

/** The most bytes that `sniff` reads. */
export const SNIFF_BYTES = 8_192;

const MP4_BOXES = new Set(['ftyp', 'styp', 'moov', 'moof', 'mdat', 'wide', 'free', 'skip']);

/** Codes of Microsoft's ADPCM, A-law, µ-law and the IMA's ADPCM in a WAV file's format. */
const COMPRESSED = new Set([2, 6, 7, 0x11]);

const sniffWav = (head: Uint8Array): Container => {
  const view = viewOf(head);
  let at = 12;
  while (at + 10 <= head.length && ascii(head, at, 4) !== 'fmt ') {
    const size = view.getUint32(at + 4, true);
    at += 8 + size + (size % 2);
  }
  const codec = at + 10 <= head.length ? view.getUint16(at + 8, true) : 0;
  return COMPRESSED.has(codec) ? 'wav-uncommon' : 'wav';
};

const sniffOgg = (head: Uint8Array): Container => {
  // Streams begin with pages of one packet each, before any sound (RFC 3533 section 4).
  const start = ascii(head, 0, Math.min(head.length, 1_024));
  if (start.includes('OpusHead')) return 'ogg-opus';
  return start.includes('\x01vorbis') ? 'ogg-vorbis' : 'ogg';
};

export const zerosBefore = (bytes: Uint8Array): number => {
  const at = bytes.findIndex((byte) => byte !== 0);
  return at < 0 ? bytes.length : at;
};

/** True where `count` frames follow each other at `at`. */
const isRun = (
  parse: (bytes: Uint8Array, at: number) => { readonly bytes: number } | undefined,
  bytes: Uint8Array,
  at: number,
  count: number,
): boolean => {
  const frame = parse(bytes, at);
  return frame !== undefined && (count === 1 || isRun(parse, bytes, at + frame.bytes, count - 1));
};

const sniffFrames = (head: Uint8Array): Container | undefined => {
  if (isAdtsRun(head, 0)) return 'adts';
  if (isMp3Run(head, 0, 2)) return 'mp3';
  // Cut recordings begin inside a frame, and some with zeros: for them four frames in a row are required.
  const sound = head.subarray(zerosBefore(head));
  for (
    let at = sound.indexOf(0xff);
    at >= 0 && at < LONGEST_MP3_FRAME;
    at = sound.indexOf(0xff, at + 1)
  ) {
    if (isRun(parseMp3Header, sound, at, 4)) return 'mp3';
    if (isRun(parseAdtsHeader, sound, at, 4)) return 'adts';
  }
  return undefined;
};

/**
 * Recognises a file by its first bytes (`SNIFF_BYTES` of them, or all there are). Undefined for
 * anything unknown. A file that begins with an ID3v2 tag counts as MP3 where the tag is longer than
 * `head`, and where nothing known follows it: tags have wrong sizes.
 */
export const sniff = (head: Uint8Array): Container | undefined => {
  if (isId3(head)) {
    const tagBytes = id3Bytes(head);
    return (tagBytes > 0 ? sniff(head.subarray(tagBytes)) : undefined) ?? 'mp3';
  }
  const four = ascii(head, 0, 4);
  if ((four === 'RIFF' || four === 'RF64') && ascii(head, 8, 4) === 'WAVE') return sniffWav(head);
  if (four === 'RIFX' && ascii(head, 8, 4) === 'WAVE') return 'wav-uncommon';
  if (four === 'FORM' && ['AIFF', 'AIFC'].includes(ascii(head, 8, 4))) return 'aiff';
  if (four === 'OggS') return sniffOgg(head);
  if (four === 'fLaC') return 'flac';
  if (four === '\x1a\x45\xdf\xa3') return 'webm';
  if (MP4_BOXES.has(ascii(head, 4, 4))) return 'mp4';
  return sniffFrames(head);
};

/** Files that are often sent by mistake, or in formats that are not decoded here, with their names. */
const OTHERS: readonly (readonly [magic: string, at: number, kind: string])[] = [
  ['caff', 0, 'CAF'],
  ['#!AMR', 0, 'AMR'],
  ['.snd', 0, 'AU'],
  ['\x30\x26\xb2\x75', 0, 'WMA'],
  ['MThd', 0, 'MIDI'],
  ['AVI ', 8, 'AVI'],
  ['%PDF', 0, 'PDF'],
  ['PK\x03\x04', 0, 'ZIP'],
  ['\x1f\x8b', 0, 'GZIP'],
];

const PICTURES: readonly (readonly [magic: string, at: number])[] = [
  ['WEBP', 8],
  ['\x89PNG', 0],
  ['\xff\xd8\xff', 0],
  ['GIF8', 0],
];

const begins = (head: Uint8Array, magic: string, at: number): boolean =>
  ascii(head, at, magic.length) === magic;

export const isPicture = (head: Uint8Array): boolean =>
  PICTURES.some(([magic, at]) => begins(head, magic, at));

/** The name of a kind of file that is known but not read; undefined for anything else. */
export const nameRefused = (head: Uint8Array): string | undefined =>
  OTHERS.find(([magic, at]) => begins(head, magic, at))?.[2];
