import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseRange } from '../../../adapters/web/api.ts';

describe('a range of a file', () => {
  test.each([
    ['bytes=0-3', { start: 0, end: 3 }],
    ['bytes=4-', { start: 4, end: 9 }],
    ['bytes=-3', { start: 7, end: 9 }],
    ['bytes=-99', { start: 0, end: 9 }],
    ['bytes=5-99', { start: 5, end: 9 }],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=5-4', undefined],
    ['bytes=0-1,3-4', undefined],
    ['bytes=-', undefined],
    ['lines=0-3', undefined],
    [undefined, undefined],
  ])('of 10 bytes: %s', (header, range) => {
    expect(parseRange(header, 10)).toEqual(range);
  });

  test('never leaves the file', () => {
    const any = fc.option(fc.nat(2_000), { nil: undefined });
    fc.assert(
      fc.property(any, any, fc.nat(1_000), (first, last, size) => {
        const range = parseRange(`bytes=${first ?? ''}-${last ?? ''}`, size);
        if (typeof range !== 'object') return;
        expect(range.start).toBeGreaterThanOrEqual(0);
        expect(range.end).toBeGreaterThanOrEqual(range.start);
        expect(range.end).toBeLessThan(size);
      }),
    );
  });
});
