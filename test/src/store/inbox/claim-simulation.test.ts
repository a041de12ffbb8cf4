import { describe, expect, it } from 'vitest';
import { openStore } from '../../../../src/store/index.ts';
import { casesOf } from '../../../fakes/cases.ts';
import { simulateClaims, type ClaimOptions } from '../../../fakes/claim-simulation.ts';

const SIZE = { processes: 3, channels: 6, messages: 12, faults: 6 };
/** Less work and more faults: planted faults show in fewer schedules. */
const FAULTY = { processes: 3, channels: 4, messages: 6, faults: 30 };

/** Runs schedules until one has violations; resolves with them, or with none. */
const findViolations = async (
  options: Omit<ClaimOptions, 'seed' | 'store'>,
  schedules: number,
): Promise<readonly string[]> => {
  await using store = await openStore('sqlite::memory:');
  for (let seed = 1; seed <= schedules; seed += 1) {
    const { violations } = await simulateClaims({ ...options, store, seed });
    if (violations.length > 0) return violations.map((each) => `seed ${seed}: ${each}`);
  }
  return [];
};

describe('messages that several processes take and handle, under freezes, kills, leaves and lost connections', () => {
  it('are handled to their last change, in order, each change settled once, and posted only in the tenure that holds', async () => {
    expect(await findViolations(SIZE, casesOf(20, 10))).toEqual([]);
  });

  it.for([
    ['effects are not checked', /by a tenure not held/],
    ['epochs are equal', /a later one took it from/],
    ['posts before earlier messages', /after a later one/],
    ['settlements are not fenced', /not handled to its end/],
    ['forgets what it was not told of', /not handled to its end/],
  ] as const)('are found to fail where the planted fault is "%s"', async ([flaw, what]) => {
    expect((await findViolations({ ...FAULTY, flaw }, 40)).join('\n')).toMatch(what);
  });
});
