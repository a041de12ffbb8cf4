import { describe, expect, it } from 'vitest';
import { createSpeechSegmenter } from '../../../service/realtime/speech-segmenter.ts';

const RATE_HZ = 16_000;

/** Sound of a level: syllables of 200 ms with short dips, or noise. */
const spoken = (seconds: number): Float32Array =>
  Float32Array.from({ length: seconds * RATE_HZ }, (_, at) =>
    at % 3_200 < 2_600 ? 0.2 * Math.sin(at / 3) : 0.01 * Math.sin(at / 3),
  );
const noise = (seconds: number, level: number): Float32Array =>
  Float32Array.from({ length: seconds * RATE_HZ }, (_, at) => level * Math.sin((at * at) / 77));

const segmentsOf = (sound: readonly Float32Array[], stepSamples: number, longestMs = 28_000) => {
  const segmenter = createSpeechSegmenter(longestMs);
  const found: { startMs: number; endMs: number; samples: number }[] = [];
  const take = (events: ReturnType<typeof segmenter.push>): void => {
    for (const { kind, segment } of events)
      if (kind === 'stopped') {
        const samples = segment.frames.reduce((sum, frame) => sum + frame.samples.length, 0);
        found.push({ startMs: segment.startMs, endMs: segment.endMs, samples });
      }
  };
  for (const part of sound)
    for (let at = 0; at < part.length; at += stepSamples)
      take(segmenter.push(part.subarray(at, at + stepSamples)));
  take(segmenter.end());
  return found;
};

describe('the detector of utterances', () => {
  it.each([37, 320, 1_600, 96_000])('finds them in steps of %i samples', (stepSamples) => {
    const sound = [noise(1, 0.001), spoken(2), noise(1, 0.001), spoken(1), noise(1, 0.001)];
    const found = segmentsOf(sound, stepSamples);
    expect(found).toHaveLength(2);
    for (const [at, [start, end]] of [
      [1_000, 3_000],
      [4_000, 5_000],
    ].entries()) {
      const { startMs, endMs, samples } = found[at]!;
      expect(startMs).toBeGreaterThanOrEqual(start! - 300);
      expect(startMs).toBeLessThanOrEqual(start!);
      expect(endMs).toBeGreaterThanOrEqual(end! - 100);
      expect(endMs).toBeLessThanOrEqual(end! + 200);
      expect(samples).toBe(((endMs - startMs) * RATE_HZ) / 1_000);
    }
  });

  it('does not take the noise of a microphone for speech because of digital silence', () => {
    const silence = new Float32Array(RATE_HZ);
    const found = segmentsOf(
      [silence, spoken(1), noise(2, 0.002), silence, noise(2, 0.002)],
      1_600,
    );
    expect(found).toHaveLength(1);
    expect(found[0]!.endMs).toBeLessThan(2_300);
  });

  it('learns the noise of a loud room, and finds speech in it', () => {
    const room = noise(6, 0.02);
    const voice = spoken(2).map((sample, at) => sample + room[at]!);
    const found = segmentsOf([room, voice, room], 1_600);
    expect(found.at(-1)!.startMs).toBeGreaterThan(5_000);
    expect(found.at(-1)!.endMs).toBeLessThan(8_500);
    expect(found.length).toBeLessThanOrEqual(2);
  });

  it('passes over clicks', () => {
    const click = spoken(0.04);
    expect(
      segmentsOf([noise(1, 0.001), click, noise(1, 0.001), click, noise(1, 0.001)], 320),
    ).toEqual([]);
  });

  it('cuts a long utterance into parts that follow each other without a gap', () => {
    const found = segmentsOf([spoken(30)], 1_600, 10_000);
    expect(found.length).toBeGreaterThanOrEqual(3);
    for (const [at, { startMs, endMs }] of found.entries()) {
      expect(endMs - startMs).toBeLessThanOrEqual(10_000);
      if (at > 0) expect(startMs).toBe(found[at - 1]!.endMs);
    }
    expect(found.at(-1)!.endMs).toBe(30_000);
  });
});
