import { expect, test } from 'vitest';
import { backoffMs } from '../../../src/async/backoff.ts';

const backoff = { firstMs: 1_000, longestMs: 5_000 };

test('waits double up to the longest', () => {
  expect([0, 1, 2, 3, 2_000].map((attempt) => backoffMs(backoff, attempt))).toEqual([
    1_000, 2_000, 4_000, 5_000, 5_000,
  ]);
});

test('a random share of the span is waited', () => {
  const shares = [0, 0.25, 0.5];
  const random = (): number => shares.shift() ?? 0;
  const waits = [0, 1, 5].map((attempt) => backoffMs({ ...backoff, random }, attempt));
  expect(waits).toEqual([0, 500, 2_500]);
});

test('a wait that the other side asked for is the least', () => {
  expect(backoffMs(backoff, 0, 7_000)).toBe(7_000);
  expect(backoffMs(backoff, 1, 500)).toBe(2_000);
  expect(backoffMs({ ...backoff, random: () => 0 }, 3, 500)).toBe(500);
});
