import { describe, expect, it } from 'vitest';
import { formatUsd, parseUsd } from '../../../service/keys/money.ts';

describe('an amount of money', () => {
  it.each([
    ['10', 10_000_000_000],
    ['0.1', 100_000_000],
    ['0.000000001', 1],
    ['1000000', 1_000_000_000_000_000],
  ])('is read exactly: %s', (text, nanoUsd) => {
    expect(parseUsd(text)).toBe(nanoUsd);
  });

  it.each(['', '-1', '+1', '1e3', '1.', '.5', '1,5', '0.0000000001', '1000000.1', '10 USD'])(
    'is not %j',
    (text) => {
      expect(parseUsd(text)).toBeUndefined();
    },
  );

  it.each([
    [10_000_000_000, '10.00 USD'],
    [9_999_600_000, '9.9996 USD'],
    [9_990_050_000, '9.99 USD'],
    [500_000_000, '0.50 USD'],
    [1_234_000_000_000, '1234.00 USD'],
    [0, '0.00 USD'],
    [-1_200_000, '-0.0012 USD'],
    [99_999, '0.00 USD'],
  ])('of %i nano-USD is shown as %s', (nanoUsd, text) => {
    expect(formatUsd(nanoUsd)).toBe(text);
  });
});
