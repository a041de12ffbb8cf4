import { describe, expect, it } from 'vitest';
import { createSemaphore } from '../../../src/async/semaphore.ts';

describe('slots', () => {
  it('let so many in at once, and the others in their order, whatever becomes of those before', async () => {
    const slots = createSemaphore(2);
    const begun: number[] = [];
    let within = 0;
    let most = 0;
    const results = await Promise.allSettled(
      Array.from({ length: 7 }, (_, index) =>
        slots.use(async () => {
          begun.push(index);
          within += 1;
          most = Math.max(most, within);
          await new Promise(setImmediate);
          within -= 1;
          if (index === 1) throw new Error('broken');
          return index;
        }),
      ),
    );
    expect(most).toBe(2);
    expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  });

  it('can be used again when all were idle', async () => {
    const slots = createSemaphore(1);
    for (const expected of [1, 2, 3]) expect(await slots.use(async () => expected)).toBe(expected);
  });
});
