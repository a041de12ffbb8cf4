import { describe, expect, it } from 'vitest';
import { openStore } from '../../../../src/store/index.ts';
import { simulateClaims, type ClaimOptions } from '../../../fakes/claim-simulation.ts';

const SIZE = { processes: 4, messages: 15, steps: 300 };

const violationsOf = async (
  options: Omit<ClaimOptions, 'seed' | 'store'>,
  schedules: number,
): Promise<readonly string[]> => {
  await using store = await openStore('sqlite::memory:');
  const found: string[] = [];
  for (let seed = 1; seed <= schedules; seed += 1)
    for (const violation of await simulateClaims({ ...options, store, seed }))
      found.push(`seed ${seed}: ${violation}`);
  return found;
};

describe('claims of several processes, while the lease of their partition is lost and moved', () => {
  it('settle each row once, in order, and post only in the tenure that holds', async () => {
    expect(await violationsOf(SIZE, 30)).toEqual([]);
  });

  it.for([
    ['effects are not checked', /by a tenure not held/],
    ['epochs are equal', /a later one took it from/],
  ] as const)('are found to fail where the planted fault is "%s"', async ([flaw, what]) => {
    expect((await violationsOf({ ...SIZE, flaw }, 10)).join('\n')).toMatch(what);
  });
});
