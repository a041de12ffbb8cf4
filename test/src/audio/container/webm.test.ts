import { describe, expect, it } from 'vitest';
import { createByteReader } from '../../../../src/audio/bytes.ts';
import { type OpusItem, readOpus } from '../../../../src/audio/container/ogg-reader.ts';
import { remuxOpus } from '../../../../src/audio/container/ogg-writer.ts';
import { readWebm } from '../../../../src/audio/container/webm.ts';
import { concat, decodeAll, fixture, likeness, sourceOf } from '../support.ts';

const read = (bytes: Uint8Array, chunkBytes?: number) =>
  readWebm(createByteReader(sourceOf(bytes, chunkBytes).open()));

const packetsOf = async (items: AsyncIterable<OpusItem>) =>
  (await Array.fromAsync(items)).flatMap((item) =>
    item.kind === 'packet' ? [new Uint8Array(item.data)] : [],
  );

const endOf = async (bytes: Uint8Array) => {
  const items = read(bytes);
  for (;;) {
    const next = await items.next();
    if (next.done) return next.value;
  }
};

/** A file of one element after the other, each of a known size under 127. */
const element = (id: readonly number[], body: readonly number[]): number[] => [
  ...id,
  0x80 | body.length,
  ...body,
];
/** The same for any size under 2^28. */
const longElement = (id: readonly number[], body: Uint8Array): Uint8Array => {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(0x1000_0000 + body.length);
  return concat([Uint8Array.from(id), size, body]);
};
const text = (value: string): number[] => [...new TextEncoder().encode(value)];
const SEGMENT_OPEN = [0x18, 0x53, 0x80, 0x67, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
const CLUSTER_OPEN = [0x1f, 0x43, 0xb6, 0x75, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
const tracks = (codec: string): number[] =>
  element(
    [0x16, 0x54, 0xae, 0x6b],
    element(
      [0xae],
      [...element([0xd7], [1]), ...element([0x83], [2]), ...element([0x86], text(codec))],
    ),
  );
const block = (track: number, flags: number, ...data: number[]): number[] =>
  element([0xa3], [0x80 | track, 0, 0, flags, ...data]);
const webm = (...parts: number[][]): Uint8Array =>
  Uint8Array.from([...element([0x1a, 0x45, 0xdf, 0xa3], []), ...SEGMENT_OPEN, ...parts.flat()]);

describe('WebM', () => {
  it.each(['recorded.webm', 'live.webm', 'video.webm'])(
    'gives the packets of %s, whatever the chunks',
    async (name) => {
      const packets = await packetsOf(read(fixture(name)));
      expect(packets.length).toBeGreaterThan(40);
      expect(await packetsOf(read(fixture(name), 3))).toEqual(packets);
      expect(await endOf(fixture(name))).toEqual({ truncated: false, damaged: false });
    },
  );

  it('becomes Ogg without any change to its packets', async () => {
    const bytes = fixture('recorded.webm');
    const ogg = concat(await Array.fromAsync(remuxOpus(read(bytes))));
    const packets = await packetsOf(readOpus(createByteReader(sourceOf(ogg).open())));
    expect(packets).toEqual(await packetsOf(read(bytes)));
    const [heard, before] = [await decodeAll(sourceOf(ogg)), await decodeAll(sourceOf(bytes))];
    expect(likeness(heard, before)).toBeGreaterThan(0.97);
  });

  it('is read with open sizes, and blocks of other tracks are left out', async () => {
    const bytes = webm(
      tracks('A_OPUS'),
      CLUSTER_OPEN,
      block(1, 0x80, 0xf8, 1),
      block(2, 0x80, 0xf8, 2),
      CLUSTER_OPEN,
      element([0xa0], element([0xa1], [0x81, 0, 0, 0, 0xf8, 3])),
    );
    expect(await packetsOf(read(bytes))).toEqual([Uint8Array.of(0xf8, 1), Uint8Array.of(0xf8, 3)]);
  });

  it('takes the padding off the end of a packet', async () => {
    const padding = element([0x75, 0xa2], [0x00, 0x98, 0x96, 0x80]);
    const group = [...element([0xa1], [0x81, 0, 0, 0, 0xf8, 3]), ...padding];
    const bytes = webm(tracks('A_OPUS'), CLUSTER_OPEN, element([0xa0], group));
    const items = await Array.fromAsync(read(bytes));
    expect(items.at(-1)).toMatchObject({ samples: 960, keepSamples: 480 });
  });

  it('goes on at the next cluster behind damage, and says so', async () => {
    const bytes = webm(
      tracks('A_OPUS'),
      CLUSTER_OPEN,
      block(1, 0, 0xf8, 1),
      [0, 0, 0, 9, 9],
      CLUSTER_OPEN,
      block(1, 0, 0xf8, 2),
    );
    expect(await packetsOf(read(bytes))).toHaveLength(2);
    expect((await endOf(bytes)).damaged).toBe(true);
  });

  it('that was cut off gives the whole packets, and says so', async () => {
    const bytes = webm(tracks('A_OPUS'), CLUSTER_OPEN, block(1, 0, 0xf8, 1), block(1, 0, 0xf8, 2));
    expect(await packetsOf(read(bytes.subarray(0, -1)))).toHaveLength(1);
    expect((await endOf(bytes.subarray(0, -1))).truncated).toBe(true);
  });

  it.each([
    ['a codec of an absurd name', longElement([0x86], new Uint8Array(900_000).fill(65))],
    ['nothing but empty elements', new Uint8Array(900_000).map((_, i) => (i % 2 ? 0x80 : 0xec))],
  ])('is refused with a track of %s', async (_name, fields) => {
    const kind = Uint8Array.from(element([0x83], [2]));
    const track = longElement([0xae], concat([kind, fields]));
    const bytes = concat([webm(), longElement([0x16, 0x54, 0xae, 0x6b], track)]);
    await expect(endOf(bytes)).rejects.toMatchObject({
      code: 'unsupported',
      sentence: { key: 'errors.audio.unsupported-form', params: { format: 'WebM' } },
    });
  });

  it('is not searched for its track behind hundreds of others', async () => {
    const others = Array.from({ length: 300 }, () => [0xae, 0x80]).flat();
    const track = tracks('A_OPUS').slice(5);
    const bytes = longElement([0x16, 0x54, 0xae, 0x6b], Uint8Array.from([...others, ...track]));
    await expect(endOf(concat([webm(), bytes]))).rejects.toMatchObject({ code: 'unsupported' });
  });

  it.each([
    ['another codec', webm(tracks('A_AAC')), 'unsupported'],
    ['laced blocks', webm(tracks('A_OPUS'), CLUSTER_OPEN, block(1, 2, 0xf8)), 'unsupported'],
    ['no sound', webm(element([0x16, 0x54, 0xae, 0x6b], [])), 'unsupported'],
    ['no tracks', webm(CLUSTER_OPEN), 'bad-input'],
  ])('is refused with %s', async (_name, bytes, code) => {
    await expect(endOf(bytes)).rejects.toMatchObject({ name: 'AppError', code });
  });
});
