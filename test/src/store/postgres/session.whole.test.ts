import { describe, expect, it, onTestFinished } from 'vitest';
import { realClock, type Clock } from '../../../../src/async/clock.ts';
import { createLog } from '../../../../src/telemetry/log.ts';
import { openSession } from '../../../../src/store/postgres/session.ts';
import { makeDatabase } from '../../../fakes/database.ts';
import { startPostgresProxy } from '../../../fakes/postgres-proxy.ts';

/** Longest wait for an answer: twice the time of a lease. */
const ANSWER_MS = 8_000;

/** A session through a proxy, whose waits for answers end by hand. */
const openThroughProxy = async () => {
  const proxy = await startPostgresProxy(await makeDatabase());
  onTestFinished(async () => proxy[Symbol.asyncDispose]());
  const waits = new Set<() => void>();
  const clock: Clock = {
    ...realClock,
    after: (ms, run) => {
      if (ms !== ANSWER_MS) return realClock.after(ms, run);
      waits.add(run);
      return () => void waits.delete(run);
    },
  };
  const log = createLog('silent');
  const session = await openSession({ url: proxy.url, log, clock, random: () => 0 });
  onTestFinished(async () => session[Symbol.asyncDispose]());
  return { proxy, session, waits };
};

describe('a connection of leases', () => {
  it('that is half open is made anew after the time of two leases', async () => {
    const { proxy, session, waits } = await openThroughProxy();
    let reconnected = 0;
    session.onReconnect(() => (reconnected += 1));
    proxy.stall();
    const asked = session.query('SELECT 1', []);
    await expect.poll(() => waits.size).toBe(1);
    for (const end of waits) end();
    await expect(asked).rejects.toMatchObject({ code: 'unavailable', retryable: true });
    proxy.mend();
    await expect.poll(() => reconnected).toBe(1);
    expect(await session.query('SELECT 1 AS one', [])).toEqual([{ one: 1 }]);
    expect(waits.size).toBe(0);
  });

  it('that is closed while it is made anew is left open nowhere', async () => {
    const { proxy, session } = await openThroughProxy();
    proxy.cut();
    await expect.poll(() => session.isConnected()).toBe(false);
    await expect.poll(proxy.open).toBe(0);
    proxy.mend();
    proxy.stall();
    await expect.poll(proxy.open).toBe(1);
    await session[Symbol.asyncDispose]();
    proxy.mend();
    await expect.poll(proxy.open).toBe(0);
    expect(session.isConnected()).toBe(false);
  });

  it.each([
    [0.25, [25, 50, 100]],
    [1, [100, 200, 400]],
  ])(
    'is made anew by one try at a time, after waits of a random part: %s',
    async (share, waits) => {
      const proxy = await startPostgresProxy(await makeDatabase());
      onTestFinished(async () => proxy[Symbol.asyncDispose]());
      const waiting: (readonly [ms: number, end: () => void])[] = [];
      const clock: Clock = {
        ...realClock,
        after: (ms, run) => {
          if (ms !== ANSWER_MS) waiting.push([ms, run]);
          return () => undefined;
        },
      };
      const log = createLog('silent');
      const session = await openSession({ url: proxy.url, log, clock, random: () => share });
      onTestFinished(async () => session[Symbol.asyncDispose]());
      let reconnected = 0;
      session.onReconnect(() => (reconnected += 1));
      const asked = [1, 2, 3].map(async () => session.query('SELECT 1', []));
      proxy.cut();
      await Promise.allSettled(asked);
      for (const at of waits.keys()) {
        await expect.poll(() => waiting.length).toBeGreaterThan(at);
        expect(waiting.map(([ms]) => ms)).toEqual(waits.slice(0, at + 1));
        if (at === waits.length - 1) proxy.mend();
        waiting[at]?.[1]();
      }
      expect(waiting.map(([ms]) => ms)).toEqual(waits);
      await expect.poll(() => reconnected).toBe(1);
      expect(proxy.open()).toBe(1);
    },
  );
});
