import { expect, it } from 'vitest';
import { minutesAndSeconds } from '../../../src/text/time-of-day.ts';

it.each([
  [0, '0:00'],
  [999, '0:00'],
  [59_999, '0:59'],
  [65_000, '1:05'],
  [4_300_000, '71:40'],
])('a clock shows the whole seconds of %i ms', (ms, shown) => {
  expect(minutesAndSeconds(ms)).toBe(shown);
});
