import { expect, it } from 'vitest';
import { createLog } from '../../../../src/telemetry/log.ts';
import {
  createDatabaseClock,
  createHeldLeases,
} from '../../../../src/store/postgres/held-leases.ts';
import { createRenewals } from '../../../../src/store/postgres/renewals.ts';
import { createHastyClock } from '../../../fakes/clock.ts';
import { collectGarbage } from '../../../fakes/garbage.ts';

const MEBIBYTE = 1_048_576;

it('a process that renews for days keeps nothing of each renewal', async () => {
  const clock = createHastyClock();
  const log = createLog('silent');
  const wallMs = clock.nowMs;
  let renewals = 0;
  const reached = new Map<number, () => void>();
  const session = {
    isConnected: () => true,
    query: async <Row extends object>() => {
      renewals += 1;
      reached.get(renewals)?.();
      return [{ name: null, now_ms: clock.ms }] as unknown as readonly Row[];
    },
  };
  const untilRenewal = (number: number): Promise<void> =>
    new Promise((resolve) => {
      reached.set(number, resolve);
    });
  const heapAt = async (number: number): Promise<number> => {
    await untilRenewal(number);
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  await using _ = createRenewals({
    owner: 'this',
    held: createHeldLeases({ log, clock, wallMs, release: async () => undefined }),
    databaseClock: createDatabaseClock(clock, wallMs),
    session,
    spare: session,
    log,
    clock,
  });
  const before = await heapAt(2_000);
  const after = await heapAt(42_000);
  expect((after - before) / MEBIBYTE).toBeLessThan(2);
});
