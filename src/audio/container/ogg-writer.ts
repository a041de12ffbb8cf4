/** Writes Ogg Opus (RFC 7845). */
import { concatBytes } from '../bytes.ts';
import {
  FLAG_BEGIN,
  FLAG_CONTINUED,
  FLAG_END,
  LONGEST_SEGMENT_TABLE,
  NO_GRANULE,
  writePage,
} from './ogg-page.ts';
import {
  concealmentPacket,
  parseToc,
  SILENCE_PACKET,
  type OpusHead,
  writeOpusHead,
} from '../opus/packet.ts';
import type { OpusItem } from './ogg-reader.ts';

/** Samples at 48 kHz that libopus needs before its first exact one; players warn about 0. */
export const PRE_SKIP_SAMPLES = 312;

export type OggOpusWriter = ReturnType<typeof createOggOpusWriter>;

export interface OggOpusOptions extends Partial<OpusHead> {
  /** Packets of a page: more make the file smaller, fewer let a listener start sooner. Default 50. */
  readonly packetsPerPage?: number;
}

const PLAIN_HEAD: OpusHead = {
  channels: 1,
  preSkipSamples: PRE_SKIP_SAMPLES,
  inputRateHz: 48_000,
  gain: 0,
  mappingFamily: 0,
  mapping: new Uint8Array(0),
};

const CONCEALED_SAMPLES = 4_800;
const LONGEST_GAP_SAMPLES = 96_000;
const SERIAL = 0x0d2a_60a4;
const VENDOR = new TextEncoder().encode('dragoman');

const tagsPacket = (): Uint8Array => {
  const bytes = new Uint8Array(16 + VENDOR.length);
  bytes.set(new TextEncoder().encode('OpusTags'));
  bytes[8] = VENDOR.length;
  bytes.set(VENDOR, 12);
  return bytes;
};

export const createOggOpusWriter = (options: OggOpusOptions = {}) => {
  const { packetsPerPage = 50, ...given } = options;
  const head: OpusHead = { ...PLAIN_HEAD, ...given };
  let sequence = 0;
  let granule = 0;
  let started = false;
  let done: Uint8Array[] = [];

  let segments: number[] = [];
  let parts: Uint8Array[] = [];
  let packets = 0;
  let pageGranule = NO_GRANULE;
  let flags = 0;
  let flushedGranule = 0;
  let last: Uint8Array = SILENCE_PACKET;

  const flush = (extraFlags: number, nextFlags: number): void => {
    done.push(
      writePage({
        flags: flags | extraFlags,
        granule: pageGranule,
        serial: SERIAL,
        sequence,
        segments: Uint8Array.from(segments),
        body: concatBytes(parts),
      }),
    );
    sequence += 1;
    flushedGranule = Math.max(flushedGranule, pageGranule);
    segments = [];
    parts = [];
    packets = 0;
    pageGranule = NO_GRANULE;
    flags = nextFlags;
  };

  const add = (packet: Uint8Array, granuleAfter: number): void => {
    let at = 0;
    for (let ended = false; !ended;) {
      if (segments.length === LONGEST_SEGMENT_TABLE) flush(0, at > 0 ? FLAG_CONTINUED : 0);
      const segment = Math.min(255, packet.length - at);
      segments.push(segment);
      parts.push(packet.subarray(at, at + segment));
      at += segment;
      ended = segment < 255;
    }
    packets += 1;
    pageGranule = granuleAfter;
  };

  const start = (): void => {
    if (started) return;
    started = true;
    flags = FLAG_BEGIN;
    add(writeOpusHead(head), 0);
    flush(0, 0);
    add(tagsPacket(), 0);
    flush(0, 0);
  };

  /** Adds a packet. The last page stays open: only `end` knows that it is the last. */
  const put = (packet: Uint8Array): void => {
    start();
    const samples = parseToc(packet)?.samples;
    if (samples === undefined) return;
    if (packets >= packetsPerPage) flush(0, 0);
    granule += samples;
    add(packet, granule);
    last = packet;
  };
  const take = (): Uint8Array => {
    const bytes = done.length === 1 ? done[0]! : concatBytes(done);
    done = [];
    return bytes;
  };

  return {
    /** Adds one packet; returns the bytes that are complete by now, often none. */
    push: (packet: Uint8Array): Uint8Array => {
      put(packet);
      return take();
    },
    /**
     * Fills a gap in the speech, because players ignore a jump of the granule: a short gap by
     * concealment of what was lost, a longer one by silence, up to 2 s.
     */
    gap: (samples: number): Uint8Array => {
      const filler = samples > CONCEALED_SAMPLES ? SILENCE_PACKET : concealmentPacket(last);
      const step = parseToc(filler)!.samples;
      const until = Math.min(samples, LONGEST_GAP_SAMPLES);
      for (let filled = 0; filled + step <= until; filled += step) put(filler);
      return take();
    },
    /** The rest of the file. `keepSamples`, if given, are heard in all; the end is cut to it. */
    end: (keepSamples?: number): Uint8Array => {
      start();
      const heard = keepSamples === undefined ? granule : keepSamples + head.preSkipSamples;
      pageGranule = Math.max(flushedGranule, Math.min(granule, heard));
      flush(FLAG_END, 0);
      return take();
    },
  };
};

/**
 * Writes Opus packets of any container as an Ogg file of one stream; nothing is decoded. A pre-skip of 0,
 * which some recorders write, becomes the usual one.
 */
export async function* remuxOpus(
  items: AsyncIterable<OpusItem>,
): AsyncGenerator<Uint8Array, void, void> {
  let writer: OggOpusWriter | undefined;
  let preSkipSamples = 0;
  let samples = 0;
  let cutSamples = 0;
  for await (const item of items) {
    if (item.kind === 'head') {
      if (writer) continue;
      preSkipSamples = item.head.preSkipSamples || PRE_SKIP_SAMPLES;
      writer = createOggOpusWriter({ ...item.head, preSkipSamples });
    } else if (writer) {
      samples += item.samples;
      // Only the very end can be cut: what one of several joined streams leaves out is heard.
      const cut = item.samples - item.keepSamples;
      cutSamples = cut > 0 ? cutSamples + cut : 0;
      const bytes = writer.push(item.data);
      if (bytes.length > 0) yield bytes;
    }
  }
  if (writer) yield writer.end(samples - cutSamples - preSkipSamples);
}
