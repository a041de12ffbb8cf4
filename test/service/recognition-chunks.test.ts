import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutChunks, planChunks } from '../../service/recognition-chunks.ts';

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

  const RULES = { leastMs: 3_000, longestMs: 10_000, clearPauseMs: 400 };
  const whole = (lengthMs: number) => [{ startMs: 0, endMs: lengthMs }];
  const voiceOf = (...times: readonly (readonly [number, number])[]) =>
    times.map(([startMs, endMs]) => ({ startMs, endMs }));
  /** The ends of all chunks of a recording. */
  const endsOf = (voice: ReturnType<typeof voiceOf>, lengthMs: number): readonly number[] =>
    planChunks(whole(lengthMs), voice, RULES).map(({ endMs }) => endMs);

  it('of the whole touch each other, fill it, are short enough, and have all of its voice', () => {
    fc.assert(
      fc.property(
        spans,
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 400, max: 900 }),
        fc.integer({ min: 2_000, max: 5_000 }),
        (voice, leastMs, longestMs, lengthMs) => {
          const plan = planChunks(whole(lengthMs), voice, {
            leastMs,
            longestMs,
            clearPauseMs: 100,
          });
          expect(plan[0]?.startMs).toBe(0);
          expect(plan.at(-1)?.endMs).toBe(lengthMs);
          for (const [i, { startMs, endMs }] of plan.entries()) {
            expect(endMs - startMs).toBeGreaterThan(0);
            expect(endMs - startMs).toBeLessThanOrEqual(longestMs + 0.001);
            expect(startMs).toBe(plan[i - 1]?.endMs ?? 0);
          }
          const sum = (all: readonly { startMs: number; endMs: number }[]): number =>
            all.reduce((total, { startMs, endMs }) => total + endMs - startMs, 0);
          expect(sum(plan.flatMap((chunk) => chunk.voice))).toBeCloseTo(sum(voice));
        },
      ),
    );
  });

  it('end in the middle of the first clear pause that is far enough', () => {
    expect(
      endsOf(voiceOf([0, 2_000], [2_500, 4_000], [4_100, 6_000], [6_400, 9_900]), 9_900),
    ).toEqual([6_200, 9_900]);
  });

  it('end in the longest pause, where none is clear', () => {
    expect(
      endsOf(voiceOf([0, 5_000], [5_200, 7_000], [7_300, 9_000], [9_100, 15_000]), 15_000),
    ).toEqual([7_150, 15_000]);
  });

  it('leave no end that is too short, and cut no pause for it', () => {
    expect(endsOf(voiceOf([0, 4_000], [4_500, 6_000]), 6_000)).toEqual([6_000]);
  });

  it('keep a second of silence, of a long pause', () => {
    expect(endsOf(voiceOf([0, 4_000], [13_000, 19_000]), 19_000)).toEqual([5_000, 12_000, 19_000]);
  });

  it('are of one length, where there is no pause', () => {
    expect(endsOf(voiceOf([0, 24_000]), 24_000)).toEqual([8_000, 16_000, 24_000]);
  });

  it('are planned in steps in proportion to their number', () => {
    /** Counts how often the pauses of a recording with a word a second are looked at. */
    const stepsFor = (seconds: number): number => {
      let steps = 0;
      const voice = Array.from({ length: seconds }, (_, at) => ({
        get startMs(): number {
          steps += 1;
          return 1_000 * at;
        },
        endMs: 1_000 * at + 800,
      }));
      planChunks(voice, voice, RULES);
      planChunks(whole(1_000 * seconds), voice, RULES);
      return steps;
    };
    expect(stepsFor(4_000) / stepsFor(1_000)).toBeLessThan(5);
  });
});
