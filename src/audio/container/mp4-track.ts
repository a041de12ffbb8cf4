/** Parses the audio track of an MP4 file (ISO 14496-12, -14) out of its `moov` and `moof` boxes. */
import {
  ascii,
  type AudioKind,
  damagedAudio,
  protectedAudio,
  silentFilm,
  unsupportedAudio,
  unsupportedForm,
  viewOf,
} from '../bytes.ts';
import { type Box, boxes, find, uint32, type Mp4Edit, parseEdit } from './mp4-box.ts';
import type { OpusHead } from '../opus/packet.ts';

export type Mp4Codec =
  /** AAC; `config` is the AudioSpecificConfig (ISO 14496-3). */
  | { readonly name: 'aac'; readonly config: Uint8Array }
  | { readonly name: 'opus'; readonly head: OpusHead };

export interface Mp4Track {
  readonly id: number;
  readonly codec: Mp4Codec;
  /** The part of the track that is to be heard; all of it where undefined. */
  readonly edit: Mp4Edit | undefined;
  /** The size of samples for fragments that give none. */
  readonly defaultSampleBytes: number;
  /** The places of the samples that `moov` itself lists; none in a fragmented file. */
  samples(): Iterable<Mp4Sample>;
}

/** The place of an access unit; `offset` is from the start of the file. */
export interface Mp4Sample {
  readonly offset: number;
  readonly bytes: number;
}

const AUDIO_ENTRY_BYTES = 28;
/** The bytes that QuickTime's versions of the sound description add to it. */
const EXTRA_ENTRY_BYTES = [0, 16, 36];

const DESCRIPTOR_CONFIG = 4;
const DESCRIPTOR_SPECIFIC = 5;
const OBJECT_TYPE_AAC = [0x40, 0x66, 0x67, 0x68];

/** The longest `esds`; they take a few dozen bytes. */
const LONGEST_ESDS_BYTES = 4_096;

/** Finds the AudioSpecificConfig inside an `esds` box (ISO 14496-1 section 7.2.6). */
const parseEsds = (esds: Uint8Array): Uint8Array | undefined => {
  let at = 4;
  while (at < esds.length) {
    const tag = esds[at]!;
    let bytes = 0;
    at += 1;
    for (let more = true; more && at < esds.length; at += 1) {
      bytes = bytes * 128 + (esds[at]! & 0x7f);
      more = (esds[at]! & 0x80) !== 0;
    }
    if (tag === DESCRIPTOR_SPECIFIC) return esds.subarray(at, at + bytes);
    if (tag === DESCRIPTOR_CONFIG) {
      if (!OBJECT_TYPE_AAC.includes(esds[at] ?? 0)) return undefined;
      at += 13;
    } else if (tag === 3) {
      const flags = esds[at + 2] ?? 0;
      at += 3 + ((flags & 0x80) !== 0 ? 2 : 0) + ((flags & 0x20) !== 0 ? 2 : 0);
      if ((flags & 0x40) !== 0) at += 1 + (esds[at] ?? 0);
    } else at += bytes;
  }
  return undefined;
};

/** Parses the `dOps` box (Opus in ISO BMFF, section 4.3.2): OpusHead in the other byte order. */
const parseDops = (dops: Uint8Array): OpusHead | undefined => {
  if (dops.length < 11) return undefined;
  const view = viewOf(dops);
  return {
    channels: dops[1]!,
    preSkipSamples: view.getUint16(2),
    inputRateHz: view.getUint32(4),
    gain: view.getInt16(8),
    mappingFamily: dops[10]!,
    mapping: dops.subarray(11),
  };
};

/** Codecs that are not decoded here, by the type of the sample entry. */
const CODEC_NAMES: Readonly<Record<string, AudioKind>> = {
  alac: 'Apple Lossless',
  apac: 'Apple Spatial Audio',
  'ac-3': 'AC-3',
  'ec-3': 'AC-3',
  fLaC: ['MP4', 'FLAC'],
  '.mp3': ['MP4', 'MP3'],
  samr: ['MP4', 'AMR'],
  sowt: ['MOV', 'PCM'],
  twos: ['MOV', 'PCM'],
  lpcm: ['MOV', 'PCM'],
  in24: ['MOV', 'PCM'],
  in32: ['MOV', 'PCM'],
  fl32: ['MOV', 'PCM'],
  fl64: ['MOV', 'PCM'],
  'raw ': ['MOV', 'PCM'],
  ipcm: ['MP4', 'PCM'],
  fpcm: ['MP4', 'PCM'],
  alaw: ['MOV', 'A-law'],
  ulaw: ['MOV', 'μ-law'],
};

const parseCodec = (entry: Box): Mp4Codec => {
  const { type, body } = entry;
  const version = body.length > 10 ? viewOf(body).getUint16(8) : 0;
  const children = body.subarray(AUDIO_ENTRY_BYTES + (EXTRA_ENTRY_BYTES[version] ?? 0));
  if (type === 'mp4a') {
    const esds = find(children, 'esds') ?? find(children, 'wave', 'esds');
    const config = esds && parseEsds(esds.subarray(0, LONGEST_ESDS_BYTES));
    if (config && config.length >= 2) return { name: 'aac', config };
  }
  if (type === 'Opus') {
    const dops = find(children, 'dOps');
    const head = dops && parseDops(dops);
    if (head) return { name: 'opus', head };
  }
  if (type === 'enca') throw protectedAudio();
  const kind = CODEC_NAMES[type];
  throw kind ? unsupportedAudio(kind) : unsupportedForm('MP4');
};

/** The chunk tables of a track (ISO 14496-12 sections 8.7.3 to 8.7.5), one sample after the other. */
function* tableSamples(stbl: Uint8Array): Generator<Mp4Sample, void, void> {
  const stsz = find(stbl, 'stsz');
  const stsc = find(stbl, 'stsc');
  const stco = find(stbl, 'stco');
  const co64 = find(stbl, 'co64');
  const fixedBytes = uint32(stsz, 4);
  const tableSizes = Math.max(0, Math.floor(((stsz?.length ?? 0) - 12) / 4));
  // Samples of one size need no table; the file itself ends with the last of them.
  const samples = Math.min(uint32(stsz, 8), fixedBytes > 0 ? Infinity : tableSizes);
  const runs = uint32(stsc, 4);
  const chunks = uint32(stco ?? co64, 4);
  let sample = 0;
  let run = 0;
  for (let chunk = 0; chunk < chunks && sample < samples; chunk += 1) {
    const next = 8 + (run + 1) * 12;
    if (run + 1 < runs && uint32(stsc, next) === chunk + 1) run += 1;
    let offset = stco
      ? uint32(stco, 8 + chunk * 4)
      : uint32(co64, 8 + chunk * 8) * 2 ** 32 + uint32(co64, 12 + chunk * 8);
    const inChunk = uint32(stsc, 8 + run * 12 + 4);
    if (inChunk === 0 || offset === 0) return;
    for (let i = 0; i < inChunk && sample < samples; i += 1, sample += 1) {
      const bytes = fixedBytes || uint32(stsz, 12 + sample * 4);
      yield { offset, bytes };
      offset += bytes;
    }
  }
}

/** Parses an audio track of a `moov`; undefined for another. Throws `AppError` if it cannot be read. */
const parseTrack = (trak: Uint8Array, moov: readonly Box[]): Mp4Track | undefined => {
  const hdlr = find(trak, 'mdia', 'hdlr');
  if (!hdlr || ascii(hdlr, 8, 4) !== 'soun') return undefined;
  const stbl = find(trak, 'mdia', 'minf', 'stbl');
  const stsd = stbl && find(stbl, 'stsd');
  const entry = stsd && boxes(stsd, 8).next().value;
  const tkhd = find(trak, 'tkhd');
  if (!stbl || !entry || !tkhd) throw damagedAudio('an MP4 audio track');
  const id = uint32(tkhd, tkhd[0] === 1 ? 20 : 12);
  const bodyOf = (name: string) => moov.find(({ type }) => type === name)?.body;
  const extensions = bodyOf('mvex');
  const trex =
    extensions &&
    boxes(extensions).find((box) => box.type === 'trex' && uint32(box.body, 4) === id)?.body;
  return {
    id,
    codec: parseCodec(entry),
    edit: parseEdit(bodyOf('mvhd'), trak),
    defaultSampleBytes: uint32(trex, 16),
    samples: () => tableSamples(stbl),
  };
};

/**
 * Parses the first audio track of a `moov` that can be read, of its boxes: telephones put one for
 * players of spatial sound before the usual one. Throws `AppError` if there is none.
 */
export const parseMoov = (moov: readonly Box[]): Mp4Track => {
  let refusal: unknown;
  for (const { type, body } of moov) {
    if (type !== 'trak') continue;
    try {
      const track = parseTrack(body, moov);
      if (track) return track;
    } catch (error) {
      refusal ??= error;
    }
  }
  throw refusal ?? silentFilm('MP4');
};

const BASE_OFFSET_GIVEN = 0x1;
const SAMPLE_BYTES_GIVEN = 0x10;

/** The samples of one `traf`; `moofAt` is where its `moof` begins (sections 8.8.7 and 8.8.8). */
function* fragmentSamples(
  traf: Uint8Array,
  moofAt: number,
  defaultBytes: number,
): Generator<Mp4Sample, void, void> {
  const tfhd = find(traf, 'tfhd');
  if (!tfhd) return;
  const flags = uint32(tfhd, 0);
  let at = 8;
  let base = moofAt;
  if ((flags & BASE_OFFSET_GIVEN) !== 0) {
    base = uint32(tfhd, at) * 2 ** 32 + uint32(tfhd, at + 4);
    at += 8;
  }
  if ((flags & 0x2) !== 0) at += 4;
  if ((flags & 0x8) !== 0) at += 4;
  const usualBytes = (flags & SAMPLE_BYTES_GIVEN) !== 0 ? uint32(tfhd, at) : defaultBytes;
  let offset = base;
  for (const { type, body: trun } of boxes(traf)) {
    if (type !== 'trun') continue;
    const fields = uint32(trun, 0);
    const samples = uint32(trun, 4);
    let field = 8;
    if ((fields & 0x1) !== 0) {
      offset = base + (uint32(trun, field) | 0);
      field += 4;
    }
    if ((fields & 0x4) !== 0) field += 4;
    const before = (fields & 0x100) !== 0 ? 4 : 0;
    const hasSizes = (fields & 0x200) !== 0;
    const after = ((fields & 0x400) !== 0 ? 4 : 0) + ((fields & 0x800) !== 0 ? 4 : 0);
    for (let i = 0; i < samples; i += 1) {
      if (field + before > trun.length) return;
      const bytes = hasSizes ? uint32(trun, field + before) : usualBytes;
      field += before + (hasSizes ? 4 : 0) + after;
      if (bytes === 0 || offset < 0) return;
      yield { offset, bytes };
      offset += bytes;
    }
  }
}

/** The samples that a `moof` body adds to `track`. */
export function* parseMoof(
  moof: Uint8Array,
  moofAt: number,
  track: Mp4Track,
): Generator<Mp4Sample, void, void> {
  for (const { type, body: traf } of boxes(moof)) {
    const tfhd = type === 'traf' ? find(traf, 'tfhd') : undefined;
    if (tfhd && uint32(tfhd, 4) === track.id)
      yield* fragmentSamples(traf, moofAt, track.defaultSampleBytes);
  }
}
