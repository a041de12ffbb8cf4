import { expect, it } from 'vitest';
import type { Log } from '../../../../src/telemetry/log.ts';
import type { Tenure } from '../../../../src/ports/processes.ts';
import { openPostgresLeases } from '../../../../src/store/postgres/leases.ts';
import { createLeaseDatabase } from '../../../fakes/lease-database.ts';
import { createRandom } from '../../../fakes/random.ts';
import { createSimulatedProcess } from '../../../fakes/simulated-process.ts';
import { createVirtualTime } from '../../../fakes/virtual-time.ts';

/** A process on a database whose answers take as long as `hopMs` says, each way. */
const openProcess = async (
  hopMs: (kinds: ReadonlyMap<string, number>, nowMs: number) => number,
  size: number,
) => {
  const time = createVirtualTime();
  const random = createRandom(1);
  const database = createLeaseDatabase({
    time,
    random,
    rate: 1,
    locked: 0,
    released: () => undefined,
  });
  const host = createSimulatedProcess(time, { rate: 1, offsetMs: 0 }, random);
  const network = { hopMs: () => hopMs(database.statements, time.nowMs), isReachable: () => true };
  const session = database.connect(host, network);
  const spare = database.connect(host, network);
  const { query } = database.connect(host, { ...network, isPool: true });
  const working = new Map<string, Tenure>();
  const said: string[] = [];
  const log = {
    debug: () => undefined,
    warn: (...words: readonly unknown[]) => void said.push(String(words.at(-1))),
  } as unknown as Log;
  const { clock, wallMs } = host;
  const opening = openPostgresLeases({
    session,
    spare,
    query,
    relaxedQuery: query,
    log,
    clock,
    wallMs,
    random,
  });
  await time.runUntil(20_000, () => undefined);
  const leases = await opening;
  const share = leases.share('thing', size, (tenure) => {
    working.set(tenure.name, tenure);
    return { hear: () => undefined, [Symbol.asyncDispose]: async () => undefined };
  });
  const held = (): number => [...working.values()].filter((tenure) => tenure.isHeld()).length;
  /** The least number of names that were held at any moment of a time. */
  const leastHeld = async (forMs: number): Promise<number> => {
    let least = held();
    await time.runUntil(time.nowMs + forMs, () => {
      least = Math.min(least, held());
    });
    return least;
  };
  const end = async (): Promise<void> => {
    await share[Symbol.asyncDispose]();
    await leases[Symbol.asyncDispose]();
  };
  return { time, held, leastHeld, said, end, renewalMs: () => leases.renewalMs!() };
};

const SLOW = 'the database is slow: it has not renewed leases within a second';

/** A process that holds 64 names, on a database that becomes slow. */
const becomeSlow = async (statementMs: number) => {
  let hopMs = 1;
  const given = await openProcess(() => hopMs, 64);
  await given.leastHeld(10_000);
  expect(given.held()).toBe(64);
  hopMs = statementMs / 2;
  const becomeFast = (): void => {
    hopMs = 1;
  };
  return { ...given, becomeFast };
};

it('works on a name that it was granted too late, once it is granted it again', async () => {
  let untilMs = 0;
  const { time, held } = await openProcess((kinds, nowMs) => {
    // The answer to the claim comes when the lease has just run out.
    if (kinds.get('claim a part') === 1 && untilMs === 0) untilMs = nowMs + 3_600;
    return 1 + Math.max(0, untilMs - nowMs);
  }, 1);
  await time.runUntil(time.nowMs + 10_000, () => undefined);
  expect(held()).toBe(1);
});

it('holds all names where each statement takes a fifth of a second', async () => {
  const { time, held } = await openProcess(() => 100, 64);
  await time.runUntil(time.nowMs + 10_000, () => undefined);
  expect(held()).toBe(64);
});

it('loses no name where each statement begins to take two seconds, and says that it is slow', async () => {
  const { leastHeld, said, renewalMs } = await becomeSlow(2_000);
  expect(await leastHeld(120_000)).toBe(64);
  expect([...new Set(said)]).toEqual([SLOW]);
  expect(said.length).toBeLessThanOrEqual(4);
  expect(renewalMs()).toBe(2_000);
});

it('takes names though each statement takes two seconds', async () => {
  const { leastHeld } = await openProcess(() => 1_000, 64);
  await leastHeld(30_000);
  expect(await leastHeld(60_000)).toBe(64);
});

it('loses names where each statement takes five seconds, says why, and takes them again later', async () => {
  const { held, leastHeld, said, renewalMs, becomeFast } = await becomeSlow(5_000);
  await leastHeld(6_000);
  expect(held()).toBe(0);
  expect(said.slice(0, 2)).toEqual([SLOW, 'a lease was lost']);
  expect(renewalMs()).toBeGreaterThan(3_000);
  becomeFast();
  await leastHeld(20_000);
  expect(held()).toBe(64);
  expect(renewalMs()).toBeLessThan(10);
});

it('ends within seconds although the database does not answer', async () => {
  const { time, held, end } = await becomeSlow(600_000);
  // So that renewals and a look for its part are under way.
  await time.runUntil(time.nowMs + 2_500, () => undefined);
  let isEnded = false;
  void end().then(() => (isEnded = true));
  await time.runUntil(time.nowMs + 3_000, () => undefined);
  expect([isEnded, held()]).toEqual([true, 0]);
});
