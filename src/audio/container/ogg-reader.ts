/** Reads Ogg Opus (RFC 7845) out of any bytes. */
import { ascii, type ByteReader } from '../bytes.ts';
import { type OggEnd, type OggPackets, readOggStreams } from './ogg-streams.ts';
import { packetParser } from '../opus/layout.ts';
import { type OpusHead, parseOpusHead } from '../opus/packet.ts';

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

const TAGS_MAGIC = 'OpusTags';

/** Gives each packet its length, and the last ones of a stream what the final granule leaves. */
const measurePackets = (
  { packets, granule, isLast }: OggPackets,
  granuleBefore: number | undefined,
  parse: ReturnType<typeof packetParser>,
): OpusPacket[] => {
  const known = packets.flatMap((data) => {
    const toc = parse(data);
    return toc ? [{ data, samples: toc.samples }] : [];
  });
  const ends = isLast && granule >= 0 && granuleBefore !== undefined;
  let remaining = ends ? Math.max(0, granule - granuleBefore) : Infinity;
  return known.map(({ data, samples }) => {
    const keepSamples = Math.min(samples, remaining);
    remaining -= keepSamples;
    return { data, samples, keepSamples };
  });
};

/**
 * Reads the Opus streams of an Ogg file, one after the other if they are chained. Damaged pages and
 * impossible packets are skipped. Throws `AppError`: `unsupported` for another codec,
 * `bad-input` where no stream begins.
 */
export async function* readOpus(reader: ByteReader): AsyncGenerator<OpusItem, OggEnd, void> {
  let tagsAreDue = false;
  let granule: number | undefined;
  let damaged = false;
  let parse = packetParser();

  const streams = readOggStreams(reader, (first) => parseOpusHead(first) !== undefined);
  for (;;) {
    const next = await streams.next();
    if (next.done) return { ...next.value, damaged: damaged || next.value.damaged };
    const item = next.value;
    if (item.kind === 'stream') {
      tagsAreDue = true;
      granule = 0;
      const head = parseOpusHead(item.first)!;
      parse = packetParser(head);
      yield { kind: 'head', head };
      continue;
    }
    if (item.isAfterLoss) granule = undefined;
    const [first] = item.packets;
    const isTags = tagsAreDue && first && ascii(first, 0, TAGS_MAGIC.length) === TAGS_MAGIC;
    if (first) tagsAreDue = false;
    const packets = isTags ? item.packets.slice(1) : item.packets;
    const measured = measurePackets({ ...item, packets }, granule, parse);
    damaged ||= measured.length < packets.length;
    for (const packet of measured) yield { kind: 'packet', ...packet };
    if (item.granule > 0) ({ granule } = item);
  }
}
