import { beforeEach, describe, expect, it } from 'vitest';
import type { AnswerNotes } from '../../../src/chat/assistant.ts';
import { AppError } from '../../../src/errors.ts';
import { createLimits, type Limits } from '../../../src/usage/limits.ts';
import { createMeter } from '../../../src/usage/meter.ts';
import { plainWords } from '../../../src/rich-text/compose.ts';
import { plainText } from '../../../src/rich-text/walk.ts';
import type { ByteSource } from '../../../src/model/message.ts';
import type { Services } from '../../../src/command/services.ts';
import type { SpaceChoices } from '../../../src/model/space.ts';
import type { Translation, TranslationRequest } from '../../../src/translation/translator.ts';
import type { UsageAmounts } from '../../../src/store/usage.ts';
import { ASKER } from '../../fakes/asker.ts';

const SPACE = { platform: 'test', id: 's' };
const signal = new AbortController().signal;
/** Half past ten in the evening. */
const now = (): number => Date.UTC(2026, 0, 2, 22, 30);
const audio: ByteSource = { sizeBytes: 0, async *open() {} };

const NOTHING = { characters: 0, audioMs: 0, chatTokens: 0, messages: 0 };

let choices: Partial<SpaceChoices>;
let used: UsageAmounts;
let recorded: unknown[];
let outcome: Translation['outcome'];
let fault: AppError | undefined;
let limits: Limits;
/** Translations wait for it. */
let gate: Promise<void>;

beforeEach(() => {
  gate = Promise.resolve();
  limits = createLimits({
    spaces: { of: async () => choices as SpaceChoices },
    usage: { today: async () => used, todayEverywhere: async () => NOTHING },
    now,
  });
  choices = {};
  used = NOTHING;
  recorded = [];
  outcome = 'translated';
  fault = undefined;
});

const services = {
  get limits() {
    return limits;
  },
  usage: {
    record: async (...given: unknown[]) => void recorded.push(given),
  },
  translator: {
    async *translate({ text }: TranslationRequest) {
      await gate;
      if (plainText(text).startsWith('half')) yield plainWords('ha');
      if (fault) throw fault;
      return { text, from: 'en', to: 'ja', outcome };
    },
  },
  transcriber: {
    async *transcribe() {
      yield { text: 'a', transcribedMs: 60_000, totalMs: undefined };
      if (fault) throw fault;
      yield { text: 'a b', transcribedMs: 95_000, totalMs: undefined };
      return { text: 'a b', language: 'en', durationMs: 95_000, segments: [] };
    },
  },
  assistant: {
    async *answer(_: unknown, __: unknown, ___: unknown, notes: AnswerNotes) {
      if (fault) throw fault;
      try {
        yield 'be';
        yield 'bec😀';
        return 'bec😀';
      } finally {
        notes.used?.(50);
      }
    },
  },
  speaker: {
    speak: async () => {
      if (fault) throw fault;
      return {};
    },
    voices: async () => [],
  },
} as unknown as Services;

const newMeter = () => createMeter(services, { space: SPACE, memberId: 'm' });

const drain = async (states: AsyncGenerator<unknown, unknown, void>): Promise<unknown> => {
  for (;;) {
    const { done, value } = await states.next();
    if (done) return value;
  }
};

const translate = (meter: ReturnType<typeof newMeter>, text: string) =>
  drain(
    meter.services.translator.translate(
      { text: plainWords(text), to: 'ja', place: SPACE, lane: 'interactive' },
      signal,
    ),
  );

describe('a meter', () => {
  it('counts code points, sound and speech, and records them once', async () => {
    const meter = newMeter();
    expect(await translate(meter, 'a😀字')).toMatchObject({ outcome: 'translated' });
    await drain(
      meter.services.transcriber.transcribe({ audio, place: SPACE, lane: 'interactive' }, signal),
    );
    await meter.services.speaker.speak({ ...ASKER, text: '12345' }, signal);
    await meter.settle();
    expect(recorded).toEqual([
      [SPACE, 'm', { characters: 8, audioMs: 95_000, chatTokens: 0, messages: 1 }],
    ]);
  });

  it('counts questions and their answers, as far as they came', async () => {
    const ask = (meter: ReturnType<typeof newMeter>, content: string) =>
      meter.services.assistant.answer([{ role: 'user', content }], ASKER, signal);
    const meter = newMeter();
    expect(await drain(ask(meter, 'why 😀?'))).toBe('bec😀');
    for await (const text of ask(meter, 'why?')) if (text === 'be') break;
    fault = new AppError('unavailable', 'down');
    await expect(drain(ask(meter, 'why?'))).rejects.toThrow('down');
    await meter.settle();
    expect(recorded).toEqual([
      [SPACE, 'm', { characters: 10 + 6, audioMs: 0, chatTokens: 100, messages: 1 }],
    ]);
  });

  it.each(['same-language', 'nothing-to-translate'] as const)(
    'does not count what was not sent: %s',
    async (what) => {
      outcome = what;
      const meter = newMeter();
      await translate(meter, 'hello');
      await meter.settle();
      expect(recorded).toEqual([]);
    },
  );

  it('counts what broke off once something had come of it, and not before', async () => {
    fault = new AppError('unavailable', 'down');
    const meter = newMeter();
    await expect(translate(meter, 'hello')).rejects.toThrow('down');
    await expect(meter.services.speaker.speak({ ...ASKER, text: 'hello' }, signal)).rejects.toThrow(
      'down',
    );
    await meter.settle();
    expect(recorded).toEqual([]);
    await expect(translate(meter, 'half')).rejects.toThrow('down');
    const heard = meter.services.transcriber.transcribe(
      { audio, place: SPACE, lane: 'interactive' },
      signal,
    );
    await expect(drain(heard)).rejects.toThrow('down');
    await meter.settle();
    expect(recorded).toEqual([
      [SPACE, 'm', { characters: 4, audioMs: 60_000, chatTokens: 0, messages: 1 }],
    ]);
  });

  it('adds up all of it, speech by code points too', async () => {
    const meter = newMeter();
    for (const _ of [1, 2])
      await drain(
        meter.services.transcriber.transcribe({ audio, place: SPACE, lane: 'interactive' }, signal),
      );
    await meter.services.speaker.speak({ ...ASKER, text: '😀' }, signal);
    await meter.settle();
    expect(recorded).toMatchObject([[SPACE, 'm', { characters: 1, audioMs: 190_000 }]]);
  });

  it('records work that was counted as a message before as none', async () => {
    const meter = createMeter(services, { space: SPACE, memberId: 'm' }, { messages: 0 });
    await translate(meter, '12345');
    await meter.settle();
    expect(recorded).toEqual([
      [SPACE, 'm', { characters: 5, audioMs: 0, chatTokens: 0, messages: 0 }],
    ]);
  });

  it('counts what an asker who leaves has had', async () => {
    const meter = newMeter();
    for await (const { text } of meter.services.transcriber.transcribe(
      { audio, place: SPACE, lane: 'interactive' },
      signal,
    ))
      if (text === 'a') break;
    await meter.settle();
    expect(recorded).toMatchObject([[SPACE, 'm', { audioMs: 60_000 }]]);
  });
});

describe('use that is not recorded yet', () => {
  const question = [{ role: 'user' as const, content: 'why?' }];
  const ask = (meter: ReturnType<typeof newMeter>) =>
    drain(meter.services.assistant.answer(question, ASKER, signal));
  const refused = { code: 'rate-limited' };

  it('of one question leaves no second one where one token was left', async () => {
    choices = { dailyChatTokens: 1 };
    const meter = newMeter();
    await ask(meter);
    await expect(ask(meter)).rejects.toMatchObject({ sentence: { key: 'limits.chat' } });
  });

  it('leaves as many questions as there are tokens, asked at the same time', async () => {
    choices = { dailyChatTokens: 1 };
    const meter = newMeter();
    const asked = await Promise.allSettled(Array.from({ length: 60 }, async () => ask(meter)));
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('counts for the copies of a text, and for those who ask at the same time', async () => {
    choices = { dailyCharacters: 14 };
    used = { ...used, characters: 4 };
    const [one, other] = [newMeter(), newMeter()];
    const copies = await Promise.allSettled(
      [one, one, other, other].map((meter) => translate(meter, '12345')),
    );
    expect(copies.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ]);
  });

  it('counts for the person whose use it is, and not for others', async () => {
    limits = createLimits({
      spaces: { of: async () => ({}) as SpaceChoices },
      usage: { today: async () => NOTHING, todayEverywhere: async () => NOTHING },
      operator: { space: {}, person: { characters: 5 } },
      now,
    });
    // Only the limits of the space bind it, and yet it is theirs.
    const captions = createMeter(services, { space: SPACE, memberId: 'm' }, { limits: 'space' });
    await translate(captions, '123');
    await expect(translate(newMeter(), '123')).rejects.toMatchObject({
      sentence: { key: 'limits.characters-each' },
    });
    await translate(createMeter(services, { space: SPACE, memberId: 'other' }), '12345');
  });

  it('leaves nothing of a minute to a second recording', async () => {
    choices = { dailyAudioMinutes: 2 };
    const hear = (meter: ReturnType<typeof newMeter>) =>
      meter.services.transcriber.transcribe({ audio, place: SPACE, lane: 'interactive' }, signal);
    const meter = newMeter();
    const [first, second, third] = [hear(meter), hear(newMeter()), hear(newMeter())];
    await first.next();
    await second.next();
    await expect(third.next()).rejects.toMatchObject(refused);
    await second.return(undefined as never);
  });

  it('is given back when nothing came of it', async () => {
    choices = { dailyCharacters: 5, dailyChatTokens: 1 };
    fault = new AppError('unavailable', 'down');
    const meter = newMeter();
    await expect(translate(meter, '12345')).rejects.toThrow('down');
    await expect(ask(meter)).rejects.toThrow('down');
    fault = undefined;
    await translate(newMeter(), '12345');
  });

  it.each([
    ['recorded', undefined],
    ['not recorded', new Error('no database')],
  ])('is given back when the work ends and was %s', async (_, failure) => {
    choices = { dailyCharacters: 10 };
    const kept = {
      ...services,
      usage: {
        record: async (__: unknown, ___: unknown, { characters }: UsageAmounts) => {
          if (failure) throw failure;
          used = { ...used, characters: used.characters + characters };
        },
      },
    } as unknown as Services;
    const meter = createMeter(kept, { space: SPACE, memberId: 'm' });
    await translate(meter, '123456');
    await expect(translate(newMeter(), '12345')).rejects.toMatchObject(refused);
    await meter.settle().catch(() => undefined);
    await translate(newMeter(), failure ? '1234567890' : '1234');
  });

  it('is given back when the work ends though it was never read to its end', async () => {
    choices = { dailyCharacters: 7 };
    const meter = newMeter();
    const left = meter.services.translator.translate(
      { text: plainWords('half'), to: 'ja', place: SPACE, lane: 'interactive' },
      signal,
    );
    await left.next();
    await meter.settle();
    await translate(newMeter(), '1234567');
  });

  it('is given back when it ends after the work', async () => {
    choices = { dailyCharacters: 7 };
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    const meter = newMeter();
    const late = translate(meter, '12345');
    await expect(translate(newMeter(), '12345')).rejects.toMatchObject(refused);
    await meter.settle();
    resolve();
    await late;
    await translate(newMeter(), '1234567');
  });
});

describe('the limits of a day', () => {
  it('of a person hold for all but what is of the space alone', async () => {
    const limited = {
      ...services,
      limits: createLimits({
        spaces: { of: async () => choices as SpaceChoices },
        usage: { today: async () => used, todayEverywhere: async () => NOTHING },
        operator: { space: {}, person: { characters: 3 } },
        now,
      }),
    };
    const consumer = { space: SPACE, memberId: 'm' };
    await expect(translate(createMeter(limited, consumer), '1234')).rejects.toMatchObject({
      sentence: { key: 'limits.characters-each' },
    });
    await translate(createMeter(limited, consumer, { limits: 'space' }), '1234');
  });

  it('let in what fits to the last character, and nothing that does not', async () => {
    choices = { dailyCharacters: 10 };
    used = { ...used, characters: 5 };
    const first = newMeter();
    await translate(first, '12345');
    await first.settle();
    await expect(translate(newMeter(), '123456')).rejects.toMatchObject({
      code: 'rate-limited',
      sentence: { key: 'limits.characters', params: { used: 5, limit: 10, hours: 2 } },
    });
    await expect(
      newMeter().services.speaker.speak({ ...ASKER, text: '123456' }, signal),
    ).rejects.toMatchObject({ sentence: { key: 'limits.characters' } });
    const question = [{ role: 'user' as const, content: '123456' }];
    await expect(
      drain(newMeter().services.assistant.answer(question, ASKER, signal)),
    ).rejects.toMatchObject({ sentence: { key: 'limits.characters' } });
  });

  it('let sound begin while a minute is left', async () => {
    choices = { dailyAudioMinutes: 2 };
    used = { ...used, audioMs: 119_000 };
    expect(await limits.fault({ space: SPACE }, 'audio')).toBeUndefined();
    used = { ...used, audioMs: 120_000 };
    const states = newMeter().services.transcriber.transcribe(
      { audio, place: SPACE, lane: 'interactive' },
      signal,
    );
    await expect(drain(states)).rejects.toMatchObject({
      sentence: { key: 'limits.audio', params: { used: 2, limit: 2, hours: 2 } },
      retryAfterMs: 90 * 60_000,
    });
  });

  it('are none where none is set', async () => {
    used = { ...used, characters: 1e9, audioMs: 1e12 };
    expect(await limits.fault({ space: SPACE }, 'audio')).toBeUndefined();
    expect(await limits.fault({ space: SPACE }, { characters: 1e6 })).toBeUndefined();
  });

  it('of nothing let nothing in', async () => {
    choices = { dailyCharacters: 0, dailyAudioMinutes: 0 };
    expect(await limits.fault({ space: SPACE }, 'audio')).toBeDefined();
    expect(await limits.fault({ space: SPACE }, { characters: 1 })).toBeDefined();
  });
});
