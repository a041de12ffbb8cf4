import { describe, expect, it } from 'vitest';
import { silentLog } from '../../fakes/silent-log.ts';
import type { SpaceChoices } from '../../../src/model/space.ts';
import type { Services } from '../../../src/command/services.ts';
import type { UsageAmounts } from '../../../src/store/usage.ts';
import { createAudioMeter, createSpeechMeter } from '../../../src/usage/room-meters.ts';
import { createLimits } from '../../../src/usage/limits.ts';
import type { TranscriptEvent } from '../../../src/voice/stt/transcript-emitter.ts';

const NOON_MS = Date.UTC(2026, 4, 20, 12);
const HALF_DAY_MS = 12 * 3_600_000;

const start = (dailyAudioMinutes: number | undefined) => {
  const records: (Partial<UsageAmounts> & { id: string })[] = [];
  const state = { limit: dailyAudioMinutes, usedMs: 0, fails: false };
  const today = async () => ({
    characters: 0,
    audioMs: state.usedMs,
    chatTokens: 0,
    messages: 0,
  });
  const usage = createAudioMeter({
    services: {
      limits: createLimits({
        spaces: { of: async () => ({ dailyAudioMinutes: state.limit }) as SpaceChoices },
        usage: { today, todayEverywhere: today },
        now: () => NOON_MS,
      }),
      usage: {
        record: async (_: unknown, id: string, used: Partial<UsageAmounts>) => {
          await new Promise(setImmediate);
          if (state.fails) throw new Error('no database');
          records.push({ id, ...used });
          state.usedMs += used.audioMs ?? 0;
        },
      } as Services['usage'],
    },
    channel: () => ({ space: { platform: 'test', id: 's' }, id: 'room' }),
    log: silentLog,
  });
  let id = 0;
  const transcript = (speakerId: string, seconds: number, text = 'words'): TranscriptEvent => {
    id += 1;
    const endMs = seconds * 1_000;
    return { id, speakerId, startMs: 0, endMs, text, language: 'en', isFinal: true };
  };
  return { usage, records, state, transcript };
};

describe('the audio that a room uses', () => {
  it('is charged to the speaker, as a message where there are words', async () => {
    const { usage, records, transcript } = start(undefined);
    void usage.count(transcript('ann', 2));
    void usage.count(transcript('bob', 1, ''));
    await usage[Symbol.asyncDispose]();
    expect(records).toEqual([
      { id: 'ann', audioMs: 2_000, messages: 1 },
      { id: 'bob', audioMs: 1_000, messages: 0 },
    ]);
  });

  it('comes with the reason why there may be no more of it, as long as there is one', async () => {
    const { usage, state, transcript } = start(1);
    const first = await usage.count(transcript('ann', 30));
    expect(first).toEqual({ fault: undefined });
    const both = await Promise.all(
      [30, 5].map(async (seconds) => usage.count(transcript('ann', seconds))),
    );
    for (const counted of both)
      expect(counted?.fault).toMatchObject({
        code: 'rate-limited',
        retryAfterMs: HALF_DAY_MS,
        sentence: { key: 'limits.audio' },
      });
    expect(await usage.fault()).toMatchObject({ sentence: { key: 'limits.audio' } });
    state.limit = 2;
    expect(await usage.fault()).toBeUndefined();
  });

  it('says nothing of a limit where it cannot be counted', async () => {
    const { usage, state, transcript } = start(1);
    state.fails = true;
    expect(await usage.count(transcript('ann', 100))).toBeUndefined();
  });
});

const SPACE = { platform: 'test', id: 's' };

const open = (dailyCharacters?: number, perPerson?: number) => {
  const recorded: unknown[] = [];
  const state = { characters: 0, fails: false, recording: Promise.resolve() };
  const today = async () => ({
    characters: state.characters,
    audioMs: 0,
    chatTokens: 0,
    messages: 0,
  });
  const services = {
    limits: createLimits({
      spaces: { of: async () => ({ dailyCharacters }) as SpaceChoices },
      usage: { today, todayEverywhere: today },
      operator: { space: {}, person: { characters: perPerson } },
    }),
    usage: {
      record: async (...given: unknown[]) => {
        await state.recording;
        if (state.fails) throw new Error('no database');
        recorded.push(given);
      },
    },
  } as unknown as Services;
  const meter = createSpeechMeter({
    services,
    channel: () => ({ space: SPACE, id: 'room' }),
    log: silentLog,
  });
  return { meter, recorded, state, limits: services.limits };
};

it('what waits counts against the limit until it is heard or given up', async () => {
  const { meter } = open(10);
  await meter.reserve({ id: '1', text: 'six 😀!' });
  expect(await meter.reserve({ id: '2', text: '12345' })).toMatchObject({
    code: 'rate-limited',
    sentence: { key: 'limits.characters' },
  });
  expect(await meter.reserve({ id: '2', text: '1234' })).toBeUndefined();
  for (const id of ['1', '2']) meter.release(id);
  expect(await meter.reserve({ id: '3', text: '1234567890' })).toBeUndefined();
});

it('what is heard is recorded for whose words it is, in its order', async () => {
  const { meter, recorded, state } = open();
  await meter.reserve({ id: '1', text: 'hello' });
  meter.spoken({ id: '1', text: 'hello' }, 'ann', 1);
  meter.spoken({ id: '2', text: '😀' }, '', 0);
  await meter[Symbol.asyncDispose]();
  expect(recorded).toEqual([
    [SPACE, 'ann', { characters: 5, messages: 1 }],
    [SPACE, '', { characters: 1, messages: 0 }],
  ]);
  state.fails = true;
  meter.spoken({ id: '3', text: 'lost' }, 'ann', 1);
  await meter[Symbol.asyncDispose]();
  expect(recorded).toHaveLength(2);
});

it('what waits counts against the limit of whose words it is', async () => {
  const { meter } = open(100, 10);
  const [ann, bob] = [{ id: 'ann' }, { id: 'bob' }];
  await meter.reserve({ id: '1', text: '123456', by: ann });
  await meter.reserve({ id: '2', text: '123', by: bob });
  expect(await meter.reserve({ id: '3', text: '12345', by: ann })).toMatchObject({
    sentence: { key: 'limits.characters-each' },
  });
  expect(await meter.reserve({ id: '3', text: '1234', by: ann })).toBeUndefined();
  expect(await meter.reserve({ id: '4', text: '1234567', by: bob })).toBeUndefined();
  expect(await meter.reserve({ id: '5', text: '12345678901' })).toBeUndefined();
});

it('what is heard counts against the limit until it is recorded', async () => {
  const { meter, limits, state } = open(10);
  const { promise, resolve } = Promise.withResolvers<void>();
  state.recording = promise;
  await meter.reserve({ id: '1', text: '123456' });
  meter.spoken({ id: '1', text: '123456' }, 'ann', 1);
  expect(await limits.fault({ space: SPACE }, { characters: 5 })).toBeDefined();
  resolve();
  await meter[Symbol.asyncDispose]();
  expect(await limits.fault({ space: SPACE }, { characters: 5 })).toBeUndefined();
});
