import { describe, expect, it } from 'vitest';
import { realClock } from '../../../src/async/clock.ts';
import type { Quota } from '../../../src/ports/processes.ts';
import { createEmbeddedQuota, createQuota, type QuotaRows } from '../../../src/store/quota.ts';
import { createTestClock } from '../../fakes/clock.ts';
import { makeDatabase, openTestStore } from '../../fakes/database.ts';
import { onServer } from '../../fakes/on-server.ts';

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

  it('is asked for again at least every second, however long the wait is said to be', async () => {
    const clock = createTestClock();
    let waitMs = 3_600_000;
    const grant: QuotaRows['grant'] = async () => ({ granted: waitMs > 0 ? 0 : 1, waitMs });
    const taken = createQuota({ grant, hold: async () => {} }, clock).take('x', SLOW);
    await clock.advance(5_000);
    waitMs = 0;
    await clock.advance(1_000);
    await taken;
  });

  it('goes on at once with half a burst where the database’s clock was set back', async () => {
    const url = await makeDatabase();
    const { quota } = await openTestStore(url);
    expect(await takeAll(quota, 'x')).toBe(5);
    await onServer(url, 'UPDATE quota SET used_until_us = used_until_us + 3600000000');
    expect(await takeAll(quota, 'x')).toBe(2);
  });

  it('is held for all processes, and no longer than ten seconds', async () => {
    const url = await makeDatabase();
    const [one, other] = [await openTestStore(url), await openTestStore(url)];
    const fast = { perSecond: 1_000, burst: 5 };
    expect(await one.quota.tryTake('x', fast)).toBe(true);
    await one.quota.hold('x', 3_600_000);
    expect(await other.quota.tryTake('x', fast)).toBe(false);
    expect(await one.quota.tryTake('x', fast)).toBe(false);
    const ago = 'UPDATE quota SET used_until_us = used_until_us - 10000000';
    await onServer(url, ago);
    await other.quota.take('x', fast);
    await one.quota.hold('new', 5_000);
    expect(await other.quota.tryTake('new', fast)).toBe(false);
  });

  it('is held in a process alone too', async () => {
    const clock = createTestClock();
    const quota = createEmbeddedQuota(clock);
    await quota.hold('x', 3_600_000);
    await quota.hold('x', -1);
    await clock.advance(9_999);
    expect(await quota.tryTake('x', { perSecond: 1_000, burst: 5 })).toBe(false);
    await clock.advance(2);
    expect(await quota.tryTake('x', { perSecond: 1_000, burst: 5 })).toBe(true);
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
    const grant: QuotaRows['grant'] = async (_, __, wanted) => {
      if (isAway) throw new Error('away');
      return { granted: wanted, waitMs: 0 };
    };
    const quota = createQuota({ grant, hold: async () => {} }, clock);
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
