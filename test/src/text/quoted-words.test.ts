import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  quotedInstruction,
  quotedWords,
  shorten,
  typedCode,
} from '../../../src/text/quoted-words.ts';
import { sentence } from '../../../src/rich-text/compose.ts';
import { code } from '../../../src/rich-text/rich-text.ts';
import { anyCharacter } from '../../fakes/any-character.ts';

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

describe('words of others in a sentence', () => {
  it('stand on one line, and keep every sign', () => {
    expect(quotedWords(' **a**\r\n`b` \u0000<@1>\u202E ')).toBe('**a** `b` <@1>');
  });

  it('are shortened after a whole grapheme', () => {
    expect(quotedWords('abcdef', 4)).toBe('abc…');
    expect(quotedWords('👩‍👩‍👧👩‍👩‍👧', 12)).toBe('👩‍👩‍👧…');
    expect(quotedWords('x'.repeat(301))).toHaveLength(300);
  });

  it('are code where somebody typed them', () => {
    expect(typedCode('a`b\nc')).toEqual(code('a`b c'));
    expect(typedCode('x'.repeat(61)).text).toHaveLength(60);
    expect(typedCode('abcdef', 4)).toEqual(code('abc…'));
  });

  it('are one line within the limit, whatever they are', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter }),
        fc.integer({ min: 1, max: 40 }),
        (any, most) => {
          const quoted = quotedWords(any, most);
          expect(quoted.length).toBeLessThanOrEqual(most);
          expect(quoted).not.toMatch(/[\r\n\p{Cc}]/u);
          expect(quoted.isWellFormed()).toBe(true);
        },
      ),
    );
  });
});

test.each([
  ['set SERVICE_X to the folder of a model', 'set `SERVICE_X` to the folder of a model'],
  ['for the rest set A_B, C_D', 'for the rest set `A_B`, `C_D`'],
  ['apt-get install -y apertium-eng-spa', '`apt-get install -y apertium-eng-spa`'],
  ['run npm install --include=optional, which', 'run `npm install --include=optional`, which'],
  ['install them: npm run setup.', 'install them: `npm run setup`.'],
  ['ask **Ada** about OpenAI', 'ask **Ada** about OpenAI'],
])('%j has its commands and variables as code', (instruction, shown) => {
  const parts = shown.split('`').map((part, index) => (index % 2 === 0 ? part : code(part)));
  expect(quotedInstruction(instruction)).toEqual(sentence(...parts));
});
