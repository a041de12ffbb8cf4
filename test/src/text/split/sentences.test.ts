import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitSentences } from '../../../../src/text/split/sentences.ts';
import { anyText, longTexts } from '../any-text.ts';

const FIXTURES = join(import.meta.dirname, '../../../fixtures');
const read = (name: string): Record<string, string[]> =>
  JSON.parse(readFileSync(join(FIXTURES, `${name}.json`), 'utf8')) as Record<string, string[]>;

const marked = (text: string): string =>
  splitSentences(text)
    .map((sentence) => sentence.trim())
    .join('|');
const written = (text: string): string => text.replaceAll(/\|\s*/g, '|');

describe('splitSentences', () => {
  it.each([
    ['One. Two! Three?', ['One. ', 'Two! ', 'Three?']],
    ['Dr. Who met Mr. Smith. Then J. R. left.', ['Dr. Who met Mr. Smith. ', 'Then J. R. left.']],
    ['Pi is 3.14. I am fine... really.', ['Pi is 3.14. ', 'I am fine... really.']],
    ['Wait… What? but… no', ['Wait… ', 'What? ', 'but… no']],
    ['はい。「うん。」そう！え？', ['はい。', '「うん。」', 'そう！', 'え？']],
    ['一行目\n二行目', ['一行目\n', '二行目']],
    ['क्या हाल है? ठीक।', ['क्या हाल है? ', 'ठीक।']],
    ['Nr.\nNext line', ['Nr.\n', 'Next line']],
    ['no end', ['no end']],
    ['', []],
  ])('%j', (text, sentences) => {
    expect(splitSentences(text)).toEqual(sentences);
  });

  it.each(Object.entries(read('sentence-borders')))('finds every border in %s', (_, texts) => {
    expect(texts.map((text) => marked(text.replaceAll('|', '')))).toEqual(texts.map(written));
  });

  it('finds the borders in more than 19 of 20 texts that no rule was written for', () => {
    const texts = Object.values(read('sentence-borders-held-out')).flat();
    const right = texts.filter((text) => marked(text.replaceAll('|', '')) === written(text));
    expect(right.length / texts.length).toBeGreaterThan(0.95);
  });

  it.each([
    ['Thai', 'วันนี้อากาศดีมากเลยนะ '],
    ['Lao', 'ມື້ນີ້ອາກາດດີຫຼາຍເດີ້ '],
  ])('cuts a long run of %s at its spaces, which has no full stops', (_, clause) => {
    const sentences = splitSentences(clause.repeat(20));
    expect(sentences.length).toBeGreaterThan(5);
    for (const sentence of sentences) expect(sentence).toMatch(/ $/);
    expect(splitSentences(clause.repeat(2))).toHaveLength(1);
  });

  it('joined is the text, without empty sentences', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const sentences = splitSentences(text);
        expect(sentences.join('')).toBe(text);
        expect(sentences).not.toContain('');
      }),
    );
  });

  it.each(longTexts(100_000))('bears a long row of %s', (_, text) => {
    expect(splitSentences(text).join('') === text).toBe(true);
  });
});
