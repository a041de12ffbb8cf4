import { expect, it } from 'vitest';
import { createHolds } from '../../../src/autotranslate/holds.ts';
import { createOwedHistories } from '../../../src/store/owed-histories.ts';
import { channel } from '../../fakes/channel-feed.ts';
import { makeDatabase, openTestStore } from '../../fakes/database.ts';

const GROUP = 'group:g';
const CHANNEL = channel('general');

/** A process that can hold partitions. */
const openProcess = async (url: string) => {
  const store = await openTestStore(url);
  const { leases } = store;
  const noted: string[] = [];
  const holds = createHolds({
    leases,
    owed: createOwedHistories(store, Date.now),
    now: Date.now,
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
  await Promise.all(holds.map(({ heeded }) => heeded));
  expect(await other.holds.isOnHold(GROUP)).toBe(true);
  for (const each of [0, 0, 1]) {
    expect(await other.holds.isOnHold(GROUP)).toBe(true);
    await holds[each]!.end(true);
  }
  await expect.poll(() => other.holds.isOnHold(GROUP)).toBe(false);
  expect(one.noted).toEqual([`hold ${GROUP}`, `let go ${GROUP}`, `wake ${GROUP}`]);
});
