import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createByteReader } from '../../../../src/audio/bytes.ts';
import { type OpusItem, readOpus } from '../../../../src/audio/container/ogg-reader.ts';
import { FLAG_CONTINUED, readPages, writePage } from '../../../../src/audio/container/ogg-page.ts';
import {
  createOggOpusWriter,
  type OggOpusOptions,
} from '../../../../src/audio/container/ogg-writer.ts';
import { parseToc } from '../../../../src/audio/opus/packet.ts';
import { concat, fixture, sourceOf } from '../support.ts';
import { casesOf } from '../../../fakes/cases.ts';

const readAll = async (bytes: Uint8Array, chunkBytes?: number) => {
  const items: OpusItem[] = [];
  const reading = readOpus(createByteReader(sourceOf(bytes, chunkBytes).open()));
  for (;;) {
    const next = await reading.next();
    if (next.done) return { items, end: next.value };
    items.push(next.value);
  }
};

const packetsOf = (items: readonly OpusItem[]) =>
  items.filter((item) => item.kind === 'packet').map(({ data }) => new Uint8Array(data));

const write = (
  packets: readonly Uint8Array[],
  options: OggOpusOptions = {},
  keepSamples?: number,
): Uint8Array => {
  const writer = createOggOpusWriter(options);
  return concat([...packets.map((packet) => writer.push(packet)), writer.end(keepSamples)]);
};

const pagesOf = async (bytes: Uint8Array) =>
  Array.fromAsync(readPages(createByteReader(sourceOf(bytes).open())));

/** Packets of any lengths, those on the borders of segments and pages among them. */
const LONGEST_FRAME_BYTES = 1_275;

const packet = fc
  .tuple(
    fc.integer({ min: 0, max: 31 }),
    fc.oneof(
      fc.integer({ min: 0, max: 1_300 }),
      fc.constantFrom(253, 254, 255, 509, 510, 255 * 255 - 1, 255 * 255, 70_000),
    ),
    fc.nat(255),
  )
  .map(([config, length, fill]) => {
    const bytes = new Uint8Array(length + 1).fill(fill);
    bytes[0] = config << 3;
    if (length <= LONGEST_FRAME_BYTES) return bytes;
    // Longer ones are padded: one frame of some 600 bytes, and as many bytes behind it as are left.
    const steps = Math.floor((length - 600) / 255);
    bytes.set([(config << 3) | 3, 0x41]);
    bytes.fill(255, 2, 2 + steps);
    bytes[2 + steps] = 0;
    return bytes;
  });

const CBR = Uint8Array.of(0xf8, 1, 2, 3);

const fill = async (samples: number): Promise<Uint8Array[]> => {
  const writer = createOggOpusWriter();
  const bytes = concat([writer.push(Uint8Array.of(0x08, 9)), writer.gap(samples), writer.end()]);
  return packetsOf((await readAll(bytes)).items).slice(1);
};

describe('Ogg Opus', () => {
  it('gives back whatever packets were written, whatever the chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(packet, { minLength: 1, maxLength: 80 }),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 100, max: 70_000 }),
        async (packets, packetsPerPage, chunkBytes) => {
          const { items, end } = await readAll(write(packets, { packetsPerPage }), chunkBytes);
          expect(packetsOf(items)).toEqual(packets);
          expect(end).toEqual({ truncated: false, damaged: false });
        },
      ),
      { numRuns: casesOf(40) },
    );
  });

  it('keeps the head', async () => {
    const head = { channels: 2, preSkipSamples: 3_840, inputRateHz: 44_100, gain: -256 };
    const { items } = await readAll(write([CBR], head));
    expect(items[0]).toMatchObject({ kind: 'head', head });
  });

  it('has 50 packets a page, granules from 0 and a pre-skip of 312', async () => {
    const pages = await pagesOf(write(Array.from({ length: 120 }, () => CBR)));
    expect(pages.map((page) => page.granule)).toEqual([0, 0, 48_000, 96_000, 115_200]);
    expect(pages.map((page) => page.flags)).toEqual([2, 0, 0, 0, 4]);
    expect(pages.map((page) => page.sequence)).toEqual([0, 1, 2, 3, 4]);
    const { items } = await readAll(write([CBR]));
    expect(items[0]).toMatchObject({ head: { preSkipSamples: 312 } });
  });

  it('marks the end even of an empty stream', async () => {
    const pages = await pagesOf(write([]));
    expect(pages.at(-1)).toMatchObject({ flags: 4, granule: 0 });
  });

  it('cuts the end to what is to be heard', async () => {
    const { items } = await readAll(write([CBR, CBR, CBR], {}, 2_000));
    const kept = items.flatMap((item) => (item.kind === 'packet' ? [item.keepSamples] : []));
    expect(kept).toEqual([960, 960, 2_000 + 312 - 1_920]);
  });

  it('fills a short gap with concealment and a long one with silence, up to 2 s', async () => {
    expect(await fill(1_920)).toEqual([Uint8Array.of(0x08), Uint8Array.of(0x08)]);
    const long = await fill(9_600);
    expect(long).toHaveLength(10);
    expect(long[0]).toEqual(Uint8Array.of(0xf8, 0xff, 0xfe));
    expect(await fill(1e9)).toHaveLength(100);
  });

  it('leaves out what is no packet', async () => {
    const { items } = await readAll(write([CBR, new Uint8Array(0), Uint8Array.of(3, 0), CBR]));
    expect(packetsOf(items)).toEqual([CBR, CBR]);
  });

  it('reads what opusenc wrote', async () => {
    const { items, end } = await readAll(fixture('speech.opus'));
    const samples = items.map((item) => (item.kind === 'packet' ? item.keepSamples : 0));
    expect(end).toEqual({ truncated: false, damaged: false });
    expect(samples.reduce((sum, count) => sum + count, 0) / 48_000).toBeCloseTo(3.519 + 0.0065, 3);
  });

  it('reads chained streams one after the other', async () => {
    const chained = concat([write([CBR, CBR]), write([CBR], { channels: 2 })]);
    const { items } = await readAll(chained);
    expect(items.map((item) => item.kind)).toEqual(['head', 'packet', 'packet', 'head', 'packet']);
  });

  it('passes over a page with a wrong checksum, and says so', async () => {
    const packets = Array.from({ length: 9 }, (_, i) => Uint8Array.of(0xf8, i));
    const bytes = write(packets, { packetsPerPage: 3 });
    const thirdPage = Buffer.from(bytes).indexOf('OggS', 100);
    bytes[thirdPage + 30]! ^= 1;
    const { items, end } = await readAll(bytes);
    expect(packetsOf(items)).toHaveLength(6);
    expect(end.damaged).toBe(true);
  });

  it('finds the next page behind anything else', async () => {
    const bytes = write([CBR]);
    const noise = new TextEncoder().encode('Og OggOggS no page');
    const { items, end } = await readAll(concat([noise, bytes, noise]), 7);
    expect(packetsOf(items)).toEqual([CBR]);
    expect(end.damaged).toBe(true);
  });

  it('gives the whole packets of a page that was cut off, and says so', async () => {
    const packets = Array.from({ length: 10 }, () => new Uint8Array(100).fill(0xf8));
    const bytes = write(packets);
    const { items, end } = await readAll(bytes.subarray(0, bytes.length - 250));
    expect(packetsOf(items)).toHaveLength(7);
    expect(end.truncated).toBe(true);
  });

  it('gives up a packet of over 16 MiB', async () => {
    const stream = write([CBR]);
    const { serial } = (await pagesOf(stream))[0]!;
    const endless = async function* endless() {
      yield stream;
      for (let sequence = 3; sequence < 400; sequence += 1)
        yield writePage({
          flags: sequence === 3 ? 0 : FLAG_CONTINUED,
          granule: -1,
          serial,
          sequence,
          segments: new Uint8Array(255).fill(255),
          body: new Uint8Array(255 * 255),
        });
    };
    const reading = Array.fromAsync(readOpus(createByteReader(endless())));
    await expect(reading).rejects.toMatchObject({ code: 'bad-input' });
  });

  it.each([
    ['speech-vorbis.ogg', 'unsupported'],
    ['speech.wav', 'bad-input'],
  ])('says of %s that it is %s', async (name, code) => {
    await expect(readAll(fixture(name))).rejects.toMatchObject({ name: 'AppError', code });
  });

  it('measures packets of several lengths', async () => {
    const lengths = [0, 1, 2, 3].map((config) => Uint8Array.of(config << 3, 1));
    const { items } = await readAll(write(lengths));
    const total = lengths.reduce((sum, data) => sum + parseToc(data)!.samples, 0);
    const read = items.reduce((sum, item) => sum + (item.kind === 'packet' ? item.samples : 0), 0);
    expect(read).toBe(total);
  });
});
