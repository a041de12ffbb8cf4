/** Reads the logical streams of one codec out of an Ogg file (RFC 3533). */
import type { AppError } from '../../errors.ts';
import {
  ascii,
  type ByteReader,
  concatBytes,
  damagedAudio,
  unsupportedAudio,
  unsupportedForm,
} from '../bytes.ts';
import { FLAG_BEGIN, FLAG_CONTINUED, FLAG_END, type OggPage, readPages } from './ogg-page.ts';

/** The packets that end on one page. */
export interface OggPackets {
  readonly packets: readonly Uint8Array[];
  /** The page's position, in units of the codec; negative where no packet ends on it. */
  readonly granule: number;
  readonly isLast: boolean;
  /** True when pages of the stream are missing before this one. */
  readonly isAfterLoss: boolean;
}

/** A stream's first packet, which comes before all others of it, or the packets of its next page. */
export type OggItem =
  | { readonly kind: 'stream'; readonly first: Uint8Array }
  | ({ readonly kind: 'page' } & OggPackets);

export interface OggEnd {
  /** True when the file ends in the middle of something. */
  readonly truncated: boolean;
  /** True when something was unreadable and skipped. */
  readonly damaged: boolean;
}

/** First bytes of streams, with the codec's usual name. */
const CODECS: readonly (readonly [string, string])[] = [
  ['\x01vorbis', 'Ogg Vorbis'],
  ['\x7fFLAC', 'Ogg FLAC'],
  ['Speex   ', 'Ogg Speex'],
  ['\x80theora', 'Ogg Theora'],
];

const refusalOf = (packet: Uint8Array): AppError => {
  const codec = CODECS.find(([magic]) => ascii(packet, 0, magic.length) === magic)?.[1];
  return codec === undefined ? unsupportedForm('Ogg') : unsupportedAudio(codec);
};

/** The longest packet: players may refuse larger tags (RFC 7845 section 5.2); audio is far smaller. */
const LONGEST_PACKET_BYTES = 16 * 1024 * 1024;
/** Streams that begin together; videos have two or three. */
const MOST_STREAMS = 16;

/** Puts the packets of one logical stream together; a packet may span pages. */
const createAssembler = () => {
  let parts: Uint8Array[] = [];
  let partBytes = 0;
  let nextSequence: number | undefined;
  /** False while the bytes belong to a packet whose start was lost. */
  let inSync = false;

  return (page: OggPage): OggPackets => {
    const isAfterLoss = nextSequence !== undefined && page.sequence !== nextSequence;
    nextSequence = (page.sequence + 1) >>> 0;
    const continued = (page.flags & FLAG_CONTINUED) !== 0;
    if (!continued || isAfterLoss) {
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
    const isLast = (page.flags & FLAG_END) !== 0;
    return { packets, granule: page.granule, isLast, isAfterLoss };
  };
};

interface Begun {
  readonly first: Uint8Array;
  readonly assemble: ReturnType<typeof createAssembler>;
}

/**
 * Reads the streams whose first packet is `accepted`, one after the other if they are chained. Of
 * several that begin together, the one whose pages come first is read. Damaged pages are skipped.
 * Throws `AppError`: `unsupported` where only other codecs are, `bad-input` where no stream begins.
 */
export async function* readOggStreams(
  reader: ByteReader,
  accepted: (first: Uint8Array) => boolean,
): AsyncGenerator<OggItem, OggEnd, void> {
  const begun = new Map<number, Begun>();
  let current: { readonly serial: number; readonly assemble: Begun['assemble'] } | undefined;
  let wasBeginning = false;
  let refusal: AppError | undefined;
  let damaged = false;

  const begin = (page: OggPage): void => {
    if (!wasBeginning) begun.clear();
    const assemble = createAssembler();
    const [first] = assemble(page).packets;
    if (!first) return;
    if (!accepted(first)) refusal ??= refusalOf(first);
    else if (begun.size < MOST_STREAMS) begun.set(page.serial, { first, assemble });
  };

  const pages = readPages(reader);
  for (;;) {
    const next = await pages.next();
    if (next.done) {
      if (!current) throw refusal ?? damagedAudio('no Ogg stream');
      const { truncated, skippedBytes } = next.value;
      return { truncated, damaged: damaged || skippedBytes > 0 };
    }
    const page = next.value;
    const isBeginning = (page.flags & FLAG_BEGIN) !== 0;
    if (isBeginning) begin(page);
    wasBeginning = isBeginning;
    if (isBeginning) continue;
    const stream = begun.get(page.serial);
    if (stream) {
      begun.clear();
      current = { serial: page.serial, assemble: stream.assemble };
      yield { kind: 'stream', first: stream.first };
    }
    if (!current && begun.size === 0 && refusal) throw refusal;
    if (page.serial !== current?.serial) continue;
    const item = current.assemble(page);
    damaged ||= item.isAfterLoss;
    yield { kind: 'page', ...item };
  }
}
