import { describe, expect, it, onTestFinished } from 'vitest';
import { realClock, type Clock } from '../../../../src/async/clock.ts';
import { createLog } from '../../../../src/telemetry/log.ts';
import type { ShareOptions, Tenure, Work } from '../../../../src/ports/processes.ts';
import { openPostgresLeases } from '../../../../src/store/postgres/leases.ts';
import { openSession } from '../../../../src/store/postgres/session.ts';
import { makeDatabase } from '../../../fakes/database.ts';
import { onServer } from '../../../fakes/on-server.ts';

const log = createLog('silent');

/** A process with leases. */
const openProcess = async (url: string, part: { clock?: Clock; wallMs?: () => number } = {}) => {
  const clock = part.clock ?? realClock;
  const connect = () => openSession({ url, log, clock, random: Math.random });
  const [session, spare, pool] = [await connect(), await connect(), await connect()];
  const looks = { count: 0 };
  const leases = await openPostgresLeases({
    session,
    spare,
    query: async (text, values) => {
      if (text.includes('AS members')) looks.count += 1;
      return pool.query(text, values);
    },
    relaxedQuery: pool.query,
    log,
    clock,
    wallMs: Date.now,
    random: Math.random,
    ...part,
  });
  onTestFinished(async () => {
    await leases[Symbol.asyncDispose]();
    for (const each of [session, spare, pool]) await each[Symbol.asyncDispose]();
  });
  return { session, leases, looks };
};

/** Has every lease of a process end, by the database's clock. */
const expire = (url: string, owner: string): Promise<void> =>
  onServer(url, `UPDATE lease SET expires_ms = 0 WHERE owner = '${owner}'`);

/** A process that shares a set, with what it holds and hears. */
const sharing = async (url: string, size: number, options?: ShareOptions) => {
  const given = await openProcess(url);
  const held = new Map<string, Tenure>();
  const heard: string[] = [];
  const ended: string[] = [];
  const begin = (tenure: Tenure): Work => {
    held.set(tenure.name, tenure);
    tenure.signal.addEventListener('abort', () => held.delete(tenure.name));
    return {
      hear: (message) => void heard.push(`${tenure.name} ${message}`),
      [Symbol.asyncDispose]: async () => void ended.push(tenure.name),
    };
  };
  const share = given.leases.share('thing', size, begin, options);
  onTestFinished(async () => share[Symbol.asyncDispose]());
  return { ...given, held, heard, ended, share };
};

const names = (size: number): string[] =>
  Array.from({ length: size }, (_, index) => `thing:${index}`).toSorted();

const never = (): AbortSignal => new AbortController().signal;

describe('a set that processes share', () => {
  it('is held whole by the only one', async () => {
    const one = await sharing(await makeDatabase(), 8);
    await expect.poll(() => [...one.held.keys()].toSorted()).toEqual(names(8));
  });

  it('is held in equal parts, each name by one process, and whole again when one leaves', async () => {
    const url = await makeDatabase();
    const processes = [await sharing(url, 10), await sharing(url, 10), await sharing(url, 10)];
    await expect
      .poll(() => processes.map(({ held }) => held.size).toSorted((a, b) => a - b))
      .toEqual([3, 3, 4]);
    const all = processes.flatMap(({ held }) => [...held.keys()]);
    expect(all.toSorted()).toEqual(names(10));
    const [leaving, ...staying] = processes;
    await leaving!.share[Symbol.asyncDispose]();
    await expect.poll(() => staying.map(({ held }) => held.size)).toEqual([5, 5]);
    expect(leaving!.held.size).toBe(0);
  });

  it('is left to the others by a process that claims no more, which keeps what it has', async () => {
    const url = await makeDatabase();
    const processes = [
      await sharing(url, 6),
      await sharing(url, 6),
      await sharing(url, 6),
    ] as const;
    await expect.poll(() => processes.map(({ held }) => held.size)).toEqual([2, 2, 2]);
    const [ending, leaving, staying] = processes;
    const kept = [...ending.held.values()];
    ending.share.stopClaiming();
    await leaving.share[Symbol.asyncDispose]();
    await expect.poll(() => staying.held.size).toBe(4);
    expect([...ending.held.values()]).toEqual(kept);
    expect(kept.map((tenure) => tenure.isHeld())).toEqual([true, true]);
    await ending.share[Symbol.asyncDispose]();
    await expect.poll(() => [...staying.held.keys()].toSorted()).toEqual(names(6));
  });

  it('is given to a process that joins from those that another has had longest', async () => {
    const url = await makeDatabase();
    const [staying, leaving] = [await sharing(url, 4), await sharing(url, 4)];
    await expect.poll(() => [staying.held.size, leaving.held.size]).toEqual([2, 2]);
    const first = [...staying.held.keys()].toSorted();
    await leaving.share[Symbol.asyncDispose]();
    await expect.poll(() => staying.held.size).toBe(4);
    const joining = await sharing(url, 4);
    await expect.poll(() => joining.held.size).toBe(2);
    expect([...joining.held.keys()].toSorted()).toEqual(first);
  });

  it('is not given to a process that joins while its holder is to keep what it has just taken', async () => {
    const url = await makeDatabase();
    const holding = await sharing(url, 4, { holdMs: Infinity });
    await expect.poll(() => holding.held.size).toBe(4);
    const joining = await sharing(url, 4);
    await expect.poll(() => joining.looks.count).toBeGreaterThan(0);
    const before = holding.looks.count;
    await expect.poll(() => holding.looks.count).toBeGreaterThan(before + 2);
    expect([holding.held.size, joining.held.size]).toEqual([4, 0]);
    await holding.share[Symbol.asyncDispose]();
    await expect.poll(() => joining.held.size).toBe(4);
  });

  it('is divided among all who join before its first names are claimed, so that none moves', async () => {
    const url = await makeDatabase();
    // Both join within this time, however busy the machine is.
    const options = { joinMs: 5_000 };
    const join = async () => sharing(url, 4, options);
    const [one, other] = await Promise.all([join(), join()]);
    await expect.poll(() => [one.held.size, other.held.size]).toEqual([2, 2]);
    const epochs = [one, other].flatMap(({ held }) => [...held.values()]).map(({ epoch }) => epoch);
    expect(epochs).toEqual([1, 1, 1, 1]);
  });

  it('that is about to end goes to a process that joins only when no other one has a part', async () => {
    const url = await makeDatabase();
    const one = await sharing(url, 4);
    await expect.poll(() => one.held.size).toBe(4);
    const joining = await sharing(url, 4, { isEnding: true });
    await expect.poll(() => joining.looks.count).toBeGreaterThan(1);
    const before = one.looks.count;
    await expect.poll(() => one.looks.count).toBeGreaterThan(before + 1);
    expect([one.held.size, joining.held.size]).toEqual([4, 0]);
    await one.share[Symbol.asyncDispose]();
    await expect.poll(() => joining.held.size).toBe(4);
  });

  it('has its holders told, whoever tells', async () => {
    const url = await makeDatabase();
    const [one, other] = [await sharing(url, 2), await sharing(url, 2)];
    await expect.poll(() => [one.held.size, other.held.size]).toEqual([1, 1]);
    for (const name of names(2)) one.leases.tell(name, 'hello');
    const hearers = [one, other].map(({ held }) => [`${[...held.keys()][0]} hello`]);
    await expect.poll(() => [one.heard, other.heard]).toEqual(hearers);
  });

  it('has its holder told also where the database’s clock was set forward beyond the lease', async () => {
    const url = await makeDatabase();
    const one = await sharing(url, 1);
    await expect.poll(() => one.held.size).toBe(1);
    await onServer(url, `UPDATE lease SET expires_ms = 1`);
    one.leases.tell('thing:0', 'hello');
    await expect.poll(() => one.heard).toEqual(['thing:0 hello']);
  });

  it('goes to another when a process says nothing more, each name in a later tenure', async () => {
    const url = await makeDatabase();
    const [one, other] = [await sharing(url, 4), await sharing(url, 4)];
    await expect.poll(() => [one.held.size, other.held.size]).toEqual([2, 2]);
    const before = new Map(one.held);
    await one.session[Symbol.asyncDispose]();
    await expire(url, one.leases.owner);
    await expect.poll(() => [...other.held.keys()].toSorted()).toEqual(names(4));
    for (const [name, { epoch }] of before)
      expect(other.held.get(name)!.epoch).toBeGreaterThan(epoch);
    await expect.poll(() => one.held.size).toBe(0);
  });
});

describe('a lease', () => {
  it('is held by one process at a time, and passed on at its release', async () => {
    const url = await makeDatabase();
    const [one, other] = [await openProcess(url), await openProcess(url)];
    const first = await one.leases.acquire('room', never());
    const second = other.leases.acquire('room', never());
    await first.release();
    const { epoch } = await second;
    expect([first.isHeld(), epoch]).toEqual([false, first.epoch + 1]);
  });

  it('is lost where another process has it meanwhile', async () => {
    const url = await makeDatabase();
    const [one, other] = [await openProcess(url), await openProcess(url)];
    const first = await one.leases.acquire('room', never());
    await onServer(url, `UPDATE lease SET expires_ms = 0`);
    const second = await other.leases.acquire('room', never());
    await expect.poll(() => first.signal.aborted).toBe(true);
    expect(() => first.assertHeld()).toThrow(expect.objectContaining({ code: 'cancelled' }));
    expect(second.isHeld()).toBe(true);
  });

  it('is not acted upon by a process that was frozen, before it could hear of its loss', async () => {
    let frozenMs = 0;
    const nowMs = (): number => realClock.nowMs() + frozenMs;
    const { leases } = await openProcess(await makeDatabase(), { clock: { ...realClock, nowMs } });
    const tenure = await leases.acquire('room', never());
    expect(tenure.isHeld()).toBe(true);
    frozenMs = 4_000;
    expect(tenure.isHeld()).toBe(false);
  });

  it('is not acted upon after the machine was asleep, whose monotonic clock stood still', async () => {
    let asleepMs = 0;
    const { leases } = await openProcess(await makeDatabase(), {
      wallMs: () => Date.now() + asleepMs,
    });
    const tenure = await leases.acquire('room', never());
    asleepMs = 60_000;
    expect(tenure.isHeld()).toBe(false);
  });
});
