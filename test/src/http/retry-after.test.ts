import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { retryAfterHeaderMs, retryAfterTextMs } from '../../../src/http/retry-after.ts';

describe('the Retry-After header', () => {
  const nowMs = Date.parse('2026-03-01T12:00:00Z');

  it('is read as seconds, fractions included', () => {
    expect(retryAfterHeaderMs('2', nowMs)).toBe(2_000);
    expect(retryAfterHeaderMs('0.25', nowMs)).toBe(250);
  });

  it('is read as a date, which may have passed', () => {
    expect(retryAfterHeaderMs('Sun, 01 Mar 2026 12:00:05 GMT', nowMs)).toBe(5_000);
    expect(retryAfterHeaderMs('Sun, 01 Mar 2026 11:00:00 GMT', nowMs)).toBe(0);
  });

  it('is passed over when it says nothing', () => {
    expect(retryAfterHeaderMs(undefined, nowMs)).toBeUndefined();
    expect(retryAfterHeaderMs('soon', nowMs)).toBeUndefined();
    expect(retryAfterHeaderMs('-3', nowMs)).not.toBe(-3_000);
  });
});

describe('the waiting time in an error text', () => {
  it.each([
    ['Too many requests. Retry after 1.72s', 1_720],
    ['Rate limit reached, please try again in 20 seconds.', 20_000],
    ['Please wait 350ms before the next request', 350],
    ['retry after: 2 minutes', 120_000],
    ['Please try again in 1m30s. Visit our page', 90_000],
    ['Please try again in 6m0s.', 360_000],
    ['Try again in 1 minute and 5 seconds', 65_000],
    ['try again in 1h2m', 3_600_000],
    ['Retry after 1,5 s', 1_500],
  ])('%s', (text, expected) => {
    expect(retryAfterTextMs(text)).toBe(expected);
  });

  it('is not found in other numbers', () => {
    expect(retryAfterTextMs('Error 429: 17 requests')).toBeUndefined();
  });

  it('is never negative, infinite or over an hour, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.nat(),
        fc.constantFrom('s', 'ms', 'minutes'),
        (noise, n, unit) => {
          const wait = retryAfterTextMs(`${noise} retry after ${n}${unit}`);
          expect(wait === undefined || (wait >= 0 && wait <= 3_600_000)).toBe(true);
        },
      ),
    );
  });
});
