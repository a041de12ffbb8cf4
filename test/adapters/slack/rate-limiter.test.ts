import { describe, expect, it } from 'vitest';
import { createRandom } from '../../fakes/random.ts';
import {
  ANSWERING,
  LEVEL,
  type CallPriority,
  createRateLimiter,
} from '../../../adapters/slack/rate-limiter.ts';
import { LIMITED_HISTORY, RATES, type SlackMethod } from '../../../adapters/slack/limits.ts';
import { createEmbeddedQuota } from '../../../src/store/quota.ts';
import { createTestClock } from '../../fakes/clock.ts';

const SPACE = { platform: 'slack', id: 'T1' };
const WORK: CallPriority = { level: LEVEL.work };
const MINUTE_MS = 60_000;

const open = () => {
  const clock = createTestClock(0);
  const limiter = createRateLimiter(clock, 1);
  const passed: { readonly name: string; readonly atMs: number }[] = [];
  const call = async (
    name: string,
    method: SlackMethod,
    priority: CallPriority = WORK,
    { channel = 'C1', signal }: { channel?: string; signal?: AbortSignal } = {},
  ): Promise<void> => {
    await limiter.take(SPACE, method, channel, priority, signal);
    passed.push({ name, atMs: clock.nowMs() });
  };
  return { clock, limiter, passed, call };
};

/** The most calls within any minute. */
const mostAMinute = (times: readonly number[]): number =>
  Math.max(
    ...times.map((from) => times.filter((at) => at >= from && at < from + MINUTE_MS).length),
  );

describe('the rate of calls', () => {
  it.each(['chat.update', 'users.info', 'usergroups.list'] as const)(
    'keeps %s within its tier, with a burst first',
    async (method) => {
      const { clock, passed, call } = open();
      const { calls } = RATES[method];
      for (let minute = 0; minute < 3; minute += 1) {
        for (let count = 0; count < 90; count += 1) call('', method).catch(() => undefined);
        await clock.advance(MINUTE_MS);
      }
      const times = passed.map(({ atMs }) => atMs);
      expect(times.filter((at) => at === 0).length).toBeGreaterThan(calls / 20);
      expect(mostAMinute(times)).toBeLessThanOrEqual(calls);
      expect(times.length).toBeGreaterThan(calls * 2);
    },
  );

  it('lets nearly one post a second into each channel, so that a slow request costs none', async () => {
    const { clock, passed, call } = open();
    for (const channel of ['C1', 'C2', 'C1', 'C2'])
      void call(channel, 'chat.postMessage', WORK, { channel });
    await clock.advance(5_000);
    expect(passed).toEqual([
      { name: 'C1', atMs: 0 },
      { name: 'C2', atMs: 0 },
      { name: 'C1', atMs: 1_040 },
      { name: 'C2', atMs: 1_040 },
    ]);
  });

  it('has fewer than one post in a hundred refused where requests take up to 40 ms', async () => {
    const { clock, passed, call } = open();
    const random = createRandom(3);
    for (let post = 0; post < 90; post += 1)
      void call('C1', 'chat.postMessage', WORK, { channel: 'C1' });
    await clock.advance(120_000);
    const arrivals = passed.map(({ atMs }) => atMs + random() * 40);
    const early = arrivals.filter(
      (atMs, index) => index > 0 && atMs - arrivals[index - 1]! < 1_000,
    );
    expect(arrivals).toHaveLength(90);
    expect(early).toHaveLength(0);
    expect((passed.at(-1)!.atMs - passed[0]!.atMs) / 89).toBeLessThanOrEqual(1_000 / 0.95);
  });

  it('lets answers to people go first, and keeps room for them', async () => {
    const { clock, passed, call } = open();
    for (let count = 0; count < 20; count += 1) void call('work', 'chat.update');
    void call('catch-up', 'chat.update', { level: LEVEL.background });
    await clock.advance(0);
    void call('answer', 'chat.update', ANSWERING);
    await clock.advance(0);
    expect(passed.at(-1)).toEqual({ name: 'answer', atMs: 0 });
    await clock.advance(MINUTE_MS);
    expect(passed.map(({ name }) => name).at(-1)).toBe('catch-up');
  });

  it('goes on with the highest rank among equal priorities', async () => {
    const { clock, passed, call } = open();
    void call('first', 'chat.postMessage');
    for (const rank of [1, 3, 2])
      void call(String(rank), 'chat.postMessage', { level: LEVEL.background, rank });
    await clock.advance(10_000);
    expect(passed.map(({ name }) => name)).toEqual(['first', '3', '2', '1']);
  });

  it('refuses a call where a hundred wait, with the time after which they are through', async () => {
    const { clock, call } = open();
    for (let count = 0; count < 101; count += 1)
      void call('', 'chat.postMessage').catch(() => undefined);
    await expect(call('', 'chat.postMessage')).rejects.toMatchObject({
      code: 'rate-limited',
      retryable: true,
      retryAfterMs: 104_000,
    });
    await clock.advance(2_000);
    void call('', 'chat.postMessage');
    await clock.advance(104_000);
  });

  it('drops a call that is cancelled while it waits, and lets the others go on', async () => {
    const { clock, passed, call } = open();
    void call('first', 'chat.postMessage');
    const cancelled = new AbortController();
    const waiting = call('cancelled', 'chat.postMessage', WORK, { signal: cancelled.signal });
    void call('next', 'chat.postMessage');
    cancelled.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await clock.advance(1_040);
    expect(passed.map(({ name }) => name)).toEqual(['first', 'next']);
  });

  it('waits as long as Slack says', async () => {
    const { clock, limiter, passed, call } = open();
    limiter.hold(SPACE, 'chat.update', 'C1', 30_000);
    void call('held', 'chat.update', ANSWERING);
    void call('other', 'chat.delete');
    await clock.advance(40_000);
    expect(passed).toEqual([
      { name: 'other', atMs: 0 },
      { name: 'held', atMs: 30_000 },
    ]);
  });

  it('counts the last call where a lower rate is learnt', async () => {
    const { clock, limiter, passed, call } = open();
    await call('before', 'conversations.history');
    limiter.setRate(SPACE, 'conversations.history', LIMITED_HISTORY);
    for (const name of ['one', 'two']) void call(name, 'conversations.history');
    await clock.advance(200_000);
    expect(passed.map(({ atMs }) => Math.round(atMs / 1_000))).toEqual([0, 61, 122]);
  });
});

describe('the history of a workspace', () => {
  it.each([
    { rate: RATES['conversations.replies'], most: 50 },
    { rate: LIMITED_HISTORY, most: 1 },
  ])('is read by all processes together $most times a minute', async ({ rate, most }) => {
    const clock = createTestClock(0);
    const quota = createEmbeddedQuota(clock);
    const times: number[] = [];
    for (let process = 0; process < 3; process += 1) {
      const limiter = createRateLimiter(clock, 1, quota);
      limiter.setRate(SPACE, 'conversations.replies', rate);
      for (let count = 0; count < 60; count += 1)
        void limiter
          .take(SPACE, 'conversations.replies', 'C1', WORK)
          .then(() => times.push(clock.nowMs()));
    }
    for (let second = 0; second < 180; second += 1) await clock.advance(1_000);
    expect(mostAMinute(times)).toBeLessThanOrEqual(most);
    expect(times.length).toBeGreaterThanOrEqual(2 * Math.min(most, 40));
  });
});
