import { describe, expect, it } from 'vitest';
import {
  createConcurrencyLimit,
  createLatencyTracker,
} from '../../../../src/voice/stt/service-pace.ts';

describe('patience with a service', () => {
  it('begins again with each answer, and with each probe', () => {
    let now = 1_000;
    const patience = createLatencyTracker(() => now);
    expect(patience.probeAtMs(1_000, 8_000)).toBe(9_000);
    now = 4_000;
    patience.settled();
    expect(patience.probeAtMs(1_000, 8_000)).toBe(12_000);
    now = 12_000;
    patience.probed();
    expect(patience.probeAtMs(1_000, 8_000)).toBe(20_000);
    expect(patience.probeAtMs(13_000, 8_000)).toBe(21_000);
  });

  it('is longer with one that is slow', () => {
    let now = 0;
    const patience = createLatencyTracker(() => now);
    now = 9_000;
    expect(patience.limitMs(0)).toBe(8_000);
    patience.succeeded(5_000);
    expect(patience.limitMs(0)).toBe(17_000);
  });

  it('is longer for long sound, as long as nothing is known', () => {
    const patience = createLatencyTracker(() => 0);
    expect(patience.limitMs(20_000)).toBeGreaterThan(patience.limitMs(2_000));
    patience.succeeded(-1_000);
    expect(patience.limitMs(20_000)).toBe(patience.limitMs(2_000));
  });
});

describe('the limit of requests at once', () => {
  /** The limit after calls of a service, whose time depends on how many run. */
  const after = (timeOf: (running: number) => number, calls = 40): number => {
    const limit = createConcurrencyLimit(8);
    for (let call = 0; call < calls; call += 1) {
      const running = call === 0 ? 1 : limit.atOnce;
      limit.took(timeOf(running), 3_000, running);
    }
    return limit.atOnce;
  };

  it('grows with a service that works on them side by side', () => {
    expect(after(() => 1_300)).toBe(8);
  });

  it('falls to one or two with a service that works on them one after the other', () => {
    expect(after((running) => 1_300 * running)).toBeLessThanOrEqual(2);
  });

  it('finds the number of workers, about', () => {
    const limit = after((running) => 1_300 * Math.max(1, running / 4));
    expect(limit).toBeGreaterThanOrEqual(4);
    expect(limit).toBeLessThanOrEqual(5);
  });

  it('is never more than what it may be', () => {
    const limit = createConcurrencyLimit(1);
    for (let call = 0; call < 5; call += 1) limit.took(1_000, 0, 1);
    expect(limit.atOnce).toBe(1);
  });
});
