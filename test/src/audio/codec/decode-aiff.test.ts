import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import { concat, decodeAll, fixture, sourceOf } from '../support.ts';
import { casesOf } from '../../../fakes/cases.ts';

const chunk = (id: string, body: Uint8Array, size = body.length): Uint8Array => {
  const head = Buffer.alloc(8);
  head.write(id, 'latin1');
  head.writeUInt32BE(size, 4);
  return concat([head, body, new Uint8Array(body.length % 2)]);
};

interface AiffParts {
  channels?: number;
  bits?: number;
  /** The compression type; plain AIFF without. */
  type?: string;
  /** 16 kHz as an 80-bit number. */
  rate?: string;
  offset?: number;
  size?: number;
  data: Uint8Array;
}

const commonOf = ({ channels = 1, bits = 16, type, rate = '400cfa00000000000000' }: AiffParts) => {
  const common = Buffer.alloc(8);
  common.writeUInt16BE(channels, 0);
  common.writeUInt16BE(bits, 6);
  const name = type === undefined ? '' : `${type}\0\0`;
  return chunk('COMM', concat([common, Buffer.from(rate, 'hex'), Buffer.from(name, 'latin1')]));
};

const soundOf = ({ offset = 0, size, data }: AiffParts): Uint8Array => {
  const start = Buffer.alloc(8);
  start.writeUInt32BE(offset, 0);
  return chunk('SSND', concat([start, new Uint8Array(offset), data]), size);
};

const fileOf = (parts: AiffParts, chunks: readonly Uint8Array[]): Uint8Array => {
  const magic = parts.type === undefined ? 'AIFF' : 'AIFC';
  return chunk('FORM', concat([Buffer.from(magic), ...chunks]));
};

const aiff = (parts: AiffParts): Uint8Array =>
  fileOf(parts, [
    chunk('FVER', new Uint8Array(4)),
    commonOf(parts),
    chunk('NAME', new Uint8Array(3)),
    soundOf(parts),
  ]);

const heard = async (bytes: Uint8Array): Promise<number[]> => [
  ...(await decodeAll(sourceOf(bytes, 50))),
];

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));
const SIXTEEN = bytes('000040008000');

describe('AIFF', () => {
  it.each<[string, AiffParts]>([
    ['8 bits', { bits: 8, data: bytes('004080') }],
    ['12 bits', { bits: 12, data: SIXTEEN }],
    ['16 bits', { data: SIXTEEN }],
    ['24 bits', { bits: 24, data: bytes('000000400000800000') }],
    ['32 bits', { bits: 32, data: bytes('000000004000000080000000') }],
    ['no compression', { type: 'NONE', data: SIXTEEN }],
    ['bytes in the order of QuickTime', { type: 'twos', data: SIXTEEN }],
    ['bytes in the other order', { type: 'sowt', data: bytes('000000400080') }],
    ['unsigned bytes', { type: 'raw ', bits: 8, data: bytes('80c000') }],
    ['floats', { type: 'fl32', bits: 32, data: bytes('000000003f000000bf800000') }],
    [
      'long floats',
      {
        type: 'FL64',
        bits: 64,
        data: bytes(`${'0'.repeat(16)}3fe0${'0'.repeat(12)}bff0${'0'.repeat(12)}`),
      },
    ],
    ['an offset', { offset: 6, data: SIXTEEN }],
    ['an open size', { size: 0, data: SIXTEEN }],
    ['a size larger than the file', { size: 9_999, data: SIXTEEN }],
  ])('is read with %s', async (_name, parts) => {
    expect(await heard(aiff(parts))).toEqual([0, 0.5, -1]);
  });

  it.each([
    ['alaw', 'd5aa2a', [8, 32_256, -32_256]],
    ['ulaw', 'ff8000', [0, 32_124, -32_124]],
    ['ALAW', '55d4', [-8, 24]],
    ['ULAW', '7efe', [-8, 8]],
  ])('is read with %s, whatever size its samples are said to have', async (type, hex, values) => {
    const samples = await heard(aiff({ type, bits: 16, data: bytes(hex) }));
    expect(samples.map((sample) => sample * 32_768)).toEqual(values);
  });

  it('is mixed to mono', async () => {
    expect(await heard(aiff({ channels: 2, data: bytes('40000000c000c000') }))).toEqual([
      0.25, -0.5,
    ]);
  });

  it('holds what ffmpeg wrote', async () => {
    const original = await decodeAll(sourceOf(fixture('speech.wav')), 8_000);
    const copy = await decodeAll(sourceOf(fixture('speech.aiff')), 8_000);
    expect(copy.length).toBeGreaterThan(8_000);
    expect(copy).toEqual(original.subarray(0, copy.length));
  });

  const parts = { data: SIXTEEN };

  it.each([
    ['another compression', aiff({ type: 'ima4', data: SIXTEEN }), 'unsupported'],
    ['no channels', aiff({ channels: 0, data: SIXTEEN }), 'unsupported'],
    ['an absurd rate', aiff({ rate: '7fff8000000000000000', data: SIXTEEN }), 'unsupported'],
    ['its format at the end', fileOf(parts, [soundOf(parts), commonOf(parts)]), 'unsupported'],
    ['no sound', fileOf(parts, [commonOf(parts)]), 'bad-input'],
    ['no samples', aiff({ data: new Uint8Array(0) }), 'bad-input'],
    ['a short format', fileOf(parts, [chunk('COMM', new Uint8Array(4))]), 'bad-input'],
  ])('is refused with %s', async (_name, file, code) => {
    await expect(heard(file)).rejects.toMatchObject({ name: 'AppError', code });
  });

  it('that is cut or damaged ends in sound or in an AppError', async () => {
    const whole = fixture('speech.aiff').subarray(0, 3_000);
    const damage = fc.array(fc.tuple(fc.nat(80), fc.nat(255)), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(damage, fc.nat(whole.length), async (flips, length) => {
        const file = Uint8Array.from(whole.subarray(0, length));
        for (const [at, value] of flips) if (at > 12 && at < file.length) file[at] = value;
        await heard(file).catch((error: unknown) => expect(error).toBeInstanceOf(AppError));
      }),
      { numRuns: casesOf(60) },
    );
  });
});
