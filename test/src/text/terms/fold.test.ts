import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldText } from '../../../../src/text/terms/fold.ts';
import { anyText } from '../any-text.ts';

/** Text in which some characters fold by case alone and others in every other way. */
const mixed = fc.oneof(
  anyText,
  fc
    .array(
      fc.constantFrom('a', 'É', 'Σ', 'ẞ', '’', 'ﾄ', 'ﾞ', 'Ａ', 'İ', '❤\uFE0F', '🎉', '🄰', '𐐀', 'é'),
    )
    .map((parts) => parts.join('')),
);
/** Folds in its own way, so that the text with it cannot take the short way. */
const LIGATURE = ' ﬃ';

describe('foldText', () => {
  it('gives the same for a text alone and before a ligature, which folds to three letters', () => {
    fc.assert(
      fc.property(mixed, (text) => {
        const alone = foldText(text);
        const longer = foldText(text + LIGATURE);
        expect(longer.text).toBe(`${alone.text} ffi`);
        for (let at = 0; at <= alone.text.length; at += 1)
          expect(longer.sourceOf(at)).toBe(alone.sourceOf(at));
      }),
    );
  });

  it('keeps emoji with selectors, and folds letters of two units', () => {
    expect(foldText('Ok ❤\uFE0F 🎉').text).toBe('ok ❤\uFE0F 🎉');
    expect(foldText('é 🄰 𐐀').text).toBe('é a 𐐨');
  });
});
