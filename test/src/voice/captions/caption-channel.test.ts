import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEditPace } from '../../../../src/voice/captions/caption-channel.ts';

const RATE = { count: 4, windowMs: 5_000 };

describe('a pace', () => {
  it('lets what is urgent out at once, as long as the platform takes it', () => {
    const pace = createEditPace(RATE);
    for (const atMs of [0, 10, 20, 30]) {
      expect(pace.freeAtMs(atMs, true)).toBe(atMs);
      pace.used(atMs);
    }
    expect(pace.freeAtMs(40, true)).toBe(5_000);
  });

  it('leaves some for what is urgent', () => {
    const pace = createEditPace(RATE);
    for (const atMs of [0, 1_000]) pace.used(atMs);
    expect(pace.freeAtMs(2_000, false)).toBe(5_000);
    expect(pace.freeAtMs(2_000, true)).toBe(2_000);
  });

  it('lets something out at all where the platform takes little', () => {
    const pace = createEditPace({ count: 1, windowMs: 1_000 });
    expect(pace.freeAtMs(0, false)).toBe(0);
    pace.used(0);
    expect([true, false].map((isUrgent) => pace.freeAtMs(0, isUrgent))).toEqual([1_000, 1_000]);
  });

  it('is never more than the platform takes', () => {
    const wishes = fc.array(fc.tuple(fc.nat(3_000), fc.boolean()), { maxLength: 60 });
    fc.assert(
      fc.property(wishes, (all) => {
        const pace = createEditPace(RATE);
        const sent: number[] = [];
        let nowMs = 0;
        for (const [laterMs, isUrgent] of all) {
          nowMs = pace.freeAtMs(nowMs + laterMs, isUrgent);
          pace.used(nowMs);
          sent.push(nowMs);
          const recent = sent.filter((atMs) => nowMs - atMs < RATE.windowMs);
          expect(recent.length).toBeLessThanOrEqual(RATE.count);
        }
      }),
    );
  });
});
