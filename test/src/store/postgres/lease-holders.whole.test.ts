import { expect, it } from 'vitest';
import { createLog } from '../../../../src/telemetry/log.ts';
import { openPostgresLeases, type PostgresLeases } from '../../../../src/store/postgres/leases.ts';
import { createLeaseDatabase } from '../../../fakes/lease-database.ts';
import { createRandom } from '../../../fakes/random.ts';
import { createSimulatedProcess } from '../../../fakes/simulated-process.ts';
import { createVirtualTime } from '../../../fakes/virtual-time.ts';

const SET = 'process:';
/** Time after which a process knows the database's clock. */
const KNOWN_MS = 10_000;

/** Two processes with a lease each on one database, in virtual time. */
const openTwo = async () => {
  const time = createVirtualTime();
  const random = createRandom(1);
  const released = (): void => undefined;
  const database = createLeaseDatabase({ time, random, rate: 1, locked: 0, released });
  const open = async () => {
    const host = createSimulatedProcess(time, { rate: 1, offsetMs: 0 }, random);
    const network = { hopMs: () => 1, isReachable: () => true };
    const session = database.connect(host, network);
    const spare = database.connect(host, network);
    const { query } = database.connect(host, { ...network, isPool: true });
    const { clock, wallMs } = host;
    const given = {
      session,
      spare,
      query,
      relaxedQuery: query,
      log: createLog('silent'),
      clock,
      wallMs,
      random,
    };
    const leases = await openPostgresLeases(given);
    void leases.acquire(`${SET}${leases.owner}`, new AbortController().signal);
    return { host, leases };
  };
  const opening = Promise.all([open(), open()]);
  const pass = (ms: number): Promise<void> => time.runUntil(time.nowMs + ms, () => undefined);
  await pass(KNOWN_MS);
  const [one, other] = await opening;
  /** Asks one of them who is alive, at this moment. */
  const holders = async ({ leases }: { readonly leases: PostgresLeases }) => {
    const asked = leases.holders(SET);
    await pass(3);
    return asked;
  };
  return { one, other, pass, holders, setClock: database.setClock };
};

it.each([
  ['forward', 600_000],
  ['back', -600_000],
])('holders count as alive right after the database’s clock was set %s', async (_, byMs) => {
  const { one, other, holders, setClock } = await openTwo();
  setClock(byMs);
  const alive = new Set([one.leases.owner, other.leases.owner]);
  expect(new Set(await holders(one))).toEqual(alive);
});

it.each([
  ['forward', 600_000],
  ['back', -600_000],
])(
  'a holder that ended counts as alive no more, also where the clock was set %s',
  async (_, byMs) => {
    const { one, other, pass, holders, setClock } = await openTwo();
    other.host.kill();
    setClock(byMs);
    await pass(20_000);
    expect(await holders(one)).toEqual([one.leases.owner]);
  },
);
