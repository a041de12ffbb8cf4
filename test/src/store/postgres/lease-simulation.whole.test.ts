import { describe, expect, it } from 'vitest';
import { realClock } from '../../../../src/async/clock.ts';
import { createLog } from '../../../../src/telemetry/log.ts';
import { openSession } from '../../../../src/store/postgres/session.ts';
import { casesOf } from '../../../fakes/cases.ts';
import { makeDatabase } from '../../../fakes/database.ts';
import { createLeaseDatabase } from '../../../fakes/lease-database.ts';
import { simulateLeases, type SimulationOptions } from '../../../fakes/lease-simulation.ts';
import { createRandom } from '../../../fakes/random.ts';
import { createVirtualTime } from '../../../fakes/virtual-time.ts';

const SMALL = { processes: 4, names: 8, faults: 6, faultyMs: 12_000 };
const LARGE = { processes: 20, names: 64, faults: 20, faultyMs: 12_000 };

/** Schedules in which a planted fault has to be found. */
const MOST_SCHEDULES = 20;

/** Statements of whose rows only the number counts. */
const WITHOUT_ROWS = new Set(['release', 'tell', 'any held', 'end members', 'tell of a set']);

/** Rows in their order, without the time at which they were read. */
const inOrder = (rows: readonly object[]): readonly string[] =>
  rows.map((row) => JSON.stringify({ ...row, now_ms: undefined })).toSorted();

/** What went wrong in so many schedules, each with its seed. */
const violationsOf = async (
  options: Omit<SimulationOptions, 'seed'>,
  schedules: number,
): Promise<readonly string[]> => {
  const found: string[] = [];
  for (let seed = 1; seed <= schedules; seed += 1) {
    const { violations } = await simulateLeases({ ...options, seed });
    found.push(...violations.map((violation) => `seed ${seed}: ${violation}`));
  }
  return found;
};

describe('leases under freezes, kills, broken connections, lost answers and clocks that are set', () => {
  it('have one holder, growing epochs and equal parts, with a few processes', async () => {
    expect(await violationsOf(SMALL, casesOf(50, 20))).toEqual([]);
  });

  it('have one holder, growing epochs and equal parts, with 20 processes and 64 names', async () => {
    expect(await violationsOf(LARGE, casesOf(3, 2))).toEqual([]);
  });

  it('have one holder even where a renewal is not refused: the deadline counts from its sending', async () => {
    expect(await violationsOf({ ...SMALL, flaw: 'renews for anybody' }, casesOf(20, 10))).toEqual(
      [],
    );
  });

  it.for([
    ['claims what is held', /do not grow|is held by 2/],
    ['renews nothing', /is held by 2/],
    ['keeps the epoch', /do not grow/],
    ['makes one name too few', /held by nobody/],
    ['trusts its clock', /is held by 2/],
    ['clocks too slow', /is held by 2/],
    ['clocks stop while frozen', /is held by 2/],
    ['work is not ended', /given away while its holder worked/],
  ] as const)('are found to fail where the planted fault is "%s"', async ([flaw, what]) => {
    const found: string[] = [];
    const isFound = (): boolean => found.some((violation) => what.test(violation));
    for (let seed = 1; seed <= MOST_SCHEDULES && !isFound(); seed += 1)
      found.push(...(await simulateLeases({ ...SMALL, flaw, seed })).violations);
    expect(found.join('\n')).toMatch(what);
  });
});

describe('the database of the simulation', () => {
  it('answers each statement of the leases as PostgreSQL does', async () => {
    const log = createLog('silent');
    const url = await makeDatabase();
    await using session = await openSession({
      url,
      log,
      clock: realClock,
      random: Math.random,
    });
    const fake = createLeaseDatabase({
      time: createVirtualTime(),
      random: createRandom(1),
      rate: 1,
      locked: 0,
      released: () => undefined,
    });
    const { texts } = fake;
    const answers = async (kind: string, values: readonly unknown[]) => {
      const text = texts.get(kind)!;
      const real = await session.query<object>(text, values);
      return { real, fake: fake.execute(text, values) };
    };
    const known = [0, 2 ** 52];
    const sure = [2 ** 51, 0];
    const steps: readonly (readonly [string, readonly unknown[], number])[] = [
      ['renew', ['a', [], [], 60_000], 1],
      ['claim', ['one', 'one', 'a', 4_000, ...sure], 1],
      ['claim', ['one', 'one', 'b', 4_000, ...sure], 0],
      ['renew', ['a', ['one', 'other'], [1, 1], 4_000], 1],
      ['renew', ['b', ['one'], [1], 4_000], 1],
      ['renew', ['a', ['one'], [2], 4_000], 1],
      ['any held', ['one', ...sure], 1],
      ['release', [['one'], 'b', [1], ['one']], 0],
      ['release', [['one', 'other'], 'a', [1, 1], ['one']], 1],
      ['renew', ['a', ['one'], [1], 4_000], 1],
      ['any held', ['one', ...sure], 0],
      ['tell', [['one'], ['1']], 0],
      ['claim', ['one', 'one', 'b', -1, ...known], 1],
      ['tell', [['one'], ['1']], 1],
      ['any held', ['one', ...known], 1],
      ['any held', ['one', ...sure], 0],
      ['claim', ['one', 'one', 'a', -1, ...known], 0],
      ['claim', ['one', 'one', 'a', 60_000, ...sure], 1],
      // Its end lies further ahead than that of any lease can.
      ['claim', ['one', 'one', 'b', 4_000, ...known], 0],
      ['claim', ['one', 'one', 'b', 4_000, ...sure], 1],
      ['release', [['one'], 'b', [4], []], 0],
      ['make', ['thing:', 3], 0],
      ['make', ['thing:', 4], 0],
      ['claim', ['member of thing:a', 'member of thing:', 'a', 4_000, ...sure], 1],
      ['claim', ['member of thing:b', 'member of thing:', 'b', 4_000, ...sure], 1],
      ['claim', ['member of thing:c', 'member of thing:', 'c', -1, ...sure], 1],
      ['holders', ['member of thing:', ...known], 3],
      ['count', ['member of thing:', 'b', ...known], 1],
      ['count', ['member of thing:', 'b', ...sure], 1],
      ['end members', ['member of thing:', 'thing:', ...known], 0],
      ['end members', ['member of thing:', 'thing:', ...sure], 1],
      ['tell of a set', ['thing:'], 1],
      ['holders', ['member of thing:', ...sure], 2],
      ['count', ['member of thing:', 'b', ...known], 1],
      ['claim a part', ['b', 'thing:', 10, 4_000, ...known], 4],
      ['claim a part', ['a', 'thing:', 10, 4_000, ...sure], 0],
      [
        'tell',
        [
          ['thing:0', 'one', 'none'],
          ['1', '2', '3'],
        ],
        1,
      ],
    ];
    for (const [kind, values, rows] of steps) {
      const answer = await answers(kind, values);
      expect([kind, answer.fake.length]).toEqual([kind, rows]);
      if (WITHOUT_ROWS.has(kind)) expect([kind, answer.real.length]).toEqual([kind, rows]);
      else expect([kind, inOrder(answer.fake)]).toEqual([kind, inOrder(answer.real)]);
    }
  });

  it('refuses a statement that it does not know', () => {
    const fake = createLeaseDatabase({
      time: createVirtualTime(),
      random: createRandom(1),
      rate: 1,
      locked: 0,
      released: () => undefined,
    });
    expect(() => fake.execute('SELECT 1', [])).toThrow('no such statement');
  });
});
