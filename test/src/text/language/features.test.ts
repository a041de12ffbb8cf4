import { eld } from 'eld/large';
import { describe, expect, it } from 'vitest';
import {
  NGRAM_LANGUAGES,
  ngramScores,
  listedWords,
} from '../../../../src/text/language/features.ts';
import { readCorpus } from '../../../fakes/chat-corpus.ts';
import words from '../../../../src/text/language/words.json' with { type: 'json' };

/** The library shows a mean score x as x / (x + 25). */
const shown = (score: number, count: number): number => score / (score + 25 * count);

describe('ngramScores', () => {
  it('scores as the library does whose statistics it has', () => {
    const misfits: string[] = [];
    for (const { text } of readCorpus('earlier')) {
      const theirs = eld.detect(text).getScores();
      const { scores, count } = ngramScores(text);
      for (const [index, language] of NGRAM_LANGUAGES.entries()) {
        const score = scores[index] ?? 0;
        const ours = score === 0 ? 0 : shown(score, count);
        if (Math.abs(ours - (theirs[language] ?? 0)) > 1e-9) misfits.push(`${language}: ${text}`);
      }
    }
    expect(misfits).toEqual([]);
  });

  it('knows nothing of a text without letters', () => {
    expect(ngramScores('42 🎉').count).toBe(0);
  });
});

const listsOf = (word: string): string[] => [...listedWords([word]).byLanguage.keys()];

describe('listedWords', () => {
  it('finds words as they are written, without their accents and stretched', () => {
    expect(listsOf('dzięki')).toContain('pl');
    expect(listsOf('dzieki')).toContain('pl');
    expect(listsOf('dziękiiii')).toContain('pl');
    expect(listsOf('xyzzy')).toEqual([]);
  });

  it('counts a word for less that several languages have', () => {
    const { byLanguage, unlisted } = listedWords(['gracias', 'no', 'xyzzy']);
    expect(unlisted).toBe(1);
    const spanish = byLanguage.get('es');
    expect(spanish?.count).toBe(2);
    expect(spanish?.rarity).toBeLessThan(2);
    expect(byLanguage.get('it')?.rarity).toBeLessThan(1);
  });

  it('has lists of single words in lower case, without repetition', () => {
    for (const [language, list] of Object.entries(words)) {
      const each = list.split(' ');
      expect(new Set(each).size, language).toBe(each.length);
      expect(list, language).toBe(list.toLowerCase());
    }
  });
});
