import { describe, expect, it } from 'vitest';
import { createCachedLook } from '../../../src/async/cached-look.ts';

const start = (look: (number: number) => Promise<number>) => {
  const clock = { ms: 0, nowMs: () => clock.ms };
  let looks = 0;
  const remembered = createCachedLook(() => look((looks += 1)), 1_000, clock);
  return { clock, remembered };
};

describe('a remembered look', () => {
  it('counts for its time', async () => {
    const { clock, remembered } = start(async (number) => number);
    expect(await remembered()).toBe(1);
    clock.ms = 999;
    expect(await remembered()).toBe(1);
    clock.ms = 1_000;
    expect(await remembered()).toBe(2);
  });

  it('is taken once at a time, however long it takes', async () => {
    const gate = Promise.withResolvers<number>();
    const { clock, remembered } = start(() => gate.promise);
    const first = remembered();
    clock.ms = 60_000;
    const second = remembered();
    gate.resolve(7);
    expect(await Promise.all([first, second])).toEqual([7, 7]);
  });

  it('that fails fails for its time, too', async () => {
    const { clock, remembered } = start(async (number) => {
      if (number === 1) throw new Error('away');
      return number;
    });
    await expect(remembered()).rejects.toThrow('away');
    await expect(remembered()).rejects.toThrow('away');
    clock.ms = 1_000;
    expect(await remembered()).toBe(2);
  });
});
