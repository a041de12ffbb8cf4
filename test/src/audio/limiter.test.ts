import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limitPeaks } from '../../../src/audio/limiter.ts';

const RATE_HZ = 24_000;
const HIGHEST = 0.8;

const limited = (samples: Float32Array): Float32Array => {
  const copy = samples.slice();
  limitPeaks(copy, RATE_HZ, HIGHEST);
  return copy;
};

describe('limited samples', () => {
  it('are never above the limit, and change only near peaks', () => {
    const sample = fc.float({ min: -2, max: 2, noNaN: true });
    fc.assert(
      fc.property(fc.array(sample, { maxLength: 600 }), (some) => {
        const samples = Float32Array.from(some);
        const result = limited(samples);
        const isPeak = (at: number): boolean => Math.abs(samples[at] ?? 0) > HIGHEST;
        for (const [at, value] of result.entries()) {
          expect(Math.abs(value)).toBeLessThanOrEqual(Math.fround(HIGHEST));
          const near = Array.from({ length: 241 }, (_, from) => at - 120 + from).some(isPeak);
          if (!near) expect(value).toBe(samples[at]);
        }
      }),
    );
  });

  it('have no steps where the gain changes', () => {
    const tone = Float32Array.from({ length: 2_400 }, (_, at) => (at === 1_200 ? 1.6 : 0.4));
    const steps = limited(tone).map((value, at, all) => (at === 0 ? 0 : value - all[at - 1]!));
    const aroundPeak = [1_200, 1_201];
    expect(
      Math.max(...steps.filter((_, at) => !aroundPeak.includes(at)).map(Math.abs)),
    ).toBeLessThan(0.01);
  });
});
