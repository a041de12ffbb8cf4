import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { excerpt as excerptTree, type ExcerptOptions } from '../../../../src/text/split/excerpt.ts';
import { tree } from '../../../fakes/markup.ts';
import { anyText, longTexts } from '../any-text.ts';

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
