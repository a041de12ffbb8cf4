import { describe, expect, it } from 'vitest';
import { createHallucinationFilter } from '../../../../src/voice/stt/hallucination-filter.ts';
import type { HeardUtterance } from '../../../../src/voice/stt/invented-text.ts';
import {
  candidateOf,
  createUsualFilter,
  ENGLISH,
  NEAR_SILENCE,
  HOTWORDS,
  QUICK,
  SHORT,
  WORD,
} from './hallucination-filter-support.ts';

const LONG = [
  'We meet at nine.',
  'I will bring the others.',
  'Nobody knows the way there.',
  'The train leaves at ten.',
  'Call me when you arrive.',
];
const MANY_WORDS =
  'There was once a miller who was poor, and he had a beautiful daughter, and it happened that he came to speak with the king.';

const judge = (line: Partial<HeardUtterance>, languages: readonly string[] = ['en', 'ja']) => {
  const verdict = createUsualFilter().judge(
    candidateOf(line),
    { languages, hotwords: HOTWORDS },
    true,
  );
  return verdict.refusal ?? `accepted: ${verdict.accepted}`;
};

describe('the hallucination filter', () => {
  it.each([
    ['clear speech', {}, 'accepted: We meet at nine.'],
    ['a short word', { text: 'Yes.', ...SHORT }, 'accepted: Yes.'],
    [
      'a very short word that was surely heard',
      { text: 'Right.', ...NEAR_SILENCE },
      'accepted: Right.',
    ],
    ['markers of sounds', { text: '[Music] ♪' }, 'no-words'],
    ['nothing', { text: ' ' }, 'no-words'],
    ['signs without words', { text: '... !?' }, 'no-words'],
    ['words beside a marker', { text: '[Music] hello' }, 'accepted: hello'],
    [
      'a stock phrase on near-silence',
      { text: 'Thanks for watching!', ...NEAR_SILENCE, confidence: 1 },
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
      'accepted: Thank you so much for watching.',
    ],
    [
      'thanks on near-silence',
      { text: 'Thank you.', ...NEAR_SILENCE, confidence: 0.7 },
      'stock-phrase',
    ],
    [
      'thanks of near-silence, for sure',
      { text: 'Thank you.', ...NEAR_SILENCE },
      'accepted: Thank you.',
    ],
    ['thanks', { text: 'Thank you.', ...SHORT, confidence: 0.7 }, 'accepted: Thank you.'],
    [
      'thanks that take long',
      { text: 'Thank you.', voiceMs: 3_200, confidence: 0.4 },
      'stock-phrase',
    ],
    ['a yes', { text: 'はい。', language: 'ja', ...WORD, confidence: 0.6 }, 'accepted: はい。'],
    [
      'a quick yes',
      { text: 'はい。', language: 'ja', ...QUICK, confidence: 0.7 },
      'accepted: はい。',
    ],
    ['a loop that is not sure', { text: 'you you you you', confidence: 0.5 }, 'loop'],
    ['a loop on near-silence', { text: 'you you you you', ...NEAR_SILENCE }, 'loop'],
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
    ['a loop of three', { text: 'No, no, no!', confidence: 0.4 }, 'accepted: No, no, no!'],
    [
      'a loop within a sentence',
      { text: 'he said no no no no before the door fell shut', confidence: 0.4 },
      'accepted: he said no no no no before the door fell shut',
    ],
    ['an endless loop', { text: 'so '.repeat(12) }, 'loop'],
    ['somebody who says no', { text: 'No, no, no, no!' }, 'accepted: No, no, no, no!'],
    ['many hotwords that are not sure', { text: 'Dragoman, Ann Lee', confidence: 0.5 }, 'echo'],
    ['hotwords without spaces', { text: '山田さん、Ben', language: 'ja', confidence: 0.5 }, 'echo'],
    [
      'a name without spaces',
      { text: '山田さん！', language: 'ja', confidence: 0.5 },
      'accepted: 山田さん！',
    ],
    [
      'a name that is called quickly',
      { text: 'Ben!', ...QUICK, confidence: 0.7 },
      'accepted: Ben!',
    ],
    ['hotwords', { text: 'Dragoman, Ann Lee', ...SHORT }, 'accepted: Dragoman, Ann Lee'],
    ['a name that is called', { text: 'Ben!', ...SHORT, confidence: 0.5 }, 'accepted: Ben!'],
    ['a guess', { text: 'Mandrake.', ...SHORT, confidence: 0.2 }, 'unsure'],
    ['a long line that is not sure', { confidence: 0.36 }, 'accepted: We meet at nine.'],
    [
      'a language nobody speaks',
      { text: 'See you tomorrow', language: 'nb', ...SHORT, confidence: 0.6 },
      'foreign',
    ],
    [
      'a language nobody speaks, whose letters agree',
      { text: 'No lo sé todavía.', language: 'es', ...SHORT, confidence: 0.6 },
      'accepted: No lo sé todavía.',
    ],
    [
      'another way of writing',
      { text: '你好', language: 'zh', ...SHORT, confidence: 0.6 },
      'accepted: 你好',
    ],
    [
      'a faint line whose letters agree',
      { text: 'No lo sé todavía.', language: 'es', ...NEAR_SILENCE, confidence: 0.6 },
      'foreign',
    ],
    [
      'a word that is often invented, in a language nobody speaks',
      { text: 'Gracias.', language: 'es', ...SHORT, confidence: 0.7 },
      'foreign',
    ],
    [
      'the end of a talk',
      { text: 'Thank you for your attention.', voiceMs: 1_280, spanMs: 1_600, confidence: 0.93 },
      'accepted: Thank you for your attention.',
    ],
    [
      'the end of a talk in half the time that it takes',
      { text: 'Thank you for your attention.', voiceMs: 640, spanMs: 1_000, confidence: 0.93 },
      'stock-phrase',
    ],
    [
      'a language nobody speaks, for sure',
      { text: 'Takk for det', language: 'nb', confidence: 0.9 },
      'accepted: Takk for det',
    ],
    [
      'a language that is no code',
      { text: 'hello there', language: 'auto', ...SHORT, confidence: 0.6 },
      'accepted: hello there',
    ],
    [
      'a language by its name',
      { text: 'hello there', language: 'English', ...SHORT, confidence: 0.6 },
      'accepted: hello there',
    ],
    ['more than can be said', { text: MANY_WORDS, ...SHORT }, 'too-fast'],
    ['endless repetitions in no time', { text: 'word after word '.repeat(10), ...SHORT }, 'loop'],
    [
      'more signs than can be said',
      { text: '今日は山に行きたいです'.repeat(5), language: 'ja', ...SHORT },
      'too-fast',
    ],
    [
      'a long word in no time',
      { text: 'Unbelievable!', voiceMs: 240, spanMs: 240 },
      'accepted: Unbelievable!',
    ],
    [
      'fast speech',
      { text: 'word after word '.repeat(4), ...SHORT },
      `accepted: ${'word after word '.repeat(4).trim()}`,
    ],
  ] as const)('hears of %s what it should', (_, line, verdict) => {
    expect(judge(line)).toBe(verdict);
  });

  it.each([
    ['a marker of another kind', { text: '[gunshot]' }],
    ['a marker that is cut off', { text: '[Music' }],
    ['a sound in parentheses', { text: '(crickets chirping)' }],
    ['a sound between asterisks', { text: '*door creaks*' }],
    ['a sound in wide parentheses', { text: '（風の音）' }],
    ['a song', { text: '♪ la la la ♪' }],
    ['a fraction', { text: '1/2"', ...SHORT }],
    ['a fraction of long noise', { text: '1/2"', voiceMs: 4_000 }],
    ['a number with a unit of long noise', { text: '1/2 oz', voiceMs: 4_000 }],
    ['a number of long noise', { text: '4', voiceMs: 4_000 }],
  ])('takes %s for no speech', (_, line) => {
    expect(judge({ ...line, confidence: undefined })).toBe('no-words');
  });

  it.each([
    ['a number, whatever its language', { text: '300', ...SHORT, language: 'nb', confidence: 0.6 }],
    ['words beside a sound', { text: '(sighs) I know.' }],
    ['a number said in full', { text: '555 1234', voiceMs: 3_000 }],
    ['a number with a unit', { text: '10 am', ...SHORT }],
    ['a whole number', { text: '4.', ...SHORT, confidence: undefined }],
  ])('takes %s for speech', (_, line) => {
    expect(judge(line)).toMatch(/^accepted: /);
  });

  it('takes for noise where the recogniser says that nobody speaks, unless it is sure', () => {
    const thanks = { text: 'Thank you.', ...SHORT };
    expect(judge({ ...thanks, confidence: 0.4, noSpeech: 0.51 })).toBe('noise');
    expect(judge({ ...thanks, confidence: undefined, noSpeech: 0.51 })).toBe('noise');
    expect(judge({ ...thanks, confidence: 0.5, noSpeech: 0.6 })).toBe('accepted: Thank you.');
    expect(judge({ text: "I'm sorry. ".repeat(4), confidence: 0.9, noSpeech: 0.51 })).toBe('loop');
  });

  it('takes a faint word for speech where the recogniser says that somebody speaks', () => {
    const word = { text: 'Thank you.', ...NEAR_SILENCE, confidence: 0.4 };
    expect(judge({ ...word, noSpeech: 0.45 })).toBe('accepted: Thank you.');
    expect(judge(word)).toBe('stock-phrase');
  });

  it.each(['No.', 'Thank you.', 'Yeah.', 'Yes.'])(
    'keeps %j of a recogniser that is less confident, also twice and quick',
    (text) => {
      const filter = createHallucinationFilter();
      for (const [at, confidence] of [0.51, 0.62, 0.68, 0.74, 0.85].entries())
        filter.judge(
          candidateOf({ text: LONG[at]!, confidence, voiceMs: 4_000, spanMs: 5_000 }),
          ENGLISH,
          true,
        );
      for (const [at, length] of [WORD, SHORT, WORD].entries()) {
        const line = { text, ...length, confidence: [0.35, 0.66, 0.4][at]!, endMs: 70_000 * at };
        expect(filter.judge(candidateOf(line), ENGLISH, true)).toEqual({ accepted: text });
      }
      filter.judge(candidateOf({ speakerId: 'ben', endMs: 300_000 }), ENGLISH, true);
      const quick = { text, ...QUICK, confidence: 0.4 };
      for (const endMs of [302_000, 304_000])
        expect(filter.judge(candidateOf({ ...quick, endMs }), ENGLISH, true)).toEqual({
          accepted: text,
        });
    },
  );

  it('believes voice where no confidence is known, but neither faint thanks nor another language', () => {
    const unknown = { confidence: undefined };
    expect(judge({ text: 'Thank you.', ...WORD, ...unknown })).toBe('accepted: Thank you.');
    expect(judge({ text: 'Come here.', ...NEAR_SILENCE, ...unknown })).toBe('accepted: Come here.');
    expect(judge({ text: 'Thank you.', ...NEAR_SILENCE, ...unknown })).toBe('stock-phrase');
    expect(judge({ text: 'Kakao', language: 'nl', ...SHORT, ...unknown })).toBe('foreign');
  });

  it('keeps the good start of a line whose end loops', () => {
    const text = `We meet at nine. ${"I'm sorry. ".repeat(40)}`;
    expect(judge({ text, confidence: 0.9 })).toBe("accepted: We meet at nine. I'm sorry");
    expect(judge({ text: 'Oh, ' + "I'm sorry. ".repeat(40), confidence: 0.9 })).toBe('loop');
  });

  it('shows what somebody may have said where a room wants all of it', () => {
    const all = { ...ENGLISH, showsAll: true };
    const hear = (line: Partial<HeardUtterance>) =>
      createUsualFilter().judge(candidateOf(line), all, true);
    expect(hear({ text: 'Thank you.', ...NEAR_SILENCE, confidence: 0.3 })).toEqual({
      accepted: 'Thank you.',
    });
    expect(hear({ text: 'See you', language: 'nb', ...SHORT, confidence: 0.6 })).toEqual({
      accepted: 'See you',
    });
    expect(hear({ text: '[Music]' })).toEqual({ refusal: 'no-words' });
    expect(hear({ text: MANY_WORDS, ...SHORT })).toEqual({ refusal: 'too-fast' });
  });

  it.each([
    ['No lo sé todavía.', 0.6],
    ['Nos vemos mañana.', 0.62],
    ['Vale, de acuerdo.', 0.65],
    ['Muy bien, gracias.', 0.68],
    ['¿Dónde nos vemos?', 0.7],
    ['Estoy de acuerdo contigo.', 0.72],
    ['Sí, claro.', 0.74],
  ])('shows the short line %j of a guest, of confidence %d', (text, confidence) => {
    const line = { text, language: 'es', ...SHORT, confidence };
    expect(judge(line, ['en', 'de'])).toBe(`accepted: ${text}`);
  });

  it('takes the same person again in a language as a sign of it, not others or the same words', () => {
    const filter = createUsualFilter();
    const say = (text: string, speakerId: string, endMs: number) =>
      filter.judge(
        candidateOf({ text, language: 'es', ...SHORT, confidence: 0.6, speakerId, endMs }),
        ENGLISH,
        true,
      ).refusal;
    expect(say('Gracias.', 'ann', 0)).toBe('foreign');
    expect(say('Gracias.', 'ann', 1_000)).toBe('foreign');
    expect(say('See you', 'ben', 2_000)).toBe('foreign');
    expect(say('See you', 'ann', 3_000)).toBeUndefined();
    filter.forget('ann');
    expect(say('Gracias.', 'ann', 4_000)).toBe('foreign');
  });

  it('takes a language of the room whatever its region and way of writing', () => {
    const line = { text: '你好', language: 'zh', ...SHORT, confidence: 0.6 };
    expect(judge(line, ['zh-Hant'])).toBe('accepted: 你好');
    expect(judge({ ...line, language: 'zh-TW' }, ['zh'])).toBe('accepted: 你好');
    expect(judge(line, [])).toBe('accepted: 你好');
  });

  it('learns a language from what was long and certain', () => {
    const filter = createUsualFilter();
    const short = candidateOf({
      text: 'Right then',
      language: 'nb',
      ...SHORT,
      confidence: 0.6,
      speakerId: 'ben',
    });
    expect(filter.judge(short, ENGLISH, true)).toEqual({ refusal: 'foreign' });
    const long = candidateOf({
      text: 'Vi møtes klokka ni i morgen',
      language: 'nb',
      voiceMs: 4_000,
      spanMs: 5_000,
    });
    filter.judge(long, ENGLISH, false);
    filter.judge({ ...long, voiceMs: 2_900 }, ENGLISH, true);
    filter.judge({ ...long, text: '[Musik]' }, ENGLISH, true);
    expect(filter.judge(short, ENGLISH, true)).toEqual({ refusal: 'foreign' });
    filter.judge(long, ENGLISH, true);
    expect(filter.judge(short, ENGLISH, true)).toEqual({ accepted: 'Right then' });
  });

  it('does not accept the same text again and again from near-silence', () => {
    const filter = createUsualFilter();
    const again = (endMs: number, speakerId = 'ann') =>
      filter.judge(
        candidateOf({ text: 'Right.', ...NEAR_SILENCE, speakerId, endMs }),
        ENGLISH,
        true,
      ).refusal;
    expect([again(0), again(5_000), again(60_000)]).toEqual([undefined, 'repeat', 'repeat']);
    expect(again(61_000, 'ben')).toBeUndefined();
    expect(again(125_000)).toBeUndefined();
    expect(again(126_000)).toBe('repeat');
    filter.forget('ann');
    expect(again(127_000)).toBeUndefined();
  });

  it.each([
    ['はい', QUICK, 0.7],
    ['はい', WORD, 0.7],
    ['Come here!', SHORT, 0.9],
    ['We meet at nine in the hall and go on from there.', {}, 0.4],
  ])('hears somebody who says %j again and again', (text, length, confidence) => {
    const filter = createUsualFilter();
    const line = candidateOf({ text, ...length, confidence });
    for (let time = 0; time < 5; time += 1)
      expect(filter.judge(line, ENGLISH, true)).toEqual({ accepted: text });
  });

  it('does not hear what is not sure a third time', () => {
    const filter = createUsualFilter();
    const line = candidateOf({ text: 'Come here!', ...SHORT });
    for (let time = 0; time < 5; time += 1) filter.judge(line, ENGLISH, true);
    const unsure = { ...line, confidence: 0.5 };
    expect(filter.judge(unsure, ENGLISH, true)).toEqual({ refusal: 'repeat' });
  });
});
