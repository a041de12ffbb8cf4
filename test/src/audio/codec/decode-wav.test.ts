import { describe, expect, it } from 'vitest';
import { decode } from '../../../../src/audio/codec/decode.ts';
import { decodeAll, never, sourceOf, fixture, likeness } from '../support.ts';

interface WavParts {
  tag?: number;
  channels?: number;
  bits?: number;
  rateHz?: number;
  riffBytes?: number;
  dataBytes?: number;
  extensible?: boolean;
  extraChunk?: boolean;
  magic?: string;
  data: Uint8Array;
}

const wav = (parts: WavParts): Uint8Array => {
  const { tag = 1, channels = 1, bits = 16, rateHz = 16_000, magic = 'RIFF', data } = parts;
  const format = Buffer.alloc(parts.extensible ? 40 : 16);
  format.writeUInt16LE(parts.extensible ? 0xfffe : tag, 0);
  format.writeUInt16LE(channels, 2);
  format.writeUInt32LE(rateHz, 4);
  format.writeUInt32LE((rateHz * channels * bits) / 8, 8);
  format.writeUInt16LE((channels * bits) / 8, 12);
  format.writeUInt16LE(bits, 14);
  if (parts.extensible) format.writeUInt16LE(tag, 24);
  const chunk = (id: string, body: Uint8Array, size = body.length): Buffer => {
    const head = Buffer.alloc(8);
    head.write(id, 'latin1');
    head.writeUInt32LE(size, 4);
    return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
  };
  const body = Buffer.concat([
    Buffer.from('WAVE'),
    ...(parts.extraChunk ? [chunk('LIST', new Uint8Array(7))] : []),
    chunk('fmt ', format),
    chunk('data', data, parts.dataBytes),
  ]);
  const head = Buffer.alloc(8);
  head.write(magic, 'latin1');
  head.writeUInt32LE(parts.riffBytes ?? body.length, 4);
  return new Uint8Array(Buffer.concat([head, body]));
};

const bytesOf = (array: Int16Array | Int32Array | Float32Array | Float64Array): Uint8Array =>
  new Uint8Array(array.buffer);

const heard = async (parts: WavParts): Promise<number[]> => [
  ...(await decodeAll(sourceOf(wav(parts)))),
];

const SIXTEEN = bytesOf(Int16Array.of(0, 16_384, -32_768));

describe('WAV', () => {
  it.each<[string, WavParts]>([
    ['8 bits', { bits: 8, data: Uint8Array.of(128, 192, 0) }],
    ['16 bits', { data: SIXTEEN }],
    ['24 bits', { bits: 24, data: Uint8Array.of(0, 0, 0, 0, 0, 0x40, 0, 0, 0x80) }],
    ['32 bits', { bits: 32, data: bytesOf(Int32Array.of(0, 2 ** 30, -(2 ** 31))) }],
    ['floats', { tag: 3, bits: 32, data: bytesOf(Float32Array.of(0, 0.5, -1)) }],
    ['long floats', { tag: 3, bits: 64, data: bytesOf(Float64Array.of(0, 0.5, -1)) }],
    ['the extensible format', { extensible: true, data: SIXTEEN }],
    ['other chunks before', { extraChunk: true, data: SIXTEEN }],
    ['RF64', { magic: 'RF64', riffBytes: 0xffff_ffff, dataBytes: 0xffff_ffff, data: SIXTEEN }],
    ['sizes of 0, as streams have', { riffBytes: 0, dataBytes: 0, data: SIXTEEN }],
    ['a size larger than the file', { dataBytes: 9_999, data: SIXTEEN }],
  ])('is read with %s', async (_name, parts) => {
    expect(await heard(parts)).toEqual([0, 0.5, -1]);
  });

  /** The file in the other byte order. */
  const bigEndian = (parts: WavParts): Uint8Array => {
    const file = Buffer.from(wav({ ...parts, magic: 'RIFX' }));
    const swap = (at: number, bytes: 2 | 4): void => {
      file.subarray(at, at + bytes).reverse();
    };
    for (const at of [4, 16, 24, 28, 40]) swap(at, 4);
    for (const at of [20, 22, 32, 34]) swap(at, 2);
    const bytes = Math.min(4, (parts.bits ?? 16) / 8) as 2 | 4;
    for (let at = 44; at < file.length; at += bytes) swap(at, bytes);
    return new Uint8Array(file);
  };

  it.each<[string, WavParts]>([
    ['16 bits', { data: SIXTEEN }],
    ['32 bits', { bits: 32, data: bytesOf(Int32Array.of(0, 2 ** 30, -(2 ** 31))) }],
    ['floats', { tag: 3, bits: 32, data: bytesOf(Float32Array.of(0, 0.5, -1)) }],
  ])('is read in the other byte order (RIFX), with %s', async (_name, parts) => {
    expect([...(await decodeAll(sourceOf(bigEndian(parts))))]).toEqual([0, 0.5, -1]);
  });

  it.each<[string, WavParts, readonly number[]]>([
    ['A-law', { tag: 6, bits: 8, data: Uint8Array.of(0xd5, 0xaa, 0x2a) }, [8, 32_256, -32_256]],
    ['µ-law', { tag: 7, bits: 8, data: Uint8Array.of(0xff, 0x80, 0x00) }, [0, 32_124, -32_124]],
  ])('is read with %s', async (_name, parts, values) => {
    expect((await heard(parts)).map((sample) => sample * 32_768)).toEqual(values);
  });

  it('is mixed to mono', async () => {
    const data = bytesOf(Int16Array.of(16_384, 0, -16_384, -16_384));
    expect(await heard({ channels: 2, data })).toEqual([0.25, -0.5]);
  });

  it('ends where it says, and with whole frames', async () => {
    expect(await heard({ dataBytes: 4, data: SIXTEEN })).toEqual([0, 0.5]);
    expect(await heard({ data: SIXTEEN.subarray(0, 5) })).toEqual([0, 0.5]);
  });

  it('comes in slices that are short for many channels, too', async () => {
    const data = new Uint8Array(32 * 8 * 2_000);
    const bytes = wav({ tag: 3, bits: 64, channels: 32, rateHz: 384_000, data });
    const slices = await Array.fromAsync(decode(sourceOf(bytes), never));
    const lengths = slices.map(({ samples }) => samples.length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(512);
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(2_000);
  });

  it('makes silence of floats that are no sound', async () => {
    const data = bytesOf(Float32Array.of(Number.NaN, Infinity, 1e30, 0.5));
    expect(await heard({ tag: 3, bits: 32, data })).toEqual([0, 0, 0, 0.5]);
  });

  it.each<[string, WavParts, string]>([
    ['A-law of 16 bits', { tag: 6, data: SIXTEEN }, 'unsupported'],
    ['12 bits', { bits: 12, data: SIXTEEN }, 'unsupported'],
    ['no channels', { channels: 0, data: SIXTEEN }, 'unsupported'],
    ['an absurd rate', { rateHz: 1e9, data: SIXTEEN }, 'unsupported'],
    ['no samples', { data: new Uint8Array(0) }, 'bad-input'],
  ])('is refused with %s', async (_name, parts, code) => {
    await expect(heard(parts)).rejects.toMatchObject({ name: 'AppError', code });
  });
});

const RATE_HZ = 8_000;
const SAMPLES_IN_BLOCK = 505;

/** Encodes a tone with the IMA's steps, by trying all sixteen differences. */
const imaWav = (channels: number, samples: readonly number[]): Uint8Array => {
  const STEPS = Array.from({ length: 89 }, (_, i) => IMA[i]!);
  const blocks: Buffer[] = [];
  for (let from = 0; from + SAMPLES_IN_BLOCK <= samples.length; from += SAMPLES_IN_BLOCK) {
    let sample = Math.round(samples[from]! * 32_767);
    let index = 30;
    const head = Buffer.alloc(4);
    head.writeInt16LE(sample, 0);
    head[2] = index;
    const nibbles: number[] = [];
    for (let i = 1; i < SAMPLES_IN_BLOCK; i += 1) {
      const wanted = Math.round(samples[from + i]! * 32_767);
      const step = STEPS[index]!;
      const value = (nibble: number): number => {
        const size = nibble & 7;
        const change =
          (step >> 3) +
          (size & 4 ? step : 0) +
          (size & 2 ? step >> 1 : 0) +
          (size & 1 ? step >> 2 : 0);
        return Math.max(-32_768, Math.min(32_767, nibble & 8 ? sample - change : sample + change));
      };
      let best = 0;
      for (let nibble = 1; nibble < 16; nibble += 1)
        if (Math.abs(value(nibble) - wanted) < Math.abs(value(best) - wanted)) best = nibble;
      sample = value(best);
      index = Math.max(0, Math.min(88, index + [-1, -1, -1, -1, 2, 4, 6, 8][best & 7]!));
      nibbles.push(best);
    }
    const bytes = Buffer.from(
      Array.from(
        { length: nibbles.length / 2 },
        (_, i) => nibbles[2 * i]! | (nibbles[2 * i + 1]! << 4),
      ),
    );
    for (let channel = 0; channel < channels; channel += 1) blocks.push(head);
    for (let at = 0; at < bytes.length; at += 4)
      for (let channel = 0; channel < channels; channel += 1)
        blocks.push(bytes.subarray(at, at + 4));
  }
  const data = Buffer.concat(blocks);
  const file = Buffer.alloc(48);
  file.write('RIFF', 0, 'latin1');
  file.writeUInt32LE(40 + data.length, 4);
  file.write('WAVEfmt ', 8, 'latin1');
  file.writeUInt32LE(20, 16);
  file.writeUInt16LE(0x11, 20);
  file.writeUInt16LE(channels, 22);
  file.writeUInt32LE(RATE_HZ, 24);
  file.writeUInt16LE(256 * channels, 32);
  file.writeUInt16LE(4, 34);
  file.writeUInt16LE(2, 36);
  file.writeUInt16LE(SAMPLES_IN_BLOCK, 38);
  file.write('data', 40, 'latin1');
  file.writeUInt32LE(data.length, 44);
  return new Uint8Array(Buffer.concat([file, data]));
};

/** The table of the recommendation. */
const IMA = [
  7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73,
  80, 88, 97, 107, 118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494,
  544, 598, 658, 724, 796, 876, 963, 1_060, 1_166, 1_282, 1_411, 1_552, 1_707, 1_878, 2_066, 2_272,
  2_499, 2_749, 3_024, 3_327, 3_660, 4_026, 4_428, 4_871, 5_358, 5_894, 6_484, 7_132, 7_845, 8_630,
  9_493, 10_442, 11_487, 12_635, 13_899, 15_289, 16_818, 18_500, 20_350, 22_385, 24_623, 27_086,
  29_794, 32_767,
];

const TONE = Array.from({ length: 20 * SAMPLES_IN_BLOCK }, (_, i) => 0.5 * Math.sin(i * 0.2));

describe('ADPCM in WAV', () => {
  it('of Microsoft’s kind sounds as what was encoded', async () => {
    const original = await decodeAll(sourceOf(fixture('speech.wav')));
    const decoded = await decodeAll(sourceOf(fixture('adpcm.wav')));
    expect(Math.abs(decoded.length - original.length)).toBeLessThan(2_048);
    expect(likeness(decoded, original)).toBeGreaterThan(0.98);
  });

  it.each([1, 2])(
    'of the IMA’s kind with %i channels sounds as what was encoded',
    async (channels) => {
      const decoded = await decodeAll(sourceOf(imaWav(channels, TONE)), RATE_HZ);
      expect(decoded).toHaveLength(TONE.length);
      const errors = decoded.map((sample, i) => Math.abs(sample - TONE[i]!));
      expect(errors.toSorted()[Math.floor(errors.length * 0.9)]).toBeLessThan(0.02);
    },
  );

  it('is heard up to the block in which it is cut', async () => {
    const bytes = fixture('adpcm.wav');
    const half = await decodeAll(sourceOf(bytes.subarray(0, bytes.length >> 1)));
    const whole = await decodeAll(sourceOf(bytes));
    expect(Math.abs(half.length - whole.length / 2)).toBeLessThan(5_000);
  });

  it('of many channels or without a block is refused by its name', async () => {
    const bytes = imaWav(1, TONE);
    for (const [at, value] of [
      [22, 6],
      [32, 4],
    ] as const) {
      const other = Buffer.from(bytes);
      other.writeUInt16LE(value, at);
      await expect(decodeAll(sourceOf(new Uint8Array(other)))).rejects.toMatchObject({
        code: 'unsupported',
      });
    }
  });
});
