import { expect, it } from 'vitest';
import { beginningOfDay, minutesAndSeconds } from '../../../src/text/time-of-day.ts';

it.each([
  [0, '0:00'],
  [999, '0:00'],
  [59_999, '0:59'],
  [65_000, '1:05'],
  [4_300_000, '71:40'],
])('a clock shows the whole seconds of %i ms', (ms, shown) => {
  expect(minutesAndSeconds(ms)).toBe(shown);
});

it.each([
  ['2026-05-20T13:00Z', 0, undefined, '2026-05-20T00:00Z'],
  ['2026-05-20T13:00Z', 1, 'Pacific/Auckland', '2026-05-19T12:00Z'],
  ['2026-05-20T13:00Z', 0, 'Asia/Kolkata', '2026-05-19T18:30Z'],
  ['2026-05-20T13:00Z', 0, 'America/St_Johns', '2026-05-20T02:30Z'],
  ['2026-05-20T02:00Z', 0, 'America/Los_Angeles', '2026-05-19T07:00Z'],
  // Days on which clocks are changed, before and after that.
  ['2026-03-29T12:00Z', 0, 'Europe/Berlin', '2026-03-28T23:00Z'],
  ['2026-10-25T12:00Z', 0, 'Europe/Berlin', '2026-10-24T22:00Z'],
  ['2026-10-04T12:00Z', 0, 'Australia/Sydney', '2026-10-03T14:00Z'],
  ['2026-04-05T12:00Z', 0, 'Australia/Sydney', '2026-04-04T13:00Z'],
  // Days that begin at one o'clock.
  ['2025-03-10T00:20Z', 0, 'America/Havana', '2025-03-09T05:00Z'],
  ['2025-09-08T00:20Z', 0, 'America/Santiago', '2025-09-07T04:00Z'],
  ['2025-03-30T12:00Z', 0, 'Atlantic/Azores', '2025-03-30T01:00Z'],
  ['2026-05-20T13:00Z', 0, 'Nowhere/At_All', '2026-05-20T00:00Z'],
])('a day begins at midnight in its time zone: %s, %s days before in %s', (now, days, zone, at) => {
  expect(beginningOfDay(Date.parse(now), days, zone)).toBe(Date.parse(at));
});
