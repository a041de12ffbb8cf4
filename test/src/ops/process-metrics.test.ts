import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../src/async/clock.ts';
import { measureEventLoop, startHeartbeat } from '../../../src/ops/process-metrics.ts';
import { createMetrics } from '../../../src/ops/metrics.ts';
import { createTestClock } from '../../fakes/clock.ts';

/** A clock whose event loop can stall: time passes, and what is due runs only afterwards. */
const createStallingClock = () => {
  const clock = createTestClock();
  let aheadMs = 0;
  const stalling: Clock = { ...clock, nowMs: () => clock.nowMs() + aheadMs };
  return {
    clock: stalling,
    advance: async (ms: number) => clock.advance(ms),
    stall: (ms: number) => {
      aheadMs += ms;
    },
  };
};

describe('the heartbeat', () => {
  it('goes on while the event loop turns', async () => {
    const { clock, advance } = createStallingClock();
    using heart = startHeartbeat(clock);
    for (let second = 0; second < 60; second += 1) {
      await advance(1_000);
      expect(heart.isStalled()).toBe(false);
    }
  });

  it('tells of a stall while it lasts, and to requests that waited through it', async () => {
    const { clock, advance, stall } = createStallingClock();
    using heart = startHeartbeat(clock);
    stall(6_000);
    expect(heart.isStalled()).toBe(true);
    await advance(1_000);
    expect(heart.isStalled()).toBe(true);
    await advance(1_000);
    expect(heart.isStalled()).toBe(false);
  });

  it('forgives a pause of a few seconds', async () => {
    const { clock, advance, stall } = createStallingClock();
    using heart = startHeartbeat(clock);
    stall(3_000);
    await advance(1_000);
    expect(heart.isStalled()).toBe(false);
  });

  it('leaves no timer behind', () => {
    const clock = createTestClock();
    startHeartbeat(clock)[Symbol.dispose]();
    expect(clock.waiting).toBe(0);
  });
});

describe('the delay of the event loop', () => {
  const start = () => {
    const clock = createTestClock();
    const metrics = createMetrics();
    const delays = { ms: 0, count: 0 };
    const measuring = measureEventLoop(metrics, clock, {
      enable: () => true,
      disable: () => true,
      reset: () => Object.assign(delays, { ms: 0, count: 0 }),
      percentile: () => (delays.ms * 1e6) / 2,
      get max() {
        return delays.ms * 1e6;
      },
      get count() {
        return delays.count;
      },
    });
    return {
      clock,
      measuring,
      delay: (ms: number) => Object.assign(delays, { ms, count: 1 }),
      longest: async () =>
        Number(/delay_seconds\{quantile="1"\} (.+)/.exec(await metrics.text())?.[1]),
    };
  };

  it('is the time beyond that between two samples', async () => {
    const { delay, longest } = start();
    expect(await longest()).toBe(0);
    delay(350);
    expect(await longest()).toBeCloseTo(0.3);
    delay(49);
    expect(await longest()).toBe(0);
  });

  it('is told for the minute after it, however often it is asked for', async () => {
    const { clock, delay, longest } = start();
    delay(1_050);
    await clock.advance(60_000);
    delay(60);
    for (const _ of [1, 2, 3]) expect(await longest()).toBeCloseTo(1);
    await clock.advance(60_000);
    expect(await longest()).toBeCloseTo(0.01);
  });

  it('is measured no more once the program ends', () => {
    const { clock, measuring } = start();
    measuring[Symbol.dispose]();
    expect(clock.waiting).toBe(0);
  });
});
