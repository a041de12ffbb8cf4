import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatSamples } from '../../../src/audio/pcm.ts';
import { createResampler, resample, toOneRate } from '../../../src/audio/resample.ts';
import { chunked, tone } from './support.ts';
import { casesOf } from '../../fakes/cases.ts';

const convert = (samples: Float32Array, fromHz: number, toHz: number, size = 700): Float32Array => {
  const resampler = createResampler(fromHz, toHz);
  const parts: Float32Array[] = [];
  for (let at = 0; at < samples.length; at += size)
    parts.push(resampler.push(samples.subarray(at, at + size)));
  return concatSamples([...parts, resampler.end()]);
};

/** How far below the tone everything else is, in dB; the edges, where the tone begins, left out. */
const toneToNoiseDb = (samples: Float32Array, sampleRateHz: number, hz: number): number => {
  const inner = samples.subarray(500, -500);
  let [sin, cos, all] = [0, 0, 0];
  const phase = (i: number) => (2 * Math.PI * hz * (i + 500)) / sampleRateHz;
  for (const [i, sample] of inner.entries()) {
    sin += sample * Math.sin(phase(i));
    cos += sample * Math.cos(phase(i));
    all += sample * sample;
  }
  const [a, b] = [(2 * sin) / inner.length, (2 * cos) / inner.length];
  let noise = 0;
  for (const [i, sample] of inner.entries())
    noise += (sample - a * Math.sin(phase(i)) - b * Math.cos(phase(i))) ** 2;
  return 10 * Math.log10(all / noise);
};

/** A whole number of periods of any tone of whole Hz lies in the inner part of 1 s and the edges. */
const seconds = (sampleRateHz: number): number => 1 + 1_000 / sampleRateHz;

describe('the resampler', () => {
  it.each([
    [22_050, 24_000],
    [44_100, 16_000],
    [48_000, 16_000],
    [44_100, 48_000],
    [8_000, 48_000],
    [16_000, 8_000],
    [8_000, 47_999],
    [44_099, 16_000],
    [383_999, 16_000],
  ])('keeps a tone clean by over 80 dB from %i to %i Hz', (fromHz, toHz) => {
    for (const part of [0.05, 0.2, 0.34]) {
      const hz = Math.round(part * Math.min(fromHz, toHz));
      const out = convert(tone(fromHz, seconds(toHz), hz), fromHz, toHz);
      expect(toneToNoiseDb(out, toHz, hz)).toBeGreaterThan(80);
    }
  });

  it('lets nothing above the new rate come down as another tone', () => {
    const out = convert(tone(48_000, 1, 10_000), 48_000, 16_000).subarray(500, -500);
    expect(Math.max(...out.map(Math.abs))).toBeLessThan(1e-4);
  });

  it('gives as many samples as the length says, whatever the chunks', () => {
    const rate = fc.integer({ min: 8_000, max: 50_000 });
    fc.assert(
      fc.property(
        rate,
        rate,
        fc.nat(3_000),
        fc.integer({ min: 1, max: 900 }),
        (from, to, n, size) => {
          const out = convert(new Float32Array(n), from, to, size);
          expect(out.length).toBe(Math.round((n * to) / from));
        },
      ),
      { numRuns: casesOf(60) },
    );
  });

  it('says the same in small chunks as in one', () => {
    const samples = tone(44_100, 0.2);
    expect(convert(samples, 44_100, 16_000, 37)).toEqual(convert(samples, 44_100, 16_000, 1e6));
  });

  it('passes sound through that has the rate already', async () => {
    const samples = tone(16_000, 0.5);
    const out = concatSamples(await Array.fromAsync(resample(chunked(samples), 16_000, 16_000)));
    expect(out).toEqual(samples);
  });

  it.each([
    [383_999, 16_000],
    [655_343, 16_000],
    [8_000, 47_999],
    [44_100, 48_000],
  ])('makes a small table even from %i to %i Hz', (fromHz, toHz) => {
    const { sin } = Math;
    let sines = 0;
    Math.sin = (x) => {
      sines += 1;
      return sin(x);
    };
    try {
      createResampler(fromHz, toHz);
    } finally {
      Math.sin = sin;
    }
    expect(sines).toBeLessThan(40_000);
  });

  const alternating = async function* alternating(changes: number) {
    for (let i = 0; i <= changes; i += 1)
      yield { samples: new Float32Array(100), sampleRateHz: i % 2 === 0 ? 8_000 : 16_000 };
  };

  it('follows a rate that changes, but not without end', async () => {
    const parts = await Array.fromAsync(toOneRate(alternating(40), 16_000));
    expect(concatSamples(parts).length).toBe(21 * 200 + 20 * 100);
    await expect(Array.fromAsync(toOneRate(alternating(400), 16_000))).rejects.toMatchObject({
      code: 'bad-input',
    });
  });

  it('works off a long slice of a high rate in short ones', async () => {
    const sound = async function* sound() {
      yield { samples: new Float32Array(200_000), sampleRateHz: 655_343 };
    };
    const parts = await Array.fromAsync(toOneRate(sound(), 16_000));
    expect(Math.max(...parts.map((part) => part.length))).toBeLessThan(1_000);
    expect(concatSamples(parts).length).toBe(Math.round((200_000 * 16_000) / 655_343));
  });

  it('works off a stream', async () => {
    const out = concatSamples(
      await Array.fromAsync(resample(chunked(tone(48_000, 1)), 48_000, 16_000)),
    );
    expect(out.length).toBe(16_000);
  });
});
