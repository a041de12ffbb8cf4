import { describe, expect, it } from 'vitest';
import { createLog } from '../../../src/telemetry/log.ts';
import type { SpaceChoices } from '../../../src/model/space.ts';
import type { Services } from '../../../src/command/services.ts';
import type { UsageAmounts } from '../../../src/store/usage.ts';
import { createAudioMeter } from '../../../src/usage/audio-meter.ts';
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
        usage: { today, todayOf: today },
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
    log: createLog('silent'),
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
