/**
 * Marks files of speech as made by a machine, in the comments of their formats: in words, and with the term of the
 * IPTC's vocabulary of digital source types.
 */
import type { AudioFormat } from '../../model/message.ts';
import { ascii, concatBytes, viewOf } from '../bytes.ts';
import { LONGEST_SEGMENT_TABLE, PAGE_HEADER_BYTES, writePage } from './ogg-page.ts';

const COMMENT = 'Synthetic speech, made by a machine';
const SOURCE_FIELD = 'DIGITALSOURCETYPE';
const SOURCE_TYPE = 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

const uint32 = (value: number, isLittleEndian: boolean): Uint8Array => {
  const bytes = new Uint8Array(4);
  viewOf(bytes).setUint32(0, value, isLittleEndian);
  return bytes;
};

/** The frames of an ID3v2.3 tag, in Latin-1; every size is below 128, as the tag's own size needs no other form. */
const id3Frame = (id: string, content: string): Uint8Array => {
  const body = bytesOf(`\0${content}`);
  return concatBytes([bytesOf(id), uint32(body.length, false), new Uint8Array(2), body]);
};

/** Identifier of the frame for text that the writer defines (ID3v2.3.0, section 4.2.2): the standard's own name. */
const OWN_TEXT_FRAME = 'TXXX';

const markMp3 = (file: Uint8Array): Uint8Array => {
  const frames = concatBytes([
    id3Frame('COMM', `eng\0${COMMENT}`),
    id3Frame(OWN_TEXT_FRAME, `${SOURCE_FIELD}\0${SOURCE_TYPE}`),
  ]);
  const size = [0, 0, frames.length >> 7, frames.length & 0x7f];
  return concatBytes([bytesOf('ID3'), Uint8Array.from([3, 0, 0, ...size]), frames, file]);
};

/** Adds a list of information (RIFF) behind the sound; a file without its length stays as it is. */
const markWav = (file: Uint8Array): Uint8Array => {
  const riffBytes = file.length - 8;
  const isWhole = file.length > 12 && viewOf(file).getUint32(4, true) === riffBytes;
  if (!isWhole || file.length % 2 === 1 || ascii(file, 8, 4) !== 'WAVE') return file;
  const text = bytesOf(`${COMMENT} (${SOURCE_TYPE})\0`);
  const padded = concatBytes([text, new Uint8Array(text.length % 2)]);
  const info = concatBytes([bytesOf('INFOICMT'), uint32(text.length, true), padded]);
  const marked = concatBytes([file, bytesOf('LIST'), uint32(info.length, true), info]);
  viewOf(marked).setUint32(4, marked.length - 8, true);
  return marked;
};

/** The bytes of Vorbis comments, from their vendor on, with those of the mark; undefined for damaged ones. */
const withComments = (bytes: Uint8Array): Uint8Array | undefined => {
  const view = viewOf(bytes);
  const lengthAt = (at: number): number =>
    at + 4 <= bytes.length ? view.getUint32(at, true) : NaN;
  const countAt = 4 + lengthAt(0);
  const count = lengthAt(countAt);
  let end = countAt + 4;
  for (let index = 0; index < count && end <= bytes.length; index += 1) end += 4 + lengthAt(end);
  if (!(end <= bytes.length)) return undefined;
  const added = [`DESCRIPTION=${COMMENT}`, `${SOURCE_FIELD}=${SOURCE_TYPE}`].map(bytesOf);
  return concatBytes([
    bytes.subarray(0, countAt),
    uint32(count + added.length, true),
    bytes.subarray(countAt + 4, end),
    ...added.flatMap((each) => [uint32(each.length, true), each]),
  ]);
};

const TAGS = 'OpusTags';

/** Adds comments to the second page, where it holds all of them and nothing else (RFC 7845, section 5.2). */
const markOgg = (file: Uint8Array): Uint8Array => {
  const view = viewOf(file);
  const pageAt = (from: number) => {
    const segments = file.subarray(from + PAGE_HEADER_BYTES).subarray(0, file[from + 26] ?? 0);
    const bodyAt = from + PAGE_HEADER_BYTES + segments.length;
    return { segments, bodyAt, end: bodyAt + segments.reduce((sum, size) => sum + size, 0) };
  };
  const start = pageAt(0).end;
  const { segments, bodyAt, end } = pageAt(start);
  const isAlone = segments.findIndex((size) => size < 255) === segments.length - 1;
  if (end > file.length || !isAlone || ascii(file, bodyAt, TAGS.length) !== TAGS) return file;
  const comments = withComments(file.subarray(bodyAt + TAGS.length, end));
  if (!comments) return file;
  const body = concatBytes([bytesOf(TAGS), comments]);
  const full = Math.floor(body.length / 255);
  if (full >= LONGEST_SEGMENT_TABLE) return file;
  const page = writePage({
    flags: file[start + 5]!,
    granule: Number(view.getBigInt64(start + 6, true)),
    serial: view.getUint32(start + 14, true),
    sequence: view.getUint32(start + 18, true),
    segments: Uint8Array.from([...Array<number>(full).fill(255), body.length % 255]),
    body,
  });
  return concatBytes([file.subarray(0, start), page, file.subarray(end)]);
};

const BLOCK_HEADER_BYTES = 4;
const LAST_BLOCK = 0x80;
const VORBIS_COMMENT = 4;

/** Adds comments to the block that has them, or one behind the first block (RFC 9639, section 8.6). */
const markFlac = (file: Uint8Array): Uint8Array => {
  const view = viewOf(file);
  const blocks: { readonly type: number; readonly from: number; readonly to: number }[] = [];
  for (let at = 4, isLast = false; !isLast;) {
    if (at + BLOCK_HEADER_BYTES > file.length) return file;
    const head = view.getUint32(at);
    const from = at + BLOCK_HEADER_BYTES;
    isLast = ((head >>> 24) & LAST_BLOCK) !== 0;
    at = from + (head & 0xff_ffff);
    blocks.push({ type: (head >>> 24) & ~LAST_BLOCK, from, to: at });
  }
  const end = blocks.at(-1)!.to;
  const [first] = blocks;
  if (end > file.length || !first) return file;
  const before = blocks.find(({ type }) => type === VORBIS_COMMENT);
  const comments = withComments(before ? file.subarray(before.from, before.to) : new Uint8Array(8));
  if (!comments) return file;
  const kept = blocks.filter((block) => block !== before && block !== first);
  const written = [
    { type: first.type, bytes: file.subarray(first.from, first.to) },
    { type: VORBIS_COMMENT, bytes: comments },
    ...kept.map(({ type, from, to }) => ({ type, bytes: file.subarray(from, to) })),
  ].flatMap(({ type, bytes }, place, { length }) => {
    const head = (place === length - 1 ? LAST_BLOCK : 0) | type;
    return [uint32(((head << 24) | bytes.length) >>> 0, false), bytes];
  });
  return concatBytes([file.subarray(0, 4), ...written, file.subarray(end)]);
};

const MARKS: Readonly<
  Record<AudioFormat, readonly [magic: string, mark: (file: Uint8Array) => Uint8Array]>
> = {
  mp3: ['', markMp3],
  wav: ['RIFF', markWav],
  ogg: ['OggS', markOgg],
  flac: ['fLaC', markFlac],
  // Bare samples have no place for it.
  pcm: ['', (file) => file],
};

/** Marks a whole file as synthetic speech; one that is damaged, or of another form, stays as it is. */
export const markSynthetic = (format: AudioFormat, file: Uint8Array): Uint8Array => {
  const [magic, mark] = MARKS[format];
  return ascii(file, 0, magic.length) === magic ? mark(file) : file;
};
