import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutChunks, planChunks, splitLongSpans } from '../../service/recognition-chunks.ts';

async function* slices(total: number, size: number): AsyncGenerator<Float32Array> {
  for (let at = 0; at < total; at += size)
    yield Float32Array.from({ length: Math.min(size, total - at) }, (_, i) => at + i);
}

/** Ordered spans without overlap, in milliseconds. */
const spans = fc
  .uniqueArray(fc.integer({ min: 0, max: 2_000 }), { maxLength: 12 })
  .map((times) => times.toSorted((a, b) => a - b))
  .map((times) =>
    Array.from({ length: times.length >> 1 }, (_, i) => ({
      startMs: times[2 * i]!,
      endMs: times[2 * i + 1]!,
    })),
  );

describe('pieces of sound', () => {
  it('are cut out to the sample, however the sound comes', async () => {
    await fc.assert(
      fc.asyncProperty(
        spans,
        fc.integer({ min: 1, max: 700 }),
        fc.integer({ min: 0, max: 2_500 }),
        async (plan, size, total) => {
          const cut = [];
          // At 1,000 Hz a sample is a millisecond.
          for await (const piece of cutChunks(slices(total, size), plan, 1_000)) cut.push(piece);
          const expected = plan
            .filter(({ startMs }) => startMs < total)
            .map((span) => [span.startMs, Math.min(span.endMs, total)]);
          expect(cut.map(({ samples }) => [samples[0], samples[0]! + samples.length])).toEqual(
            expected,
          );
          for (const { samples } of cut)
            expect(samples.at(-1)).toBe(samples[0]! + samples.length - 1);
        },
      ),
    );
  });

  it('of the whole touch each other, fill it, and are short enough', () => {
    fc.assert(
      fc.property(
        spans,
        fc.integer({ min: 100, max: 900 }),
        fc.integer({ min: 0, max: 5_000 }),
        (speech, longestMs, durationMs) => {
          const plan = planChunks(speech, durationMs, longestMs);
          expect(plan[0]?.startMs).toBe(0);
          expect(plan.at(-1)?.endMs).toBe(durationMs);
          for (const [i, { startMs, endMs }] of plan.entries()) {
            expect(endMs - startMs).toBeLessThanOrEqual(longestMs);
            expect(startMs).toBe(plan[i - 1]?.endMs ?? 0);
          }
        },
      ),
    );
  });

  it('of the whole are cut in the last pause that fits', () => {
    const speech = [
      { startMs: 0, endMs: 4_000 },
      { startMs: 5_000, endMs: 8_000 },
      { startMs: 9_000, endMs: 15_000 },
    ];
    expect(planChunks(speech, 15_000, 10_000)).toEqual([
      { startMs: 0, endMs: 8_500 },
      { startMs: 8_500, endMs: 15_000 },
    ]);
  });

  it('that are too long are split evenly', () => {
    expect(splitLongSpans([{ startMs: 0, endMs: 900 }], 400)).toEqual([
      { startMs: 0, endMs: 300 },
      { startMs: 300, endMs: 600 },
      { startMs: 600, endMs: 900 },
    ]);
  });
});
