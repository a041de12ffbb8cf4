import { describe, expect, it } from 'vitest';
import type { AppError } from '../../../src/errors.ts';
import { createLog } from '../../../src/log.ts';
import { createAudioUsage } from '../../../src/voice/audio-usage.ts';
import type { TranscriptEvent } from '../../../src/voice/stt/transcript-event.ts';
import type { SpaceChoices } from '../../../src/model/space-choices.ts';
import type { Used, UsageDay } from '../../../src/usage/usage.ts';
import { createTestClock } from '../../fakes/clock.ts';
import { settle } from './room-harness.ts';

const NOON_MS = Date.UTC(2026, 4, 20, 12);
const HALF_DAY_MS = 12 * 3_600_000;

const start = (dailyAudioMinutes: number | undefined) => {
  const clock = createTestClock(0);
  const records: (Used & { id: string })[] = [];
  const spent: (AppError | undefined)[] = [];
  const state = { limit: dailyAudioMinutes, usedMs: 0, fails: false };
  const use = createAudioUsage({
    services: {
      spaces: {
        of: async () => ({ dailyAudioMinutes: state.limit }) as SpaceChoices,
        change: async () => undefined,
      },
      usage: {
        record: async (_, id, used) => {
          await new Promise(setImmediate);
          if (state.fails) throw new Error('no database');
          records.push({ id, ...used });
          state.usedMs += used.audioMs;
        },
        today: async () => ({ characters: 0, audioMs: state.usedMs, messages: 0 }),
        days: async (): Promise<readonly UsageDay[]> => [],
      },
    },
    clock,
    now: () => NOON_MS + clock.nowMs(),
    channel: () => ({ space: { platform: 'test', id: 's' }, id: 'room' }),
    spent: (fault) => spent.push(fault),
    log: createLog('silent'),
  });
  let id = 0;
  const line = (speakerId: string, seconds: number, text = 'words'): TranscriptEvent => {
    id += 1;
    const endMs = seconds * 1_000;
    return { id, speakerId, startMs: 0, endMs, text, language: 'en', isFinal: true };
  };
  return { clock, use, records, spent, state, line };
};

describe('the sound that a room hears', () => {
  it('is counted for who spoke, as a message where there are words', async () => {
    const { use, records, line } = start(undefined);
    use.count(line('ann', 2));
    use.count(line('bob', 1, ''));
    await use[Symbol.asyncDispose]();
    expect(records).toEqual([
      { id: 'ann', characters: 0, audioMs: 2_000, messages: 1 },
      { id: 'bob', characters: 0, audioMs: 1_000, messages: 0 },
    ]);
  });

  it('is told to be used up once, and again to be there the next day', async () => {
    const { clock, use, spent, state, line } = start(1);
    for (const seconds of [30, 30, 5, 5]) use.count(line('ann', seconds));
    await settle();
    expect(spent).toMatchObject([{ code: 'rate-limited' }]);
    expect(use.isSpent()).toBe(true);
    await expect(use.admit()).rejects.toMatchObject({ sentence: { key: 'limits.audio' } });
    state.usedMs = 0;
    await clock.advance(HALF_DAY_MS);
    expect(spent.at(-1)).toBeUndefined();
    expect(spent).toHaveLength(2);
    expect(use.isSpent()).toBe(false);
    expect(clock.waiting).toBe(0);
  });

  it('is there again as soon as the limit is raised and somebody asks for it', async () => {
    const { clock, use, spent, state, line } = start(1);
    use.count(line('ann', 60));
    await settle();
    state.limit = 2;
    await use.admit();
    expect(spent).toMatchObject([{ code: 'rate-limited' }, undefined]);
    expect(clock.waiting).toBe(0);
  });

  it('is heard on where it cannot be counted', async () => {
    const { clock, use, spent, state, line } = start(1);
    state.fails = true;
    use.count(line('ann', 100));
    await use[Symbol.asyncDispose]();
    expect(spent).toEqual([]);
    expect(clock.waiting).toBe(0);
  });

  it('leaves no timer behind', async () => {
    const { clock, use, line } = start(1);
    use.count(line('ann', 61));
    await use[Symbol.asyncDispose]();
    expect(clock.waiting).toBe(0);
  });
});
