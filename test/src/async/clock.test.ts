import { describe, expect, it } from 'vitest';
import { realClock, sleep, waitUntil } from '../../../src/async/clock.ts';
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
