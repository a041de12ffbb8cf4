/** Reads Ogg Opus (RFC 7845) out of any bytes. */
import { ascii, type ByteReader, concatBytes } from '../bytes.ts';
import { damagedAudio, unsupportedAudio } from '../errors.ts';
import { FLAG_BEGIN, FLAG_CONTINUED, FLAG_END, type OggPage, readPages } from './ogg-page.ts';
import { parseToc } from '../opus/packet.ts';
import { type OpusHead, parseOpusHead } from '../opus/head.ts';

export interface OpusPacket {
  readonly data: Uint8Array;
  /** The length on the 48 kHz clock. */
  readonly samples: number;
  /** The samples that are to be heard; fewer only at the end of a stream (RFC 7845 section 4.4). */
  readonly keepSamples: number;
}

/** A packet, or a head, which comes before the first packet and where a chained stream begins. */
export type OpusItem =
  | { readonly kind: 'head'; readonly head: OpusHead }
  | ({ readonly kind: 'packet' } & OpusPacket);

export interface OpusEnd {
  /** True when the file ends in the middle of something. */
  readonly truncated: boolean;
  /** True when something was unreadable and skipped. */
  readonly damaged: boolean;
}

/** First bytes of streams of other codecs, with the codec's usual name. */
const OTHER_CODECS: readonly (readonly [string, string])[] = [
  ['\x01vorbis', 'Ogg Vorbis'],
  ['\x7fFLAC', 'Ogg FLAC'],
  ['Speex   ', 'Ogg Speex'],
  ['\x80theora', 'Ogg video'],
];

/** The codec of a stream other than Opus, from its first packet. */
export const otherOggCodec = (packet: Uint8Array): string =>
  OTHER_CODECS.find(([magic]) => ascii(packet, 0, magic.length) === magic)?.[1] ?? 'this Ogg file';

const TAGS_MAGIC = 'OpusTags';
/** The longest packet: players may refuse larger tags (RFC 7845 section 5.2); audio is far smaller. */
const LONGEST_PACKET_BYTES = 16 * 1024 * 1024;

/** Puts the packets of one logical stream together; a packet may span pages. */
const createAssembler = () => {
  let parts: Uint8Array[] = [];
  let partBytes = 0;
  let nextSequence: number | undefined;
  /** False while the bytes belong to a packet whose start was lost. */
  let inSync = false;

  return (page: OggPage): { packets: Uint8Array[]; lost: boolean } => {
    const lost = nextSequence !== undefined && page.sequence !== nextSequence;
    nextSequence = (page.sequence + 1) >>> 0;
    const continued = (page.flags & FLAG_CONTINUED) !== 0;
    if (!continued || lost) {
      parts = [];
      partBytes = 0;
      inSync = !continued;
    }
    const packets: Uint8Array[] = [];
    let at = 0;
    let length = 0;
    for (const segment of page.segments) {
      length += segment;
      if (segment === 255) continue;
      if (at + length > page.body.length) break;
      const last = page.body.subarray(at, at + length);
      if (inSync) packets.push(parts.length > 0 ? concatBytes([...parts, last]) : last);
      parts = [];
      partBytes = 0;
      inSync = true;
      at += length;
      length = 0;
    }
    if (length > 0 && inSync) {
      partBytes += length;
      if (partBytes > LONGEST_PACKET_BYTES) throw damagedAudio('an endless Ogg packet');
      parts.push(page.body.subarray(at));
    }
    return { packets, lost };
  };
};

/** Gives each packet its length, and the last ones of a stream what the final granule leaves. */
const measurePackets = (
  packets: readonly Uint8Array[],
  page: OggPage,
  granuleBefore: number | undefined,
): OpusPacket[] => {
  const known = packets.flatMap((data) => {
    const toc = parseToc(data);
    return toc ? [{ data, samples: toc.samples }] : [];
  });
  const ends = (page.flags & FLAG_END) !== 0 && page.granule >= 0 && granuleBefore !== undefined;
  let left = ends ? Math.max(0, page.granule - granuleBefore) : Infinity;
  return known.map(({ data, samples }) => {
    const keepSamples = Math.min(samples, left);
    left -= keepSamples;
    return { data, samples, keepSamples };
  });
};

/**
 * Reads the Opus streams of an Ogg file, one after the other if they are chained. Damaged pages and
 * impossible packets are skipped. Throws `AppError`: `unsupported` for another codec,
 * `bad-input` where no stream begins.
 */
export async function* readOpus(reader: ByteReader): AsyncGenerator<OpusItem, OpusEnd, void> {
  let serial: number | undefined;
  let assemble = createAssembler();
  let headerPacketsLeft = 0;
  let granule: number | undefined;
  let otherCodec: string | undefined;
  let damaged = false;
  let found = false;

  const pages = readPages(reader);
  for (;;) {
    const next = await pages.next();
    if (next.done) {
      if (!found) throw otherCodec ? unsupportedAudio(otherCodec) : damagedAudio('no Ogg stream');
      return {
        truncated: next.value.truncated,
        damaged: damaged || next.value.skippedBytes > 0,
      };
    }
    const page = next.value;
    if ((page.flags & FLAG_BEGIN) !== 0) {
      const first = page.body.subarray(0, page.segments[0] ?? 0);
      const head = parseOpusHead(first);
      const free = serial === undefined || headerPacketsLeft === 0;
      if (!head) otherCodec ??= otherOggCodec(first);
      else if (free) {
        ({ serial } = page);
        found = true;
        assemble = createAssembler();
        assemble(page);
        headerPacketsLeft = 1;
        granule = 0;
        yield { kind: 'head', head };
      }
      continue;
    }
    if (!found && otherCodec) throw unsupportedAudio(otherCodec);
    if (page.serial !== serial) continue;
    const { packets, lost } = assemble(page);
    if (lost) {
      damaged = true;
      granule = undefined;
    }
    if (headerPacketsLeft > 0 && packets.length > 0) {
      headerPacketsLeft = 0;
      if (ascii(packets[0]!, 0, TAGS_MAGIC.length) === TAGS_MAGIC) packets.shift();
    }
    const measured = measurePackets(packets, page, granule);
    damaged ||= measured.length < packets.length;
    for (const packet of measured) yield { kind: 'packet', ...packet };
    if (page.granule > 0) ({ granule } = page);
  }
}
