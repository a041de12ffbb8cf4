import { describe, expect, it } from 'vitest';
import type { SttPipelineHints } from '../../../../src/voice/stt/pipeline.ts';
import { setUpPipeline } from './pipeline-support.ts';

const LONG = 160;
const SHORT = 30;

/** A room in which English and German are spoken. */
const hintsWith = (more: Partial<SttPipelineHints> = {}) => ({
  hints: async (): Promise<SttPipelineHints> => ({
    hotwords: ['Dragoman'],
    languages: ['en', 'de'],
    ...more,
  }),
});
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
};

describe('what a recogniser is told to expect', () => {
  it('has hotwords from a word or two on, and the chosen language up to a sentence', async () => {
    const { asked, sender } = setUpPipeline(hintsWith({ language: 'de' }));
    await sender('ann').say(SHORT, false);
    const { hints } = asked[0]!.request;
    const expected = 'de';
    expect(await hints(799)).toEqual({ hotwords: [], language: 'de', expected });
    expect(await hints(800)).toEqual({ hotwords: ['Dragoman'], language: 'de', expected });
    expect(await hints(2_500)).toEqual({ hotwords: ['Dragoman'], expected });
    expect(await hints(Infinity)).toEqual({ hotwords: ['Dragoman'], expected });
  });

  it.each([
    ['the one that the speaker has chosen', { language: 'de' }, 'de'],
    ['the only one of the room', { languages: ['en'] }, 'en'],
    ['none of several', {}, undefined],
  ])('has as the likely language %s', async (_, more, expected) => {
    const { asked, sender } = setUpPipeline(hintsWith(more));
    await sender('ann').say(SHORT, false);
    expect((await asked[0]!.request.hints(Infinity)).expected).toBe(expected);
  });

  it('has as the likely language the one in which the speaker was heard for sure', async () => {
    const { asked, sender, pipeline } = setUpPipeline(hintsWith({ language: 'de' }));
    await sender('ann').say(LONG);
    asked.at(-1)!.answer('We meet at nine in the hall.', { language: 'en' });
    await settle();
    expect((await asked.at(-1)!.request.hints(Infinity)).expected).toBe('en');
    await pipeline[Symbol.asyncDispose]();
  });

  it('has no chosen language of somebody who was heard in another one, until they use it', async () => {
    const { asked, sender, pipeline } = setUpPipeline(hintsWith({ language: 'de' }));
    const ann = sender('ann');
    const say = async (text: string, language: string): Promise<unknown> => {
      await ann.say(LONG);
      asked.at(-1)!.answer(text, { language });
      await settle();
      return (await asked.at(-1)!.request.hints(500)).language;
    };
    expect(await say('We meet at nine in the hall.', 'en')).toBeUndefined();
    expect(await say('Wir treffen uns um neun.', 'de')).toBe('de');
    await pipeline[Symbol.asyncDispose]();
  });
});

describe('a turn in a language that nobody here is known to speak', () => {
  const hear = async (
    packets: number,
    first: readonly [text: string, confidence: number | undefined],
    second: readonly [text: string, confidence: number | undefined],
    more: Partial<SttPipelineHints> = {},
  ) => {
    const { asked, told, sender, pipeline } = setUpPipeline(hintsWith(more));
    await sender('ann').say(packets);
    const [whole] = asked;
    whole!.answer(first[0], { language: 'cy', confidence: first[1] });
    await settle();
    const { language = '' } = await whole!.latest.hints(Infinity);
    if (whole!.times > 1) whole!.answer(second[0], { language, confidence: second[1] });
    await pipeline.settled();
    return { language, told: told.filter((line) => line.includes(':')) };
  };

  it.each([
    ['the surer one', ['Mae hi yn', 0.4], ['We meet at nine.', 0.7], 'We meet at nine.'],
    ['the first where that is surer', ['Mae hi yn', 0.8], ['We meet', 0.5], 'Mae hi yn'],
    ['the one that reads well', ['Bw mit at', undefined], ['We meet.', undefined], 'We meet.'],
  ] as const)(
    'is recognised once more in theirs, and shown is %s',
    async (_, first, second, shown) => {
      const { language, told } = await hear(LONG, first, second);
      expect(language).toBe('en');
      expect(told).toEqual([`ann: ${shown}`]);
    },
  );

  it('is recognised in the language that its speaker has chosen', async () => {
    const second = ['Wir treffen uns.', 0.8] as const;
    const { language, told } = await hear(LONG, ['Mae hi yn', 0.4], second, { language: 'de' });
    expect(language).toBe('de');
    expect(told).toEqual(['ann: Wir treffen uns.']);
  });

  it.each([
    ['where nothing is known of languages', 'Mae hi yn', []],
    ['where its text is no speech', '[Miwsig]', ['en']],
  ])('is not recognised again %s', async (_, text, languages) => {
    const { language } = await hear(LONG, [text, 0.4], ['', 0], { languages });
    expect(language).toBe('');
  });

  it('is when it is short and its letters say otherwise', async () => {
    const { language, told } = await hear(SHORT, ['Bye bye', 0.5], ['Bye-bye.', 0.6]);
    expect(language).toBe('en');
    expect(told).toEqual(['ann: Bye-bye.']);
  });

  it('is not recognised again where the first recognition took the time for that', async () => {
    const { asked, told, clock, sender, pipeline } = setUpPipeline({
      ...hintsWith(),
      options: { deadlineMs: 12_000 },
    });
    await sender('ann').say(LONG);
    await clock.advance(9_000);
    asked[0]!.answer('Mae hi yn', { language: 'cy', confidence: 0.5 });
    await settle();
    await clock.advance(4_000);
    await pipeline.settled();
    expect(asked[0]!.times).toBe(1);
    expect(told).toEqual(['ann began', 'ann: Mae hi yn']);
  });

  it('keeps the first text where the second recognition fails', async () => {
    const { asked, told, sender, pipeline } = setUpPipeline(hintsWith());
    await sender('ann').say(LONG);
    asked[0]!.answer('Mae hi yn', { language: 'cy', confidence: 0.5 });
    await settle();
    expect(asked[0]!.times).toBe(2);
    asked[0]!.fail(new Error('away'));
    await pipeline.settled();
    expect(told.at(-1)).toBe('ann: Mae hi yn');
  });
});

it('a monologue is cut within a sentence, which is shown whole', async () => {
  const { asked, told, sender, pipeline } = setUpPipeline({ options: { longestMs: 4_000 } });
  await sender('ann').say(250);
  expect(asked).toHaveLength(2);
  asked[0]!.answer('That is all. We meet at.');
  asked[1]!.answer('nine tomorrow.');
  await pipeline.settled();
  expect(told.filter((line) => line.startsWith('ann: '))).toEqual([
    'ann: That is all.',
    'ann: We meet at nine tomorrow.',
  ]);
});
