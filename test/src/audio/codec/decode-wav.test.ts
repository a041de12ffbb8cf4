import { describe, expect, it } from 'vitest';
import { decode } from '../../../../src/audio/codec/decode.ts';
import { decodeAll, never, sourceOf } from '../support.ts';

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
