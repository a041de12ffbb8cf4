import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { retryAfterHeaderMs, retryAfterTextMs } from '../../../src/http/retry-after.ts';

describe('the Retry-After header', () => {
  const nowMs = Date.parse('2026-03-01T12:00:00Z');
  const waitOf = (text: string | undefined) => retryAfterHeaderMs({ 'retry-after': text }, nowMs);

  it('is read as seconds, fractions included', () => {
    expect(waitOf('2')).toBe(2_000);
    expect(waitOf('0.25')).toBe(250);
  });

  it('is read as a date, which may have passed', () => {
    expect(waitOf('Sun, 01 Mar 2026 12:00:05 GMT')).toBe(5_000);
    expect(waitOf('Sun, 01 Mar 2026 11:00:00 GMT')).toBe(0);
  });

  it('is passed over when it says nothing', () => {
    expect(waitOf(undefined)).toBeUndefined();
    expect(waitOf('soon')).toBeUndefined();
    expect(waitOf('-3')).not.toBe(-3_000);
  });

  it('holds for less than a minute, though it names years', () => {
    expect(waitOf('315360000')).toBe(45_000);
    expect(waitOf('Sun, 01 Mar 2099 12:00:00 GMT')).toBe(45_000);
  });

  it('is replaced by what others say more finely, or alone', () => {
    const finer = { 'retry-after': '1', 'retry-after-ms': '420' };
    expect(retryAfterHeaderMs(finer, nowMs)).toBe(420);
    expect(retryAfterHeaderMs({ 'x-ratelimit-reset-after': '1.5' }, nowMs)).toBe(1_500);
  });
});

describe('the waiting time in an error text', () => {
  it.each([
    ['Too many requests. Retry after 1.72s', 1_720],
    ['Rate limit reached, please try again in 20 seconds.', 20_000],
    ['Please wait 350ms before the next request', 350],
    ['retry after: 2 minutes', 45_000],
    ['Please try again in 0m30s. Visit our page', 30_000],
    ['Please try again in 0m6s.', 6_000],
    ['Try again in 0 minutes and 5 seconds', 5_000],
    ['try again in 1h2m', 45_000],
    ['Retry after 1,5 s', 1_500],
  ])('%s', (text, expected) => {
    expect(retryAfterTextMs(text)).toBe(expected);
  });

  it('is not found in other numbers', () => {
    expect(retryAfterTextMs('Error 429: 17 requests')).toBeUndefined();
  });

  it('is never negative, infinite or over a minute, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.nat(),
        fc.constantFrom('s', 'ms', 'minutes'),
        (noise, n, unit) => {
          const wait = retryAfterTextMs(`${noise} retry after ${n}${unit}`);
          expect(wait === undefined || (wait >= 0 && wait <= 45_000)).toBe(true);
        },
      ),
    );
  });
});
