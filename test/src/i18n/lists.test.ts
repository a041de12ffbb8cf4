import { expect, it } from 'vitest';
import { listOf } from '../../../src/i18n/lists.ts';
import { plainText } from '../../../src/rich-text/walk.ts';

it.each([
  ['en', 'A, B, C'],
  ['de', 'A, B und C'],
  ['ja', 'A、B、C'],
  ['zh', 'A、B、C'],
])('a list is written as in %s: %s', (locale, written) => {
  expect(plainText(listOf(['A', 'B', 'C'], locale))).toBe(written);
});

it('a list within a sentence has the word before its last part', () => {
  expect(plainText(listOf(['A', 'B'], 'en', 'long'))).toBe('A and B');
});
