import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSpeech, type SegmentParameters, toSegments } from '../../../src/audio/vad.ts';
import { chunked, decodeAll, fixture, sourceOf } from './support.ts';

const BARE: SegmentParameters = {
  minSilenceGapMs: 400,
  segmentPaddingMs: 0,
  initialSegmentPaddingMs: 0,
  speechPadMs: 0,
  minSegmentDurationMs: 0,
};

/** The defaults of contract section 4.5. */
const CONTRACT: SegmentParameters = {
  minSilenceGapMs: 400,
  segmentPaddingMs: 100,
  initialSegmentPaddingMs: 1_500,
  speechPadMs: 200,
  minSegmentDurationMs: 1_500,
};

const speech = () => decodeAll(sourceOf(fixture('speech.wav')));

const withNoise = (samples: Float32Array, level: number): Float32Array => {
  let state = 1;
  return samples.map((sample) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return sample + (state / 0x4000_0000 - 1) * level;
  });
};

describe('finding speech', () => {
  it.each([0, 0.003, 0.01])('finds both sentences in noise of %f', async (level) => {
    const spans = await findSpeech(chunked(withNoise(await speech(), level)), BARE);
    expect(spans).toHaveLength(2);
    const [first, second] = spans as [(typeof spans)[0], (typeof spans)[0]];
    expect(Math.abs(first.startMs - 300)).toBeLessThan(80);
    expect(Math.abs(first.endMs - 985)).toBeLessThan(160);
    expect(Math.abs(second.startMs - 1_785)).toBeLessThan(80);
    expect(Math.abs(second.endMs - 3_220)).toBeLessThan(160);
  });

  it('makes one segment of a short sentence and the next, padded', async () => {
    const spans = await findSpeech(chunked(await speech()), CONTRACT);
    expect(spans).toHaveLength(1);
    expect(spans[0]!.startMs).toBe(0);
    expect(spans[0]!.endMs).toBeGreaterThan(3_400);
  });

  it('finds none in silence and in steady noise', async () => {
    expect(await findSpeech(chunked(new Float32Array(64_000)), CONTRACT)).toEqual([]);
    const noise = withNoise(new Float32Array(160_000), 0.02);
    expect(await findSpeech(chunked(noise), CONTRACT)).toEqual([]);
  });

  it('does not depend on the chunks', async () => {
    const samples = await speech();
    const spans = await findSpeech(chunked(samples, 1e6), BARE);
    expect(await findSpeech(chunked(samples, 77), BARE)).toEqual(spans);
  });
});

describe('segments', () => {
  const span = (startMs: number, endMs: number) => ({ startMs, endMs });

  it('are split at silence that is long enough, and only there', () => {
    const spans = [span(0, 1_000), span(1_399, 2_000), span(2_400, 3_000)];
    expect(toSegments(spans, 5_000, BARE)).toEqual([span(0, 2_000), span(2_400, 3_000)]);
  });

  it('leave out clicks', () => {
    expect(toSegments([span(100, 140), span(2_000, 3_000)], 5_000, BARE)).toEqual([
      span(2_000, 3_000),
    ]);
  });

  it('are merged while they are too short, the last one backwards', () => {
    const spans = [span(0, 500), span(1_000, 1_500), span(3_000, 5_000), span(6_000, 6_300)];
    const parameters = { ...BARE, minSegmentDurationMs: 1_500 };
    expect(toSegments(spans, 9_000, parameters)).toEqual([span(0, 1_500), span(3_000, 6_300)]);
  });

  it('are padded half the way to a neighbour at most, and more before the first', () => {
    const parameters = { ...BARE, segmentPaddingMs: 400, initialSegmentPaddingMs: 800 };
    const spans = [span(1_000, 2_000), span(2_500, 3_000)];
    expect(toSegments(spans, 3_100, parameters)).toEqual([span(200, 2_250), span(2_250, 3_100)]);
  });

  it('are always in order, apart and inside the sound', () => {
    const length = fc.integer({ min: 0, max: 2_000 });
    const parameters = fc.record({
      minSilenceGapMs: length,
      segmentPaddingMs: length,
      initialSegmentPaddingMs: length,
      speechPadMs: length,
      minSegmentDurationMs: length,
    });
    const steps = fc.array(
      fc.tuple(fc.integer({ min: 1, max: 900 }), fc.integer({ min: 1, max: 900 })),
    );
    fc.assert(
      fc.property(steps, fc.nat(500), parameters, (pairs, tailMs, chosen) => {
        let at = 0;
        const spans = pairs.map(([gapMs, speechMs]) => {
          const startMs = at + gapMs;
          at = startMs + speechMs;
          return { startMs, endMs: at };
        });
        const segments = toSegments(spans, at + tailMs, chosen);
        let last = 0;
        for (const { startMs, endMs } of segments) {
          expect(startMs).toBeGreaterThanOrEqual(last);
          expect(endMs).toBeGreaterThan(startMs);
          last = endMs;
        }
        expect(last).toBeLessThanOrEqual(at + tailMs);
      }),
    );
  });
});
