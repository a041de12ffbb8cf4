import { describe, expect, it } from 'vitest';
import { createAllowance } from '../../service/allowance.ts';
import { createTestClock } from '../fakes/clock.ts';

describe('an allowance', () => {
  it('gives so much at once, and then as much as comes in time', async () => {
    const clock = createTestClock();
    const { take } = createAllowance(clock, { most: 2, perSecond: 0.5 });
    expect([take(1), take(1), take(1)]).toEqual([true, true, false]);
    await clock.advance(1_999);
    expect(take(1)).toBe(false);
    await clock.advance(1);
    expect([take(1), take(1)]).toEqual([true, false]);
  });

  it('is never more than what may come at once', async () => {
    const clock = createTestClock();
    const { take } = createAllowance(clock, { most: 2, perSecond: 100 });
    await clock.advance(60_000);
    expect([take(2), take(1)]).toEqual([true, false]);
  });

  it('tells the time until there is enough', async () => {
    const clock = createTestClock();
    const { take, waitMs } = createAllowance(clock, { most: 1, perSecond: 0.4 });
    expect(waitMs(1)).toBe(0);
    take(1);
    expect(waitMs(1)).toBe(2_500);
    await clock.advance(780);
    expect(waitMs(1)).toBeCloseTo(1_720);
    await clock.advance(1_720);
    expect(waitMs(1)).toBe(0);
  });
});
