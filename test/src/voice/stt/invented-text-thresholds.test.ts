import { describe, expect, it } from 'vitest';
import { THRESHOLDS, type HeardUtterance } from '../../../../src/voice/stt/invented-text.ts';
import {
  candidateOf,
  createUsualFilter,
  HOTWORDS,
  NEAR_SILENCE,
  SHORT,
} from './hallucination-filter-support.ts';

type Threshold = keyof typeof THRESHOLDS;
type Refusing = Partial<HeardUtterance> & {
  readonly before?: number;
  /** Time since somebody else said something. */
  readonly ago?: number;
};

const { faintShare, shortMs, foreignMs, learnMs, wordMs } = THRESHOLDS;
/** Less than any threshold's unit. */
const BIT = 0.001;
const stock = { text: 'Thanks for watching!' };
const yes = { text: 'はい。', language: 'ja', confidence: 0.4 };
const norse = { text: 'See you tomorrow', language: 'nb' };
const again = { text: 'Right.', spanMs: 900, confidence: 0.45 };
/** Words of two letters, no two alike. */
const manyLetters = (letters: number) =>
  Array.from({ length: letters / 2 }, (_, at) =>
    String.fromCharCode(97 + (at % 26), 97 + Math.trunc(at / 26)),
  ).join(' ');
const SIGNS = '山川日月火水木金土人口手足目耳石竹糸貝車雨犬虫花草村町学校';

/** On each side of a threshold: accepted at it, or just within, and refused beyond. */
const SIDES: Readonly<Record<Threshold, readonly [Refusing, Refusing, string]>> = {
  faintShare: [
    { ...yes, voiceMs: 400, spanMs: 400 / faintShare },
    { ...yes, voiceMs: 400, spanMs: 400 / faintShare + 1 },
    'stock-phrase',
  ],
  shortMs: [
    { ...stock, confidence: 0.7, voiceMs: shortMs },
    { ...stock, confidence: 0.7, voiceMs: shortMs - 1 },
    'stock-phrase',
  ],
  foreignMs: [
    { ...norse, voiceMs: foreignMs, confidence: 0.6 },
    { ...norse, voiceMs: foreignMs - 1, confidence: 0.6 },
    'foreign',
  ],
  noSpeech: [
    { noSpeech: THRESHOLDS.noSpeech - BIT, confidence: 0.4 },
    { noSpeech: THRESHOLDS.noSpeech, confidence: 0.4 },
    'noise',
  ],
  doubtful: [
    { noSpeech: 0.6, confidence: THRESHOLDS.doubtful },
    { noSpeech: 0.6, confidence: THRESHOLDS.doubtful - BIT },
    'noise',
  ],
  wordMs: [{ text: '4.2', voiceMs: wordMs }, { text: '4.2', voiceMs: wordMs - 1 }, 'no-words'],
  digitMs: [
    { text: '2 0 2 5', voiceMs: 4 * THRESHOLDS.digitMs },
    { text: '2 0 2 5', voiceMs: 4 * THRESHOLDS.digitMs + 1 },
    'no-words',
  ],
  answerMs: [
    { ...yes, ...NEAR_SILENCE, ago: THRESHOLDS.answerMs - 1 },
    { ...yes, ...NEAR_SILENCE, ago: THRESHOLDS.answerMs },
    'stock-phrase',
  ],
  learnMs: [{ ...norse, voiceMs: learnMs }, { ...norse, voiceMs: learnMs - 1 }, 'foreign'],
  unsure: [
    { text: 'Mandrake.', ...SHORT, confidence: THRESHOLDS.unsure },
    { text: 'Mandrake.', ...SHORT, confidence: THRESHOLDS.unsure - BIT },
    'unsure',
  ],
  sure: [
    { ...stock, confidence: THRESHOLDS.sure },
    { ...stock, confidence: THRESHOLDS.sure - BIT },
    'stock-phrase',
  ],
  certain: [
    { ...norse, ...SHORT, confidence: THRESHOLDS.certain },
    { ...norse, ...SHORT, confidence: THRESHOLDS.certain - BIT },
    'foreign',
  ],
  clear: [
    { text: 'Thank you.', ...NEAR_SILENCE, confidence: THRESHOLDS.clear },
    { text: 'Thank you.', ...NEAR_SILENCE, confidence: THRESHOLDS.clear - BIT },
    'stock-phrase',
  ],
  loops: [
    { text: 'well '.repeat(THRESHOLDS.loops - 1), confidence: 0.4 },
    { text: 'well '.repeat(THRESHOLDS.loops), confidence: 0.4 },
    'loop',
  ],
  mostLoops: [
    { text: 'so '.repeat(THRESHOLDS.mostLoops - 1) },
    { text: 'so '.repeat(THRESHOLDS.mostLoops) },
    'loop',
  ],
  echoed: [
    { text: 'Ann Lee '.repeat(1), confidence: 0.5 },
    { text: 'Ann Lee Ben', confidence: 0.5 },
    'echo',
  ],
  repeatMs: [
    { ...again, voiceMs: 180, endMs: THRESHOLDS.repeatMs, before: 1 },
    { ...again, voiceMs: 180, endMs: THRESHOLDS.repeatMs - 1, before: 1 },
    'repeat',
  ],
  repeatChars: [
    { text: 'a'.repeat(THRESHOLDS.repeatChars + 1), confidence: 0.5, before: 2 },
    { text: 'a'.repeat(THRESHOLDS.repeatChars), confidence: 0.5, before: 2 },
    'repeat',
  ],
  repeatsFaint: [
    { ...again, voiceMs: 180, before: THRESHOLDS.repeatsFaint - 1 },
    { ...again, voiceMs: 180, before: THRESHOLDS.repeatsFaint },
    'repeat',
  ],
  repeatsUnsure: [
    { ...again, voiceMs: 800, confidence: 0.5, before: THRESHOLDS.repeatsUnsure - 1 },
    { ...again, voiceMs: 800, confidence: 0.5, before: THRESHOLDS.repeatsUnsure },
    'repeat',
  ],
  lettersPerSecond: [
    { text: manyLetters(64), spanMs: 1_000 },
    { text: manyLetters(66), spanMs: 1_000 },
    'too-fast',
  ],
  signsPerSecond: [
    { text: SIGNS.slice(0, 28), language: 'ja', spanMs: 1_000 },
    { text: SIGNS.slice(0, 29), language: 'ja', spanMs: 1_000 },
    'too-fast',
  ],
  spareSeconds: [
    { text: manyLetters(24), voiceMs: 0, spanMs: 0 },
    { text: manyLetters(26), voiceMs: 0, spanMs: 0 },
    'too-fast',
  ],
};

describe('a threshold of the filter', () => {
  const verdictOf = ({ before = 0, ago, ...given }: Refusing) => {
    const filter = createUsualFilter();
    const candidate = candidateOf(given);
    const context = { languages: ['en', 'ja'], hotwords: HOTWORDS };
    for (let times = 0; times < before; times += 1)
      filter.judge({ ...candidate, endMs: 0 }, context, true);
    if (ago !== undefined)
      filter.judge(
        candidateOf({ speakerId: 'ben', endMs: candidate.startMs - ago }),
        context,
        true,
      );
    const verdict = filter.judge(candidate, context, true);
    if (given.language !== 'nb' || (given.voiceMs ?? 0) < 2_700) return verdict.refusal;
    // A language that was learnt is accepted of somebody who says little.
    return filter.judge({ ...candidate, ...SHORT, confidence: 0.6 }, context, true).refusal;
  };

  it.each(Object.entries(SIDES))('%s divides what is refused', (_, [within, beyond, refusal]) => {
    expect(verdictOf(beyond)).toBe(refusal);
    expect(verdictOf(within)).not.toBe(refusal);
  });
});
