import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { createTrouble } from '../../../src/voice/listeners.ts';
import { createTestClock } from '../../fakes/clock.ts';

const busy = new AppError('rate-limited', 'slow down', { retryable: true });

const setUp = () => {
  const clock = createTestClock();
  const told: string[] = [];
  const trouble = createTrouble({
    clock,
    show: ({ code }) => void told.push(code),
    over: (wasShown) => void told.push(wasShown ? 'over' : 'quietly over'),
  });
  return { clock, told, trouble };
};

describe('trouble of recognition', () => {
  it('that comes and goes is not shown', async () => {
    const { clock, told, trouble } = setUp();
    for (let times = 0; times < 12; times += 1) {
      trouble.report(busy);
      await clock.advance(2_000);
      trouble.report(undefined);
      await clock.advance(2_000);
    }
    expect(told).toEqual([]);
    await clock.advance(10_000);
    expect(told).toEqual(['quietly over']);
  });

  it('that lasts is shown once, and is over when recognition works for a while', async () => {
    const { clock, told, trouble } = setUp();
    for (let times = 0; times < 6; times += 1) {
      trouble.report(busy);
      await clock.advance(4_000);
      trouble.report(undefined);
      await clock.advance(4_000);
    }
    expect(told).toEqual(['rate-limited']);
    await clock.advance(6_000);
    expect(told).toEqual(['rate-limited', 'over']);
    trouble[Symbol.dispose]();
    expect(clock.waiting).toBe(0);
  });
});
