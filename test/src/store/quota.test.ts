import { describe, expect, it } from 'vitest';
import { realClock } from '../../../src/async/clock.ts';
import type { Quota } from '../../../src/ports/quota.ts';
import { createEmbeddedQuota } from '../../../src/store/embedded-quota.ts';
import { createQuota } from '../../../src/store/quota.ts';
import { createTestClock } from '../../fakes/clock.ts';
import { makeDatabase, openTestStore } from '../../fakes/database.ts';

const SLOW = { perSecond: 0.001, burst: 5 };

const takeAll = async (quota: Quota, name: string): Promise<number> => {
  let taken = 0;
  while (await quota.tryTake(name, SLOW)) taken += 1;
  return taken;
};

describe('a rate', () => {
  it('gives a burst, and then one use after the other', async () => {
    const quota = createEmbeddedQuota(realClock);
    expect(await takeAll(quota, 'one')).toBe(5);
    expect(await takeAll(quota, 'other')).toBe(5);
  });

  it('is one for all processes on PostgreSQL', async () => {
    const url = await makeDatabase();
    const stores = [await openTestStore(url), await openTestStore(url)];
    const all = Array.from({ length: 20 }, (_, index) => stores[index % 2]!);
    const given = await Promise.all(all.map(({ quota }) => quota.tryTake('x', SLOW)));
    expect(given.filter(Boolean)).toHaveLength(5);
    expect(await takeAll(stores[0]!.quota, 'x')).toBe(0);
    const fast = { perSecond: 200, burst: 1 };
    const beganMs = performance.now();
    await Promise.all(all.map(({ quota }) => quota.take('y', fast)));
    expect(performance.now() - beganMs).toBeGreaterThan(90);
  });

  it('leaves out those who wait no more', async () => {
    const quota = createEmbeddedQuota(realClock);
    await takeAll(quota, 'one');
    const gone = new AbortController();
    const waiting = quota.take('one', SLOW, gone.signal);
    gone.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
  });

  it('is waited for while the database is away, for a minute', async () => {
    const clock = createTestClock();
    let isAway = true;
    const quota = createQuota(async (_, __, wanted) => {
      if (isAway) throw new Error('away');
      return { granted: wanted, waitMs: 0 };
    }, clock);
    const short = quota.take('x', SLOW);
    await clock.advance(30_000);
    isAway = false;
    await clock.advance(1_000);
    await short;
    isAway = true;
    const long = quota.take('x', SLOW);
    const outcome = expect(long).rejects.toThrow('away');
    await clock.advance(61_000);
    await outcome;
  });
});
