import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bullets,
  joined,
  lines,
  nested,
  onlyRow,
  plainWords,
  row,
  sections,
  sentence,
  series,
} from '../../../src/rich-text/compose.ts';
import { normalise } from '../../../src/rich-text/normalise.ts';
import {
  bulleted,
  code,
  codeBlock,
  item,
  paragraph,
  quote,
  styled,
  text,
  type RichText,
} from '../../../src/rich-text/rich-text.ts';
import { plainText } from '../../../src/rich-text/walk.ts';
import { anyRichText, anyWords } from '../../fakes/any-rich-text.ts';
import { markdownOf } from '../../fakes/rich-text.ts';

const BOLD = styled('bold', text('b'));

describe('a composed line', () => {
  it('holds words, nodes and trees of one paragraph as they are', () => {
    expect(row('*a* ', BOLD, [paragraph(code('c'))])).toEqual([text('*a* '), BOLD, code('c')]);
    expect(row([])).toEqual([]);
    expect(sentence('a', ' ', BOLD)).toEqual([paragraph(text('a '), BOLD)]);
  });

  it.each<[string, RichText]>([
    ['a quote', [quote(paragraph(BOLD))]],
    ['several blocks', [paragraph(BOLD), codeBlock('c')]],
  ])('has no place for %s', (_, tree) => {
    expect(() => row(tree)).toThrow('cannot hold blocks');
    expect(() => bullets('a', tree)).toThrow('cannot hold blocks');
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
    const rowTree = tree.filter((each) => onlyRow(each) !== undefined);
    const part = fc.oneof(
      { arbitrary: fc.oneof(anyWords, rowTree), weight: 5 },
      { arbitrary: tree, weight: 1 },
    );
    const words = (all: string): string => all.replaceAll(/[\s\u2060]/g, '');
    const wordsOf = (each: string | RichText): string =>
      words(typeof each === 'string' ? each : plainText(each));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), (parts) => {
        const fits = parts.every((each) => typeof each === 'string' || onlyRow(each));
        if (!fits) expect(() => series(parts)).toThrow('cannot hold blocks');
        for (const composed of [
          lines(...parts),
          sections(...parts),
          ...(fits ? [series(parts, ''), bullets(...parts)] : []),
        ]) {
          expect(normalise(composed)).toEqual(composed);
          expect(words(plainText(composed))).toBe(parts.map(wordsOf).join(''));
        }
      }),
    );
  });
});
