import { describe, expect, it } from 'vitest';
import { hanLikelihood } from '../../../../src/text/language/scripts.ts';

const LANGUAGES = ['zh', 'zh-Hant', 'yue', 'ja'];
const likeliest = (text: string): string[] => {
  const likelihoods = LANGUAGES.map((language) => hanLikelihood(text, language));
  return LANGUAGES.filter((_, index) => likelihoods[index] === Math.max(...likelihoods));
};

describe('hanLikelihood', () => {
  it.each([
    ['今天开会', ['zh']],
    ['又把鑰匙忘在公司了', ['zh-Hant']],
    ['佢今日唔返嚟', ['yue']],
    ['駅前の店で働く', ['ja']],
    ['学校', ['zh', 'ja']],
    ['大人', LANGUAGES],
  ])('finds %s likeliest in %s', (text, languages) => {
    expect(likeliest(text)).toEqual(languages);
  });

  it('passes over all other characters', () => {
    expect(hanLikelihood('hello, こんにちは!', 'ja')).toBe(0);
  });
});
