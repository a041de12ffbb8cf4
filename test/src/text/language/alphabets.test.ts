import { describe, expect, it } from 'vitest';
import { foreignLetters, specialLetters } from '../../../../src/text/language/scripts.ts';

describe('foreignLetters', () => {
  it.each([
    ['їжак', 'uk', 0],
    ['їжак', 'ru', 1],
    ['ћевапи', 'sr', 0],
    ['ћевапи', 'bg', 1],
    ['zażółć', 'pl', 0],
    ['zażółć', 'cs', 3],
    ['decomposed cafe\u0301', 'fr', 0],
    ['decomposed cafe\u0301', 'sl', 1],
    ['plain', 'fi', 0],
  ])('of %s in %s there are %i', (text, language, count) => {
    expect(foreignLetters(specialLetters(text), language)).toBe(count);
  });
});
