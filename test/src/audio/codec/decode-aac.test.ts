import { describe, expect, it } from 'vitest';
import { concatSamples } from '../../../../src/audio/pcm.ts';
import { createByteReader } from '../../../../src/audio/bytes.ts';
import { decodeAac } from '../../../../src/audio/codec/decode-aac.ts';
import { readAdts } from '../../../../src/audio/container/adts.ts';
import { fixture, sourceOf } from '../support.ts';

/** What is heard of HE-AAC v2 units behind `hex`, an AudioSpecificConfig. */
const hear = async (hex: string) => {
  const config = Uint8Array.from(Buffer.from(hex, 'hex'));
  const read = readAdts(createByteReader(sourceOf(fixture('he-aac-v2.aac')).open()));
  const units = (await Array.fromAsync(read)).map(({ unit }) => ({ config, unit }));
  const frames = async function* frames() {
    yield* units;
  };
  const slices = await Array.fromAsync(decodeAac(frames()));
  return {
    samples: concatSamples(slices.map(({ samples }) => samples)),
    rates: [...new Set(slices.map(({ sampleRateHz }) => sampleRateHz))],
  };
};

describe('HE-AAC v2', () => {
  it.each([
    ['not at all', '1388'],
    ['behind the configuration', '138856e5a54880'],
    ['explicitly, as HE-AAC', '2b8a0800'],
    ['explicitly', 'eb8a0800'],
  ])('is heard in whole where it is signalled %s', async (_how, hex) => {
    const { samples, rates } = await hear(hex);
    expect(rates).toEqual([44_100]);
    expect(samples.length / 44_100).toBeGreaterThan(0.7);
    expect(samples.length / 44_100).toBeLessThan(0.9);
    expect(samples).toEqual((await hear('1388')).samples);
  });
});

it.each([
  ['AAC-SSR', '1a10'],
  ['AAC-ELD', 'f8ee41af00ae00'],
  ['xHE-AAC', 'f94640'],
  ['MPEG-4 ALS', 'f8890000'],
])('says that it is %s which it cannot decode', async (kind, hex) => {
  await expect(hear(hex)).rejects.toMatchObject({
    code: 'unsupported',
    sentence: { key: 'errors.audio.unsupported', params: { kind } },
  });
});

it.each([
  ['unsupported-codec', 'f8420000'],
  ['unsupported-form', 'f9e0'],
])('says of other kinds that it cannot decode them: %s', async (key, hex) => {
  await expect(hear(hex)).rejects.toMatchObject({
    code: 'unsupported',
    sentence: { key: `errors.audio.${key}` },
  });
});
