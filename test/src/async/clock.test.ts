import { describe, expect, it } from 'vitest';
import { backoffMs, realClock, sleep, waitUntil } from '../../../src/async/clock.ts';
import { createTestClock } from '../../fakes/clock.ts';

describe('sleep', () => {
  it('lasts as long as it is to', async () => {
    const clock = createTestClock();
    let isOver = false;
    void sleep(clock, 1_000).then(() => (isOver = true));
    await clock.advance(999);
    expect(isOver).toBe(false);
    await clock.advance(1);
    expect(isOver).toBe(true);
  });

  it('ends with the signal, and leaves no timer', async () => {
    const clock = createTestClock();
    const stop = new AbortController();
    const sleeping = sleep(clock, 1_000, stop.signal);
    stop.abort(new Error('awake'));
    await expect(sleeping).rejects.toThrow('awake');
    expect(clock.waiting).toBe(0);
  });
});

describe('waiting until a time', () => {
  it('ends when what is waited for has happened', async () => {
    const clock = createTestClock();
    await waitUntil(clock, clock.nowMs() + 1_000, Promise.resolve());
    expect(clock.waiting).toBe(0);
    const failed = waitUntil(clock, clock.nowMs() + 1_000, Promise.reject(new Error('broken')));
    await expect(failed).rejects.toThrow('broken');
  });

  it('ends at that time otherwise', async () => {
    const clock = createTestClock();
    const waiting = waitUntil(clock, clock.nowMs() + 1_000, new Promise(() => {}));
    await clock.advance(1_000);
    await waiting;
  });
});

it('the real clock calls back, unless that was taken back', async () => {
  const called: string[] = [];
  realClock.after(0, () => called.push('taken back'))();
  await new Promise<void>((resolve) => {
    realClock.after(-5, resolve);
  });
  expect(called).toEqual([]);
  expect(realClock.nowMs()).toBeLessThanOrEqual(realClock.nowMs());
});

describe('a backoff', () => {
  const backoff = { firstMs: 1_000, longestMs: 5_000 };

  it('waits double up to the longest', () => {
    expect([0, 1, 2, 3, 2_000].map((attempt) => backoffMs(backoff, attempt))).toEqual([
      1_000, 2_000, 4_000, 5_000, 5_000,
    ]);
  });

  it('is a random share of the span', () => {
    const shares = [0, 0.25, 0.5];
    const random = (): number => shares.shift() ?? 0;
    const waits = [0, 1, 5].map((attempt) => backoffMs({ ...backoff, random }, attempt));
    expect(waits).toEqual([0, 500, 2_500]);
  });

  it('is at least the wait that the other side asked for', () => {
    expect(backoffMs(backoff, 0, 7_000)).toBe(7_000);
    expect(backoffMs(backoff, 1, 500)).toBe(2_000);
    expect(backoffMs({ ...backoff, random: () => 0 }, 3, 500)).toBe(500);
  });
});
