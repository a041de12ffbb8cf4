import { describe, expect, it } from 'vitest';
import { createByteReader } from '../../../../src/audio/bytes.ts';
import { readMp4 } from '../../../../src/audio/container/mp4.ts';
import { boxes } from '../../../../src/audio/container/mp4-box.ts';
import { parseMoof, parseMoov } from '../../../../src/audio/container/mp4-track.ts';
import { concat, fixture, sourceOf, uint32s } from '../support.ts';

const read = async (bytes: Uint8Array, chunkBytes?: number) => {
  const source = sourceOf(bytes, chunkBytes);
  return readMp4(createByteReader(source.open()), () => source.open());
};

const unitsOf = async (name: string, chunkBytes?: number): Promise<Uint8Array[]> => {
  const sound = await read(fixture(name), chunkBytes);
  if (sound.codec !== 'aac') throw new Error('AAC expected');
  return (await Array.fromAsync(sound.frames)).map(({ unit }) => new Uint8Array(unit));
};

const box = (type: string, body: Uint8Array, claimedBytes = body.length + 8): Uint8Array => {
  const bytes = Buffer.alloc(8 + body.length);
  bytes.writeUInt32BE(claimedBytes, 0);
  bytes.write(type, 4, 'latin1');
  bytes.set(body, 8);
  return new Uint8Array(bytes);
};

const NOTHING = new Uint8Array(0);

const HUGE = 0xffff_ffff;
/** Down to an AudioSpecificConfig of AAC-LC, 44.1 kHz, stereo. */
const ESDS = Uint8Array.from(
  Buffer.from('00000000031600000004114015000000000000000000000005021210', 'hex'),
);

interface Tables {
  /** The size of all samples, how many there are said to be, and the sizes of each. */
  stsz: readonly number[];
  chunkAt?: number;
  before?: Uint8Array;
}

/** The body of a `moov` with one sound track, number 1, whose samples are all in one chunk. */
const moovBody = ({ stsz, chunkAt = 1, before = NOTHING }: Tables): Uint8Array => {
  const entry = box('mp4a', concat([new Uint8Array(28), box('esds', ESDS)]));
  const stbl = concat([
    box('stsd', concat([uint32s(0, 1), entry])),
    box('stsz', uint32s(0, ...stsz)),
    box('stsc', uint32s(0, 1, 1, HUGE, 1)),
    box('stco', uint32s(0, 1, chunkAt)),
  ]);
  const hdlr = box('hdlr', concat([new Uint8Array(8), new TextEncoder().encode('soun')]));
  const minf = box('minf', box('stbl', stbl));
  const tkhd = box('tkhd', uint32s(0, 0, 0, 1));
  return concat([before, box('trak', concat([tkhd, box('mdia', concat([hdlr, minf]))]))]);
};

const trackOf = (tables: Tables) => parseMoov([...boxes(moovBody(tables))]);

/** A file of these tables and a good hundred thousand bytes for samples. */
const unitsIn = async (tables: Tables): Promise<Uint8Array[]> => {
  const bytes = concat([box('moov', moovBody(tables)), box('mdat', new Uint8Array(140_000))]);
  const sound = await read(bytes);
  if (sound.codec !== 'aac') throw new Error('AAC expected');
  return (await Array.fromAsync(sound.frames)).map(({ unit }) => unit);
};

describe('MP4', () => {
  it('gives the same access units wherever its tables stand', async () => {
    const units = await unitsOf('speech.m4a');
    expect(units).toHaveLength(153);
    expect(await unitsOf('faststart.m4a', 5)).toEqual(units);
    expect(await unitsOf('fragmented.mp4', 999)).toEqual(units);
  });

  it('gives Opus packets where it holds them', async () => {
    for (const name of ['opus.mp4', 'recorded.mp4']) {
      const sound = await read(fixture(name));
      if (sound.codec !== 'opus') throw new Error('Opus expected');
      const items = await Array.fromAsync(sound.items);
      expect(items[0]).toMatchObject({ kind: 'head' });
      expect(items.length).toBeGreaterThan(40);
    }
  });

  it.each([
    [
      'tables that need too much memory',
      box('moov', box('trak', NOTHING, 9_000_000), 10_000_000),
      'too-large',
    ],
    ['cut tables', box('moov', NOTHING, 1_000), 'bad-input'],
    ['no tables', box('ftyp', new Uint8Array(4)), 'bad-input'],
    ['a box shorter than its head', box('ftyp', NOTHING, 3), 'bad-input'],
    ['no sound track', box('moov', NOTHING), 'unsupported'],
    ['a fragment alone', box('moof', NOTHING), 'unsupported'],
    [
      'a cut sound track',
      box(
        'moov',
        box(
          'trak',
          box('mdia', box('hdlr', concat([new Uint8Array(8), new TextEncoder().encode('soun')]))),
        ),
      ),
      'bad-input',
    ],
  ])('is refused with %s', async (_name, bytes, code) => {
    await expect(read(bytes)).rejects.toMatchObject({ name: 'AppError', code });
  });

  it('has no more samples than its table has sizes', () => {
    const sizes = (...stsz: readonly number[]) =>
      [...Iterator.from(trackOf({ stsz }).samples()).take(100)].map(({ bytes }) => bytes);
    expect(sizes(0, HUGE)).toEqual([]);
    expect(sizes(0, HUGE, 5, 6)).toEqual([5, 6]);
    expect(sizes(0, 1, 5, 6)).toEqual([5]);
  });

  it('has no samples before the start of the file', () => {
    const track = trackOf({ stsz: [0, 0] });
    const samplesFrom = (dataOffset: number) => {
      const trun = box('trun', uint32s(1, HUGE, dataOffset));
      const traf = box('traf', concat([box('tfhd', uint32s(0x10, 1, 8)), trun]));
      return [...parseMoof(traf, 1_000, track).take(3)].map(({ offset }) => offset);
    };
    expect(samplesFrom(-1_001)).toEqual([]);
    expect(samplesFrom(100)).toEqual([1_100, 1_108, 1_116]);
  });

  it('is read up to its end whatever the number of equal samples', async () => {
    expect(await unitsIn({ stsz: [10_000, HUGE], chunkAt: 1_000 })).toHaveLength(13);
  });

  it.each([
    ['empty', { stsz: [0, 20_000, ...Array.from({ length: 20_000 }, () => 0)] }],
    ['behind what was read', { stsz: [1, 20_000], before: box('free', new Uint8Array(30_000)) }],
  ])('is given up when very many samples are %s', async (_name, tables) => {
    await expect(unitsIn(tables)).rejects.toMatchObject({ code: 'bad-input' });
  });

  it('gives what it can when a few samples cannot be read', async () => {
    const units = await unitsIn({ stsz: [0, 4, 0, 7, 0, 9], chunkAt: 1_000 });
    expect(units.map((unit) => unit.length)).toEqual([7, 9]);
  });

  it('has no samples over 64 KiB', async () => {
    const of = (bytes: number) => unitsIn({ stsz: [bytes, 1], chunkAt: 1_000 });
    expect(await of(65_536)).toHaveLength(1);
    await expect(of(65_537)).rejects.toMatchObject({ code: 'bad-input' });
  });

  it('is not searched for its track behind hundreds of other boxes', async () => {
    const before = (count: number) =>
      concat(Array.from({ length: count }, () => box('free', NOTHING)));
    expect(await unitsIn({ stsz: [7, 1], chunkAt: 1_000, before: before(30) })).toHaveLength(1);
    await expect(unitsIn({ stsz: [7, 1], before: before(300) })).rejects.toThrow('MP4');
  });

  it('is read behind a cover of any size, within its tables', async () => {
    const bytes = Buffer.from(fixture('speech.m4a'));
    const moovAt = bytes.indexOf('moov') - 4;
    const cover = box('udta', new Uint8Array(9_000_000));
    const moov = box('moov', concat([bytes.subarray(moovAt + 8), cover]));
    const sound = await read(concat([bytes.subarray(0, moovAt), moov]), 65_536);
    if (sound.codec !== 'aac') throw new Error('AAC expected');
    expect(await Array.fromAsync(sound.frames)).toHaveLength(153);
  });

  it('is read where a few bytes are left over behind the last box of its tables', async () => {
    const bytes = Buffer.from(fixture('speech.m4a'));
    const moovAt = bytes.indexOf('moov') - 4;
    for (const rest of [new Uint8Array(4), uint32s(1, 0, 7), uint32s(3, 0)]) {
      const moov = box('moov', concat([bytes.subarray(moovAt + 8), rest]));
      const sound = await read(concat([bytes.subarray(0, moovAt), moov]));
      if (sound.codec !== 'aac') throw new Error('AAC expected');
      expect(await Array.fromAsync(sound.frames)).toHaveLength(153);
    }
  });

  it('gives the first track that can be read, not one for players of spatial sound', async () => {
    const bytes = Buffer.from(fixture('speech.m4a'));
    const moovAt = bytes.indexOf('moov') - 4;
    const spatial = Buffer.from(moovBody({ stsz: [7, 1] }));
    spatial.write('apac', spatial.indexOf('mp4a'), 'latin1');
    const file = (...tracks: readonly Uint8Array[]) =>
      read(concat([bytes.subarray(0, moovAt), box('moov', concat(tracks))]));
    const sound = await file(spatial, bytes.subarray(moovAt + 8));
    if (sound.codec !== 'aac') throw new Error('AAC expected');
    expect(await Array.fromAsync(sound.frames)).toHaveLength(153);
    await expect(file(spatial)).rejects.toThrow('Apple Spatial Audio');
  });

  it('is not confused by a hole of any size', async () => {
    const bytes = fixture('faststart.m4a');
    const moovAt = Buffer.from(bytes).indexOf('moov') - 4;
    const withHole = concat([box('free', new Uint8Array(70_000)), bytes.subarray(moovAt)]);
    const sound = await read(withHole);
    expect(sound.codec).toBe('aac');
  });
});
