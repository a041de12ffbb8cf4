import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createCatchUpHolds } from '../../../src/autotranslate/catch-up-holds.ts';
import type { Tenure } from '../../../src/ports/processes.ts';
import { createOwedHistories } from '../../../src/store/channels/histories.ts';
import { channel } from '../../fakes/channel-feed.ts';
import { makeDatabase, openTestStore } from '../../fakes/database.ts';

const GROUP = 'group:g>backfill';
const CHANNEL = channel('general');

/** A process that can hold partitions. */
const openProcess = async (url: string, now = Date.now) => {
  const store = await openTestStore(url);
  const { leases } = store;
  const noted: string[] = [];
  const holds = createCatchUpHolds({
    leases,
    owed: createOwedHistories(store, now),
    now,
    scheduler: {
      hold: (partition) => {
        noted.push(`hold ${partition}`);
        return { [Symbol.dispose]: () => void noted.push(`let go ${partition}`) };
      },
      wake: (partition) => void noted.push(`wake ${partition}`),
    },
  });
  return { holds, noted };
};

it('a partition that one process holds is on hold in the others, until all have let it go', async () => {
  const url = await makeDatabase();
  const [one, other] = [await openProcess(url), await openProcess(url)];
  expect(await other.holds.isOnHold(GROUP)).toBe(false);
  const [first, second] = [one.holds.hold(GROUP, CHANNEL), other.holds.hold(GROUP, CHANNEL)];
  expect(one.noted).toEqual([`hold ${GROUP}`]);
  await expect.poll(() => other.holds.isOnHold(GROUP)).toBe(true);
  expect(await other.holds.isOnHold('group:another')).toBe(false);
  await expect.poll(() => one.holds.isOnHold(GROUP)).toBe(true);
  await first.end(true);
  await expect.poll(() => one.noted).toEqual([`hold ${GROUP}`, `let go ${GROUP}`, `wake ${GROUP}`]);
  expect(await one.holds.isOnHold(GROUP)).toBe(true);
  await second.end(true);
  await expect.poll(() => one.holds.isOnHold(GROUP)).toBe(false);
});

it('a hold tells when the others heed it, and lasts until all who want it have let it go', async () => {
  const url = await makeDatabase();
  const [one, other] = [await openProcess(url), await openProcess(url)];
  const holds = [one.holds.hold(GROUP, CHANNEL), one.holds.hold(GROUP, CHANNEL)];
  await Promise.all(holds.map(({ inEffect }) => inEffect));
  expect(await other.holds.isOnHold(GROUP)).toBe(true);
  for (const each of [0, 0, 1]) {
    expect(await other.holds.isOnHold(GROUP)).toBe(true);
    await holds[each]!.end(true);
  }
  await expect.poll(() => other.holds.isOnHold(GROUP)).toBe(false);
  expect(one.noted).toEqual([`hold ${GROUP}`, `let go ${GROUP}`, `wake ${GROUP}`]);
});

it('a partition stays on hold after the end of the process that held it, until another has read the history', async () => {
  const url = await makeDatabase();
  const [one, other] = [await openProcess(url), await openProcess(url)];
  const hold = one.holds.hold(GROUP, CHANNEL);
  await hold.inEffect;
  await hold.end(false);
  expect(await other.holds.isOnHold(GROUP)).toBe(true);
  const again = other.holds.hold(GROUP, CHANNEL);
  await again.inEffect;
  await again.end(true);
  expect(await one.holds.isOnHold(GROUP)).toBe(false);
});

it('a partition goes on a minute after the end of the process that held it, where nobody reads the history', async () => {
  const url = await makeDatabase();
  let aheadMs = 0;
  const { holds } = await openProcess(url, () => Date.now() + aheadMs);
  const hold = holds.hold(GROUP, CHANNEL);
  await hold.inEffect;
  await hold.end(false);
  expect(await holds.isOnHold(GROUP)).toBe(true);
  aheadMs = 60_000;
  expect(await holds.isOnHold(GROUP)).toBe(false);
});

it('a hold whose lease was lost is taken again, and those who join it wait for that', async () => {
  const granted: PromiseWithResolvers<Tenure>[] = [];
  const grant = (): (() => void) => {
    const lost = new AbortController();
    granted.at(-1)!.resolve({
      name: 'hold',
      epoch: 1,
      signal: lost.signal,
      isHeld: () => !lost.signal.aborted,
      assertHeld: () => undefined,
      release: async () => undefined,
    });
    return () => lost.abort();
  };
  const holds = createCatchUpHolds({
    leases: {
      acquire: async () => {
        granted.push(Promise.withResolvers<Tenure>());
        return granted.at(-1)!.promise;
      },
      isAnyHeld: async () => false,
    },
    owed: { set: async () => undefined, remove: async () => undefined, isOwed: async () => false },
    scheduler: { hold: () => ({ [Symbol.dispose]: () => undefined }), wake: () => undefined },
    now: Date.now,
  });
  const first = holds.hold(GROUP, CHANNEL);
  const lose = grant();
  await first.inEffect;
  lose();
  const joined = holds.hold(GROUP, CHANNEL);
  let isHeeded = false;
  const wait = async (): Promise<void> => {
    await joined.inEffect;
    isHeeded = true;
  };
  const waited = wait();
  for (let turn = 0; turn < 10; turn += 1) await setImmediate();
  expect(granted).toHaveLength(2);
  expect(isHeeded).toBe(false);
  grant();
  await waited;
  await Promise.all([first.end(true), joined.end(true)]);
});
