import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countCodePoints, isBlank, isEmojiOnly, visibleEnd } from '../../../src/text/unicode.ts';
import { anyText } from './any-text.ts';

describe('countCodePoints', () => {
  it('counts as iteration does, lone surrogates included', () => {
    fc.assert(fc.property(anyText, (text) => countCodePoints(text) === Array.from(text).length));
  });
});

describe('isBlank', () => {
  it.each(['', ' \n\t', '\u200B\u200D\uFEFF', '\u2800', '\u3164', '\u202E', '\u00AD'])(
    'is true of what cannot be seen: %j',
    (text) => {
      expect(isBlank(text)).toBe(true);
    },
  );

  it.each(['a', '.', '🎉', '\u200Ba', '語'])('is false of what can be seen: %j', (text) => {
    expect(isBlank(text)).toBe(false);
  });
});

describe('isEmojiOnly', () => {
  it.each(['🎉', '👩‍👩‍👧 🇯🇵!', '<:pepe:123> <a:x:4>', ':smile: :+1:', '1️⃣', '...', ' '])(
    'is true of %j',
    (text) => {
      expect(isEmojiOnly(text)).toBe(true);
    },
  );

  it.each(['ok 🎉', '🎉 はい', '10:30:45', 'a:b'])('is false of %j', (text) => {
    expect(isEmojiOnly(text)).toBe(false);
  });
});

describe('visibleEnd', () => {
  it.each([
    ['a b \n\u200B', 3],
    ['語🎉 ', 3],
    [' \u202E', 0],
    ['', 0],
  ])('of %j is %i', (text, end) => {
    expect(visibleEnd(text)).toBe(end);
  });
});
