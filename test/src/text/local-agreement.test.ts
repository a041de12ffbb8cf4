import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLocalAgreement } from '../../../src/text/local-agreement.ts';

const run = (...texts: string[]): string[] => {
  const agreement = createLocalAgreement();
  return texts.map((text) => agreement.add(text));
};

describe('agreement of runs', () => {
  it('shows what two runs after each other begin with, in whole words', () => {
    expect(run('The train', 'The trains leave at', 'The trains leave at nine')).toEqual([
      '',
      'The',
      'The trains leave at',
    ]);
  });

  it('shows whole signs of what is written without spaces', () => {
    expect(run('今日は', '今日は山に', '今日は山に行きます')).toEqual(['', '今日は', '今日は山に']);
    expect(run('สวัสดีครั', 'สวัสดีครับ')).toEqual(['', 'สวัสดีครั']);
  });

  it('does not take a full stop for sure that stands where the sound broke off', () => {
    expect(run('I went.', 'I went.', 'I went home.', 'I went home.')).toEqual([
      '',
      'I went',
      'I went',
      'I went home',
    ]);
  });

  it('takes other capitals and commas for the same words', () => {
    expect(run('so the train', 'So, the train', 'So the train. Leaves')).toEqual([
      '',
      'So, the train',
      'So, the train',
    ]);
    expect(run('well yes', 'Well, yes', 'Well yes, but', 'Well. Yes. But now')).toEqual([
      '',
      'Well, yes',
      'Well, yes',
      'Well, yes. But',
    ]);
  });

  it('keeps what was shown when a run changes its mind', () => {
    expect(run('one two', 'one two', 'won too', 'won too three')).toEqual([
      '',
      'one two',
      'one two',
      'one two',
    ]);
  });

  it('never parts a letter from its marks, nor a pair of surrogates', () => {
    expect(run('はか', 'はか\u3099')).toEqual(['', 'は']);
    expect(run('a 𠮷', 'a 𠮶')).toEqual(['', 'a']);
    expect(run('👍🏻 a', '👍🏽 a')).toEqual(['', '👍🏽 a']);
  });

  const word = fc.constantFrom(
    'a',
    'the',
    'train',
    'trains',
    '今日',
    '山',
    'か\u3099',
    '𠮷',
    'ไม่',
    '.',
    ',',
  );
  const text = fc
    .array(fc.tuple(word, fc.constantFrom(' ', '')), { maxLength: 8 })
    .map((words) => words.map((pair) => pair.join('')).join(''));

  const bare = (shown: string): string => shown.replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '');

  it('only grows, and only by what both runs begin with', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 8 }), (texts) => {
        const agreement = createLocalAgreement();
        let shown = '';
        let before = '';
        for (const next of texts) {
          const sure = agreement.add(next);
          expect(sure.startsWith(shown)).toBe(true);
          if (sure !== shown) {
            expect(bare(before).startsWith(bare(sure))).toBe(true);
            expect(bare(next).startsWith(bare(sure))).toBe(true);
          }
          shown = sure;
          before = next;
        }
      }),
    );
  });

  it('shows all of a text that only grows, one word behind', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('one', 'two', 'three'), { minLength: 1 }), (words) => {
        const agreement = createLocalAgreement();
        const texts = words.map((_, index) => words.slice(0, index + 1).join(' '));
        const shown = texts.map((each) => agreement.add(each));
        expect(shown).toEqual(['', ...texts.slice(0, -1)]);
      }),
    );
  });
});
