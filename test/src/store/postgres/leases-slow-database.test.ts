import { expect, it } from 'vitest';
import { createLog } from '../../../../src/log.ts';
import type { Tenure } from '../../../../src/ports/leases.ts';
import { openPostgresLeases } from '../../../../src/store/postgres/leases.ts';
import { createLeaseDatabase } from '../../../fakes/lease-database.ts';
import { createRandom } from '../../../fakes/random.ts';
import { createSimulatedProcess } from '../../../fakes/simulated-process.ts';
import { createVirtualTime } from '../../../fakes/virtual-time.ts';

/** A process on a database whose answers take as long as `hopMs` says, each way. */
const openProcess = (hopMs: (kinds: ReadonlyMap<string, number>) => number, size: number) => {
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
  const session = database.connect(host, {
    hopMs: () => hopMs(database.statements),
    isReachable: () => true,
  });
  const working = new Map<string, Tenure>();
  const log = createLog('silent');
  const { clock, wallMs } = host;
  void openPostgresLeases({ session, log, clock, wallMs, random }).then((leases) =>
    leases.share('thing', size, (tenure) => {
      working.set(tenure.name, tenure);
      return { hear: () => undefined, [Symbol.asyncDispose]: async () => undefined };
    }),
  );
  const held = (): number => [...working.values()].filter((tenure) => tenure.isHeld()).length;
  return { time, held };
};

it('works on a name that it was granted too late, once it is granted it again', async () => {
  let untilMs = 0;
  const { time, held } = openProcess((kinds) => {
    // The answer to the claim comes when the lease has just run out.
    if (kinds.get('claim a part') === 1 && untilMs === 0) untilMs = time.nowMs + 3_600;
    return 1 + Math.max(0, untilMs - time.nowMs);
  }, 1);
  await time.runUntil(5_500, () => undefined);
  expect(held()).toBe(1);
});

it('holds all names where each statement takes a fifth of a second', async () => {
  const { time, held } = openProcess(() => 100, 64);
  await time.runUntil(30_000, () => undefined);
  expect(held()).toBe(64);
});
