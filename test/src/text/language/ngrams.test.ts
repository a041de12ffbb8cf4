import { eld } from 'eld/large';
import { describe, expect, it } from 'vitest';
import { NGRAM_LANGUAGES, ngramScores } from '../../../../src/text/language/ngrams.ts';
import { readCorpus } from '../../../fakes/chat-corpus.ts';

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
