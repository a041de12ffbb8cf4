import { describe, expect, it } from 'vitest';
import { createLatencyTracker } from '../../../../src/voice/stt/recognition-queue.ts';

describe('patience with a service', () => {
  it('begins again with each answer, and with each probe', () => {
    let now = 1_000;
    const patience = createLatencyTracker(() => now);
    expect(patience.probeAtMs(1_000)).toBe(9_000);
    now = 4_000;
    patience.settled();
    expect(patience.probeAtMs(1_000)).toBe(12_000);
    now = 12_000;
    patience.probed();
    expect(patience.probeAtMs(1_000)).toBe(20_000);
    expect(patience.probeAtMs(13_000)).toBe(21_000);
  });

  it('is longer with one that is slow', () => {
    let now = 0;
    const patience = createLatencyTracker(() => now);
    now = 9_000;
    expect(patience.hangs(0)).toBe(true);
    patience.succeeded(5_000);
    expect([patience.hangs(0), patience.limitMs]).toEqual([false, 17_000]);
  });
});
