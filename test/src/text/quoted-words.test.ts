import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  quotedInstruction,
  quotedWords,
  shorten,
  typedCode,
  excerpt as excerptTree,
  type ExcerptOptions,
} from '../../../src/text/quoted-words.ts';
import { sentence } from '../../../src/rich-text/compose.ts';
import { code } from '../../../src/rich-text/rich-text.ts';
import { anyCharacter } from '../../fakes/any-character.ts';
import { tree } from '../../fakes/markup.ts';
import { anyText, longTexts } from './any-text.ts';

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

const names = ({ target }: { readonly target: string }): string | undefined =>
  target === 'broadcast' ? undefined : 'An*n*';
const excerpt = (written: string, chars: number, options: ExcerptOptions = {}): string =>
  excerptTree(tree(written), chars, options);

describe('excerpt', () => {
  it.each([
    ['# **Big** ~~news~~', 'Big news'],
    ['> quoted\n\nanswer', 'quoted answer'],
    [
      'see [the docs](https://example.org/a) or https://www.example.org/b',
      'see the docs or example.org',
    ],
    ['hi <@1> in <#2> @here', 'hi @An*n* in #An*n* @here'],
    ['it was ||the **cook** <@1>||!', 'it was ▒▒▒!'],
    ['run `npm i` now', 'run npm i now'],
    ['```js\nlet a;\nlet b;\n```', 'let a; let b;'],
    ['`<@1> @everyone`', '<@1> @everyone'],
    ['ok <:party:123> 👩‍👩‍👧 :smile:', 'ok :party: 👩‍👩‍👧 :smile:'],
    ['at <t:1700000000:d>', 'at November 14, 2023'],
    ['می‌رویم', 'می‌رویم'],
    ['', ''],
  ])('makes %j one line: %j', (text, line) => {
    expect(excerpt(text, 100, { names })).toBe(line);
  });

  it('ends a longer message after a whole grapheme', () => {
    expect(excerpt('one two three', 9)).toBe('one two…');
    expect(excerpt('ab👩‍👩‍👧👩‍👩‍👧', 14)).toBe('ab👩‍👩‍👧…');
    expect(excerpt('👩‍👩‍👧 family', 5)).toBe('…');
    expect(excerpt('🎉'.repeat(9), 6)).toBe('🎉🎉…');
    expect(excerpt(`a${' '.repeat(9_000)}b`, 100)).toBe('a…');
  });

  it('is one well-formed line within the limit, whatever the text', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 60 }), (text, chars) => {
        const line = excerpt(text, chars, { names: () => '<@1>' });
        expect(line.length).toBeLessThanOrEqual(chars);
        expect(line.isWellFormed()).toBe(true);
        expect(line).not.toMatch(/[\r\n]/);
      }),
    );
  });

  it.each(longTexts(100_000))('bears a long row of %s', (_, text) => {
    expect(excerpt(text, 80).length).toBeLessThanOrEqual(80);
  });

  it('keeps what fits to the last character', () => {
    expect([excerpt('abc', 3), excerpt('abcd', 3)]).toEqual(['abc', 'ab…']);
  });

  it('shows nothing of a spoiler that ends far behind', () => {
    const secret = `||${'the butler did it '.repeat(300)}|| and so on`;
    expect(excerpt(`Well, ${secret}`, 80)).toBe('Well, ▒▒▒ and so on');
    expect(excerpt(`Well, ||hidden|| then ${secret}`, 80)).toBe('Well, ▒▒▒ then ▒▒▒ and so on');
    expect(excerpt('||```js\nsecret\n```||', 80)).toBe('▒▒▒');
  });
});
