import { describe, expect, it } from 'vitest';
import { createByteReader } from '../../../src/audio/bytes.ts';
import { readMp4 } from '../../../src/audio/mp4.ts';
import { concat, fixture, sourceOf } from './support.ts';

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
    ['tables that need too much memory', box('moov', NOTHING, 100_000_000), 'too-large'],
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

  it('is not confused by a hole of any size', async () => {
    const bytes = fixture('faststart.m4a');
    const moovAt = Buffer.from(bytes).indexOf('moov') - 4;
    const withHole = concat([box('free', new Uint8Array(70_000)), bytes.subarray(moovAt)]);
    const sound = await read(withHole);
    expect(sound.codec).toBe('aac');
  });
});
