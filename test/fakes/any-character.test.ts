import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from './any-character.ts';

describe('any character', () => {
  it.each(['\0', 'a', '\uD7FF', '\uE000', '🎉', '\u{10FFFF}'])('may be %j', (character) => {
    expect(anyCharacter.canShrinkWithoutContext(character)).toBe(true);
  });

  it.each(['', 'ab', '\uD83D', '\uDE00', 1, undefined])('is never %j', (other) => {
    expect(anyCharacter.canShrinkWithoutContext(other)).toBe(false);
  });

  it('is one, and no half of a pair', () => {
    fc.assert(
      fc.property(anyCharacter, (character) => {
        expect(character).toMatch(/^.$/su);
        expect(character.isWellFormed()).toBe(true);
      }),
    );
  });
});
