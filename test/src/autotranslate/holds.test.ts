import { expect, it } from 'vitest';
import { createHolds } from '../../../src/autotranslate/holds.ts';
import { makeDatabase, openTestStore } from '../../fakes/database.ts';

const GROUP = 'group:g';

/** A process that can hold partitions. */
const openProcess = async (url: string) => {
  const { leases } = await openTestStore(url);
  const noted: string[] = [];
  const holds = createHolds({
    leases,
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
  const [first, second] = [one.holds.hold(GROUP), other.holds.hold(GROUP)];
  expect(one.noted).toEqual([`hold ${GROUP}`]);
  await expect.poll(() => other.holds.isOnHold(GROUP)).toBe(true);
  expect(await other.holds.isOnHold('group:another')).toBe(false);
  await expect.poll(() => one.holds.isOnHold(GROUP)).toBe(true);
  first[Symbol.dispose]();
  await expect.poll(() => one.noted).toEqual([`hold ${GROUP}`, `let go ${GROUP}`, `wake ${GROUP}`]);
  expect(await one.holds.isOnHold(GROUP)).toBe(true);
  second[Symbol.dispose]();
  await expect.poll(() => one.holds.isOnHold(GROUP)).toBe(false);
});

it('a hold tells when the others heed it, and lasts until all who want it have let it go', async () => {
  const url = await makeDatabase();
  const [one, other] = [await openProcess(url), await openProcess(url)];
  const holds = [one.holds.hold(GROUP), one.holds.hold(GROUP)];
  await Promise.all(holds.map(({ heeded }) => heeded));
  expect(await other.holds.isOnHold(GROUP)).toBe(true);
  for (const each of [0, 0, 1]) {
    expect(await other.holds.isOnHold(GROUP)).toBe(true);
    holds[each]![Symbol.dispose]();
  }
  await expect.poll(() => other.holds.isOnHold(GROUP)).toBe(false);
  expect(one.noted).toEqual([`hold ${GROUP}`, `let go ${GROUP}`, `wake ${GROUP}`]);
});
