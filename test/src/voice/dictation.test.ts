import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { silentLog } from '../../fakes/silent-log.ts';
import type { Recogniser } from '../../../src/ports/recogniser.ts';
import type { DictatedWords } from '../../../src/model/message.ts';
import { createLimits } from '../../../src/usage/limits.ts';
import { createDictationOpener } from '../../../src/voice/dictation.ts';
import { createTestClock } from '../../fakes/clock.ts';
import {
  createStreamingRecogniser,
  silentPacket,
  WORD_PACKETS,
  wordPacket,
} from '../../fakes/recogniser.ts';

const ADA = { platform: 'web', id: 'ada' };
const CHANNEL = { space: { platform: 'web', id: 'page' }, id: 'playground' };

interface SetUp {
  readonly recogniser?: Recogniser;
  readonly isOut?: boolean;
  /** Audio of a day, in minutes. */
  readonly limit?: number;
}

const setUp = ({ recogniser = createStreamingRecogniser(), isOut = false, limit }: SetUp = {}) => {
  const clock = createTestClock();
  const words: DictatedWords[] = [];
  const ends: AppError[] = [];
  const counted: number[] = [];
  const usage = {
    record: async (_: unknown, __: string, { audioMs }: { audioMs: number }) => {
      counted.push(audioMs);
    },
    today: async () => ({ audioMs: counted.reduce((sum, ms) => sum + ms, 0) }),
  } as never;
  const spaces = { of: async () => ({ dailyAudioMinutes: limit }) } as never;
  const open = createDictationOpener({
    services: {
      glossary: { applying: async () => [] } as never,
      settings: { of: async () => ({ language: undefined, voiceId: undefined }) } as never,
      privacy: { optedOut: async () => isOut } as never,
      limits: createLimits({ spaces, usage, now: () => 0 }),
      usage,
    },
    createRecogniser: () => recogniser,
    partials: true,
    clock,
    log: silentLog,
  });
  const dictate = async () =>
    open({
      member: ADA,
      channel: CHANNEL,
      listener: { words: (each) => void words.push(each), ended: (error) => void ends.push(error) },
    });
  return { clock, words, ends, counted, dictate };
};

type Dictated = Awaited<ReturnType<ReturnType<typeof setUp>['dictate']>>;

/** Says words, in chunks as a recorder gives them, and nothing in between. */
const say = async (
  { clock }: Pick<ReturnType<typeof setUp>, 'clock'>,
  dictation: Dictated,
  ...said: readonly string[]
): Promise<void> => {
  for (const word of said)
    for (let at = 0; at < WORD_PACKETS; at += 1) {
      dictation.packet(word === '' ? silentPacket() : wordPacket(word));
      if (at % 12 === 11) await clock.advance(240);
    }
};

const MINUTE_MS = 60_000;

describe('a dictation', () => {
  it('shows the certain words while they are spoken, and their final form', async () => {
    const test = setUp();
    using dictation = await test.dictate();
    await say(test, dictation, 'good', 'morning', 'everybody');
    expect(test.words.map(({ text }) => text)).toEqual(['good', 'good morning']);
    expect(test.words.every(({ isFinal }) => !isFinal)).toBe(true);
    await say(test, dictation, '');
    expect(test.words.at(-1)).toEqual({
      id: 1,
      text: 'good morning everybody',
      language: 'en',
      isFinal: true,
    });
  });

  it('gives the whole text at the end, with its times, and counts its audio once', async () => {
    const test = setUp();
    using dictation = await test.dictate();
    await say(test, dictation, 'good', 'morning', '', 'everybody');
    const text = await dictation.finish();
    expect(text).toMatchObject({ text: 'good morning everybody', language: 'en' });
    const [first, second] = text!.segments;
    expect(first).toMatchObject({ startMs: 0, text: 'good morning' });
    expect(second!.startMs).toBe(3_600);
    expect(second!.endMs).toBe(4_800);
    const countedMs = test.counted.reduce((sum, ms) => sum + ms, 0);
    expect(countedMs).toBe(3 * 1_200);
    expect(test.clock.waiting).toBe(0);
  });

  it('gives the times of words, for subtitles', async () => {
    const words = [
      { text: 'good', startMs: 0, endMs: 1_100 },
      { text: 'morning', startMs: 1_200, endMs: 2_300 },
    ];
    const heard = { text: 'good morning', language: 'en', confidence: 0.9, words };
    const start = () => ({ grow: () => undefined, finish: async () => heard });
    const test = setUp({ recogniser: { growEveryMs: 0, start } });
    using dictation = await test.dictate();
    await say(test, dictation, 'good', 'morning');
    const text = await dictation.finish();
    expect(text?.segments[0]?.words).toEqual(words);
  });

  it('takes a late chunk for no pause', async () => {
    const test = setUp();
    using dictation = await test.dictate();
    await say(test, dictation, 'good');
    await test.clock.advance(1_500);
    await say(test, dictation, 'morning');
    const text = await dictation.finish();
    expect(text?.segments.map((segment) => segment.text)).toEqual(['good morning']);
  });

  it('gives no text for a recording of which a part was not recognised', async () => {
    const recogniser = createStreamingRecogniser();
    recogniser.service.faults.push(new AppError('bad-reply', 'no'));
    const test = setUp({ recogniser });
    using dictation = await test.dictate();
    await say(test, dictation, 'good', 'morning');
    expect(await dictation.finish()).toBeUndefined();
  });

  it('gives no text for a recording with a packet that is none', async () => {
    const test = setUp();
    using dictation = await test.dictate();
    await say(test, dictation, 'good');
    dictation.packet(new Uint8Array(0));
    expect(await dictation.finish()).toBeUndefined();
  });

  it('gives no text of silence', async () => {
    const test = setUp();
    using dictation = await test.dictate();
    await say(test, dictation, '', '');
    expect(await dictation.finish()).toBeUndefined();
    expect(test.words).toEqual([]);
  });

  it('waits for its last words, and not for ever', async () => {
    const recogniser = createStreamingRecogniser();
    recogniser.service.hangs = true;
    const test = setUp({ recogniser });
    using dictation = await test.dictate();
    await say(test, dictation, 'good');
    const finished = dictation.finish();
    await test.clock.advance(10_000);
    expect(await finished).toBeUndefined();
    expect(test.clock.waiting).toBe(0);
  });

  it('ends at once where nothing recognises speech', async () => {
    let asked = 0;
    const finish = async (): Promise<never> => {
      asked += 1;
      throw new AppError('missing', 'no engine recognises speech');
    };
    const recogniser = { growEveryMs: 0, start: () => ({ grow: () => undefined, finish }) };
    const test = setUp({ recogniser });
    using dictation = await test.dictate();
    await say(test, dictation, 'good', '', 'morning', '');
    expect(test.ends.map(({ code }) => code)).toEqual(['missing']);
    expect(asked).toBe(1);
    expect(test.words).toEqual([]);
    expect(test.clock.waiting).toBe(0);
  });

  it('ends when the audio of the day is used up', async () => {
    const test = setUp({ limit: 1 });
    using dictation = await test.dictate();
    for (let saidMs = 0; saidMs < MINUTE_MS + 10_000; saidMs += 6_000)
      await say(test, dictation, 'on', 'and', 'on', 'and', 'on', '');
    expect(test.ends.map(({ code }) => code)).toEqual(['rate-limited']);
    const shown = test.words.length;
    await say(test, dictation, 'more', 'words', '');
    expect(test.words).toHaveLength(shown);
    expect(test.clock.waiting).toBe(0);
  });

  it.each([
    ['after an opt-out', { isOut: true }, 'forbidden'],
    ['while a limit is reached', { limit: 0 }, 'rate-limited'],
  ])('is refused %s', async (_, given, code) => {
    await expect(setUp(given).dictate()).rejects.toMatchObject({ code });
  });

  it('that is dropped shows, counts and keeps nothing more', async () => {
    const recogniser = createStreamingRecogniser();
    const test = setUp({ recogniser });
    const dictation = await test.dictate();
    await say(test, dictation, 'good', 'morning');
    const shown = test.words.length;
    dictation[Symbol.dispose]();
    await say(test, dictation, 'everybody', '');
    await test.clock.advance(60_000);
    expect(test.words).toHaveLength(shown);
    expect(test.counted).toEqual([]);
    expect(test.clock.waiting).toBe(0);
    expect(await dictation.finish()).toBeUndefined();
  });
});
