import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bullets,
  joined,
  lines,
  nested,
  plainWords,
  row,
  sections,
  sentence,
  series,
} from '../../../src/model/compose-rich-text.ts';
import { normalise } from '../../../src/model/normalise-rich-text.ts';
import {
  bulleted,
  code,
  item,
  paragraph,
  quote,
  styled,
  text,
  type RichText,
} from '../../../src/model/rich-text.ts';
import { plainText } from '../../../src/model/walk-rich-text.ts';
import { anyRichText, anyWords } from '../../fakes/any-rich-text.ts';
import { markdownOf } from '../../fakes/rich-text.ts';

const BOLD = styled('bold', text('b'));

describe('a composed line', () => {
  it('holds words, nodes and trees of one paragraph as they are', () => {
    expect(row('*a* ', BOLD, [paragraph(code('c'))])).toEqual([text('*a* '), BOLD, code('c')]);
    expect(row([], [quote(paragraph(BOLD))])).toEqual([text('b')]);
    expect(sentence('a', ' ', BOLD)).toEqual([paragraph(text('a '), BOLD)]);
  });

  it('has a separator between the parts that there are', () => {
    const parts = ['a', undefined, BOLD, false, [paragraph(code('c'))]] as const;
    expect(joined(parts, ', ')).toEqual([text('a'), text(', '), BOLD, text(', '), code('c')]);
    expect(markdownOf(series(parts))).toBe('a · **b** · `c`');
    expect(series([])).toEqual([]);
  });
});

describe('composed lines', () => {
  it('stand below each other, an empty one too', () => {
    const tree = lines(
      'a',
      undefined,
      bullets(BOLD, false, 'c'),
      '',
      [quote(paragraph(BOLD))],
      'd',
    );
    expect(markdownOf(tree)).toBe('a\n- **b**\n- c\n\n> **b**\nd');
  });

  it('stand apart as sections', () => {
    expect(markdownOf(sections('a', false, lines('b', 'c'), bullets('d')))).toBe(
      'a\n\nb\nc\n\n- d',
    );
    expect(sections([], 'a')).toEqual(sections('a'));
  });

  it('have items below items', () => {
    expect(bullets('a', nested('b', ['c', false, BOLD]), nested('d', []))).toEqual([
      bulleted(
        item([text('a')]),
        item([text('b')], bulleted(item([text('c')]), item([BOLD]))),
        item([text('d')]),
      ),
    ]);
    expect(bullets()).toEqual([]);
  });

  it('are words where no markup was meant', () => {
    expect(plainWords('**a**\n- b')).toEqual([paragraph(text('**a**\n- b'))]);
    expect(plainWords('')).toEqual([]);
  });

  it('are canonical, and keep all words in order, whatever they are made of', () => {
    const tree = anyRichText().map(normalise);
    const words = (all: string): string => all.replaceAll(/[\s\u2060]/g, '');
    const wordsOf = (part: string | RichText): string =>
      words(typeof part === 'string' ? part : plainText(part));
    fc.assert(
      fc.property(fc.array(fc.oneof(anyWords, tree), { maxLength: 4 }), (parts) => {
        for (const composed of [
          lines(...parts),
          sections(...parts),
          series(parts, ''),
          bullets(...parts),
        ]) {
          expect(normalise(composed)).toEqual(composed);
          expect(words(plainText(composed))).toBe(parts.map(wordsOf).join(''));
        }
      }),
    );
  });
});
