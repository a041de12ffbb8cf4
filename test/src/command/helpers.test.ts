import { expect, it } from 'vitest';
import { asList } from '../../../src/command/helpers.ts';

it.each([
  ['en', 'A, B, C'],
  ['de', 'A, B und C'],
  ['ja', 'A、B、C'],
  ['zh', 'A、B、C'],
])('words in a row are written as in %s: %s', (locale, written) => {
  expect(asList(['A', 'B', 'C'], { locale })).toBe(written);
});
