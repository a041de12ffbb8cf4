import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shorten } from '../../../../src/text/split/shorten.ts';

test.each([
  ['a'.repeat(80), 80, 'a'.repeat(80)],
  ['a'.repeat(81), 80, `${'a'.repeat(79)}…`],
  ['one two three', 9, 'one two…'],
  ['🦆🦆🦆', 4, '🦆…'],
  ['👩‍👩‍👧 family', 5, '…'],
])('%j in %i units is %j', (text, units, shown) => {
  expect(shorten(text, units)).toBe(shown);
});

test('whatever is shortened stays within its units, well-formed, and begins as it did', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 400 }),
      fc.integer({ min: 1, max: 300 }),
      (text, units) => {
        const shown = shorten(text, units);
        expect(shown.length).toBeLessThanOrEqual(units);
        expect(shown.isWellFormed()).toBe(true);
        expect(shown === text || text.startsWith(shown.slice(0, -1))).toBe(true);
      },
    ),
  );
});
