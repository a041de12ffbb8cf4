import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { engineNames } from '../../../service/engine-loader.ts';
import { loadPrices, priceOf, formatUsd, parseUsd } from '../../../service/keys/prices.ts';

const OWN = {
  speechPer1000Characters: { default: '0.01', openai: '0.015' },
  recognitionPerMinute: { default: '0.006' },
  translationPer1000Characters: { default: '0' },
  chatPer1000Tokens: { default: '0.0025' },
};

const write = (content: string | object): string => {
  const file = join(mkdtempSync(join(tmpdir(), 'dragoman-prices-')), 'prices.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
};

describe('the prices', () => {
  it('that the project has name only engines that there are', async () => {
    const prices = await loadPrices(undefined, await engineNames());
    for (const byEngine of Object.values(prices)) expect(byEngine['default']).toBeGreaterThan(0);
  });

  it.each([
    ['speech', 'espeak-ng', 1_000, 10_000_000],
    ['speech', 'openai', 1_000, 15_000_000],
    ['speech', 'openai', 1, 15_000],
    ['recognition', 'any', 60_000, 6_000_000],
    ['recognition', 'any', 1, 100],
    ['recognition', 'any', 0.5, 100],
    ['translation', 'any', 10_000, 0],
    ['chat', 'any', 3, 7_500],
    ['chat', 'any', 0, 0],
  ] as const)('make %s by %s of %d cost %i nano-USD', async (ability, engine, amount, nanoUsd) => {
    const prices = await loadPrices(write(OWN));
    expect(priceOf(prices, { ability, engine, amount })).toBe(nanoUsd);
  });

  it.each([
    ['is no JSON', '{', 'it is no JSON'],
    ['lacks a task', { ...OWN, chatPer1000Tokens: undefined }, 'chatPer1000Tokens'],
    ['has another task', { ...OWN, images: { default: '1' } }, 'images'],
    ['lacks a default', { ...OWN, recognitionPerMinute: { openai: '1' } }, 'recognitionPerMinute'],
    ['has a number', { ...OWN, chatPer1000Tokens: { default: 0.1 } }, 'in quotation marks'],
    ['has a wrong amount', { ...OWN, chatPer1000Tokens: { default: '-1' } }, 'amount in USD'],
    [
      'has an unknown engine',
      { ...OWN, recognitionPerMinute: { default: '0', opnai: '1' } },
      'opnai is no engine; there are openai',
    ],
  ])('of a file that %s are refused with the place', async (_, content, words) => {
    const file = write(content);
    const loading = loadPrices(file, ['openai']);
    await expect(loading).rejects.toMatchObject({ code: 'config' });
    await expect(loading).rejects.toThrow(words);
    await expect(loading).rejects.toThrow(file);
  });

  it('of a file that is not there are refused', async () => {
    await expect(loadPrices('/nonexistent/prices.json')).rejects.toThrow('cannot be read');
  });
});

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
