import { describe, expect, it } from 'vitest';
import {
  createHallucinationFilter,
  type RecognisedLine,
  longestLoop,
} from '../../../../src/voice/stt/hallucination-filter.ts';

/** Three seconds of clear English, but for what is given. */
const lineOf = (line: Partial<RecognisedLine>): RecognisedLine => ({
  text: 'We meet at nine.',
  language: 'en',
  confidence: 0.9,
  speakerId: 'ann',
  voiceMs: 2_600,
  spanMs: 3_000,
  endMs: 0,
  ...line,
});

const HOTWORDS = ['Dragoman', 'Ann Lee', 'Ben', '山田さん'];
const ENGLISH = { languages: ['en'], hotwords: HOTWORDS };
const FAINT = { voiceMs: 220, spanMs: 900 };
const SHORT = { voiceMs: 900, spanMs: 1_400 };
/** A word said quickly, with the moments before and after it. */
const QUICK = { voiceMs: 260, spanMs: 560 };
/** The same, said at leisure. */
const WORD = { voiceMs: 320, spanMs: 660 };

const judge = (line: Partial<RecognisedLine>, languages: readonly string[] = ['en', 'ja']) => {
  const verdict = createHallucinationFilter().judge(
    lineOf(line),
    { languages, hotwords: HOTWORDS },
    true,
  );
  return verdict.refusal ?? `said: ${verdict.said}`;
};

describe('the gate', () => {
  it.each([
    ['clear speech', {}, 'said: We meet at nine.'],
    ['a short word', { text: 'Yes.', ...SHORT }, 'said: Yes.'],
    ['a very short word that was surely heard', { text: 'Right.', ...FAINT }, 'said: Right.'],
    ['markers of sounds', { text: '[Music] ♪' }, 'no-words'],
    ['nothing', { text: ' ' }, 'no-words'],
    ['signs without words', { text: '... !?' }, 'no-words'],
    ['words beside a marker', { text: '[Music] hello' }, 'said: hello'],
    [
      'a stock phrase on near-silence',
      { text: 'Thanks for watching!', ...FAINT, confidence: 1 },
      'stock-phrase',
    ],
    [
      'a stock phrase of a moment',
      { text: 'ご視聴ありがとうございました。', language: 'ja', ...SHORT, confidence: 1 },
      'stock-phrase',
    ],
    [
      'a stock phrase that is not sure',
      { text: 'Thanks for watching!', confidence: 0.5 },
      'stock-phrase',
    ],
    [
      'a stock phrase said in full',
      { text: 'Thank you so much for watching.' },
      'said: Thank you so much for watching.',
    ],
    ['thanks on near-silence', { text: 'Thank you.', ...FAINT, confidence: 0.7 }, 'stock-phrase'],
    ['thanks of near-silence, for sure', { text: 'Thank you.', ...FAINT }, 'said: Thank you.'],
    ['thanks', { text: 'Thank you.', ...SHORT, confidence: 0.7 }, 'said: Thank you.'],
    ['a yes', { text: 'はい。', language: 'ja', ...WORD, confidence: 0.6 }, 'said: はい。'],
    ['a quick yes', { text: 'はい。', language: 'ja', ...QUICK, confidence: 0.7 }, 'said: はい。'],
    [
      'a quick yes that is not sure',
      { text: 'はい。', language: 'ja', ...QUICK, confidence: 0.6 },
      'stock-phrase',
    ],
    ['a loop that is not sure', { text: 'you you you you', confidence: 0.5 }, 'loop'],
    ['a loop on near-silence', { text: 'you you you you', ...FAINT }, 'loop'],
    [
      'a loop of phrases',
      { text: 'I do not know. I do not know. I do not know. I do not know.', confidence: 0.4 },
      'loop',
    ],
    [
      'a loop without spaces',
      { text: 'はいはいはいはいはい', language: 'ja', confidence: 0.4 },
      'loop',
    ],
    ['a loop of three', { text: 'No, no, no!', confidence: 0.4 }, 'said: No, no, no!'],
    [
      'a loop within a sentence',
      { text: 'he said no no no no before the door fell shut', confidence: 0.4 },
      'said: he said no no no no before the door fell shut',
    ],
    ['an endless loop', { text: 'so '.repeat(12) }, 'loop'],
    ['somebody who says no', { text: 'No, no, no, no!' }, 'said: No, no, no, no!'],
    ['hotwords on near-silence', { text: 'Dragoman.', ...FAINT, confidence: 0.7 }, 'echo'],
    ['many hotwords that are not sure', { text: 'Dragoman, Ann Lee', confidence: 0.5 }, 'echo'],
    ['hotwords without spaces', { text: '山田さん、Ben', language: 'ja', confidence: 0.5 }, 'echo'],
    [
      'a name without spaces',
      { text: '山田さん！', language: 'ja', confidence: 0.5 },
      'said: 山田さん！',
    ],
    ['a name that is called quickly', { text: 'Ben!', ...QUICK, confidence: 0.7 }, 'said: Ben!'],
    ['a quick name that is not sure', { text: 'Ben!', ...QUICK, confidence: 0.6 }, 'echo'],
    ['hotwords', { text: 'Dragoman, Ann Lee', ...SHORT }, 'said: Dragoman, Ann Lee'],
    ['a name that is called', { text: 'Ben!', ...SHORT, confidence: 0.5 }, 'said: Ben!'],
    ['a guess', { text: 'Mandrake.', ...SHORT, confidence: 0.2 }, 'unsure'],
    ['a guess of near-silence', { text: 'Mandrake.', ...FAINT, confidence: 0.45 }, 'unsure'],
    ['a long line that is not sure', { confidence: 0.3 }, 'said: We meet at nine.'],
    [
      'a language nobody speaks',
      { text: 'Takk for det', language: 'nb', ...SHORT, confidence: 0.6 },
      'foreign',
    ],
    [
      'another way of writing',
      { text: '你好', language: 'zh', ...SHORT, confidence: 0.6 },
      'foreign',
    ],
    [
      'a language nobody speaks, for sure',
      { text: 'Takk for det', language: 'nb', confidence: 0.9 },
      'said: Takk for det',
    ],
    [
      'a language that is no code',
      { text: 'hello there', language: 'auto', ...SHORT, confidence: 0.6 },
      'said: hello there',
    ],
    [
      'a language by its name',
      { text: 'hello there', language: 'English', ...SHORT, confidence: 0.6 },
      'said: hello there',
    ],
    ['more than can be said', { text: 'word after word '.repeat(10), ...SHORT }, 'too-fast'],
    [
      'more signs than can be said',
      { text: '今日は山に行きたいです'.repeat(5), language: 'ja', ...SHORT },
      'too-fast',
    ],
    [
      'a long word in no time',
      { text: 'Unbelievable!', voiceMs: 240, spanMs: 240 },
      'said: Unbelievable!',
    ],
    [
      'fast speech',
      { text: 'word after word '.repeat(4), ...SHORT },
      `said: ${'word after word '.repeat(4).trim()}`,
    ],
  ] as const)('hears of %s what it should', (_, line, verdict) => {
    expect(judge(line)).toBe(verdict);
  });

  it('takes a language of the room whatever its region and way of writing', () => {
    const line = { text: '你好', language: 'zh', ...SHORT, confidence: 0.6 };
    expect(judge(line, ['zh-Hant'])).toBe('said: 你好');
    expect(judge({ ...line, language: 'zh-TW' }, ['zh'])).toBe('said: 你好');
    expect(judge(line, [])).toBe('said: 你好');
  });

  it('learns a language from what was long and certain', () => {
    const gate = createHallucinationFilter();
    const short = lineOf({ text: 'Takk', language: 'nb', ...SHORT, confidence: 0.6 });
    expect(gate.judge(short, ENGLISH, true)).toEqual({ refusal: 'foreign' });
    const long = lineOf({
      text: 'Vi møtes klokka ni i morgen',
      language: 'nb',
      voiceMs: 4_000,
      spanMs: 5_000,
    });
    gate.judge(long, ENGLISH, false);
    gate.judge({ ...long, voiceMs: 2_900 }, ENGLISH, true);
    gate.judge({ ...long, text: '[Musik]' }, ENGLISH, true);
    expect(gate.judge(short, ENGLISH, true)).toEqual({ refusal: 'foreign' });
    gate.judge(long, ENGLISH, true);
    expect(gate.judge(short, ENGLISH, true)).toEqual({ said: 'Takk' });
  });

  it('does not hear the same line again and again from near-silence', () => {
    const gate = createHallucinationFilter();
    const again = (endMs: number, speakerId = 'ann') =>
      gate.judge(lineOf({ text: 'Right.', ...FAINT, speakerId, endMs }), ENGLISH, true).refusal;
    expect([again(0), again(5_000), again(60_000)]).toEqual([undefined, 'repeat', 'repeat']);
    expect(again(61_000, 'ben')).toBeUndefined();
    expect(again(125_000)).toBeUndefined();
    expect(again(126_000)).toBe('repeat');
    gate.forget('ann');
    expect(again(127_000)).toBeUndefined();
  });

  it.each([
    ['はい', QUICK, 0.7],
    ['はい', WORD, 0.7],
    ['Come here!', SHORT, 0.9],
    ['We meet at nine in the hall and go on from there.', {}, 0.4],
  ])('hears somebody who says %j again and again', (text, length, confidence) => {
    const gate = createHallucinationFilter();
    const line = lineOf({ text, ...length, confidence });
    for (let time = 0; time < 5; time += 1)
      expect(gate.judge(line, ENGLISH, true)).toEqual({ said: text });
  });

  it('does not hear a quick word twice that is not clear', () => {
    const gate = createHallucinationFilter();
    const line = lineOf({ text: 'Right.', ...QUICK, confidence: 0.65 });
    expect(gate.judge(line, ENGLISH, true)).toEqual({ said: 'Right.' });
    expect(gate.judge(line, ENGLISH, true)).toEqual({ refusal: 'repeat' });
  });

  it('does not hear what is not sure a third time', () => {
    const gate = createHallucinationFilter();
    const line = lineOf({ text: 'Come here!', ...SHORT });
    for (let time = 0; time < 5; time += 1) gate.judge(line, ENGLISH, true);
    const unsure = { ...line, confidence: 0.5 };
    expect(gate.judge(unsure, ENGLISH, true)).toEqual({ refusal: 'repeat' });
  });
});

describe('a loop', () => {
  it.each([
    ['one two three', 1],
    ['you you you', 3],
    ['okay you you you you', 4],
    ['one two one two one two', 3],
    ['はいはいはい', 3],
    ['', 1],
    ['the cat and the dog and the bird sat there the whole day long', 1],
  ])('of %j is %i', (bare, times) => {
    expect(longestLoop(bare)).toBe(times);
  });
});
