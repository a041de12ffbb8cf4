import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitText } from '../../../../src/text/split/split.ts';
import { countCodePoints } from '../../../../src/text/unicode.ts';
import { anyText, longTexts } from '../any-text.ts';

const bytes = (text: string): number => Buffer.byteLength(text);

describe('splitText', () => {
  it.each([
    ['a paragraph', 'One two.\n\nThree four five. Six', 24, 'One two.\n\n'],
    ['a sentence', 'One two three. Four, five six seven', 30, 'One two three. '],
    ['a clause', 'one two three, four five six', 20, 'one two three, '],
    ['an East Asian clause', '一二三四五、六七八九十', 8, '一二三四五、'],
    ['a word', 'one two three four five', 16, 'one two three '],
    ['a word without spaces', 'これは日本語の文章です', 8, 'これは日本語の'],
    ['a grapheme', '👩‍👩‍👧👩‍👩‍👧', 7, '👩‍👩‍👧'],
    ['a token', '漢字⟦12⟧漢字', 4, '漢字'],
  ])('cuts at the end of %s', (_, text, limit, first) => {
    expect(splitText(text, limit)[0]).toBe(first);
  });

  it('cuts nothing that fits', () => {
    expect(splitText('One. Two.', 9)).toEqual(['One. Two.']);
    expect(splitText('', 9)).toEqual([]);
  });

  it('joined is the text, and every piece is within the limit', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 50 }), (text, limit) => {
        const pieces = splitText(text, limit);
        expect(pieces.join('')).toBe(text);
        for (const piece of pieces) {
          expect(countCodePoints(piece)).toBeLessThanOrEqual(limit);
          expect(piece).not.toBe('');
        }
      }),
    );
  });

  it('takes another measure, and never cuts a code point', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 50 }), (text, limit) => {
        const wellFormed = text.toWellFormed();
        const pieces = splitText(wellFormed, limit, bytes);
        expect(pieces.join('')).toBe(wellFormed);
        for (const piece of pieces)
          expect(bytes(piece) <= limit || countCodePoints(piece) === 1).toBe(true);
      }),
    );
  });

  it.each(longTexts(100_000))('bears a long row of %s', (_, text) => {
    let length = 0;
    for (const piece of splitText(text, 10_000)) length += piece.length;
    expect(length).toBe(text.length);
  });
});
