import { describe, expect, it, onTestFinished } from 'vitest';
import { createOneBot } from '../../../adapters/discord/one-bot.ts';
import { realClock } from '../../../src/async/clock.ts';
import { createAgreements } from '../../../src/store/agreements.ts';
import { makeDatabase, openTestStore } from '../../fakes/database.ts';
import { onServer } from '../../fakes/on-server.ts';

const [OURS, OTHERS] = ['1234567890123456789', '1298765432109876543'] as const;
const ANOTHER = { code: 'config', message: expect.stringContaining('another bot') as string };

/** A process on a database. */
const open = async (url: string) => {
  const store = await openTestStore(url);
  const shared = { leases: store.leases, agreements: createAgreements(store), isAlone: false };
  const oneBot = createOneBot(shared, realClock);
  onTestFinished(async () => oneBot[Symbol.asyncDispose]());
  return oneBot;
};

describe('the processes on one database', () => {
  it('run one bot: one with the token of another is refused while they run', async () => {
    const url = await makeDatabase();
    const [one, other] = [await open(url), await open(url)];
    await one.demand(OURS);
    await other.demand(OURS);
    const stranger = await open(url);
    await expect(stranger.demand(OTHERS)).rejects.toMatchObject(ANOTHER);
    await one[Symbol.asyncDispose]();
    await expect((await open(url)).demand(OTHERS)).rejects.toMatchObject(ANOTHER);
    await other[Symbol.asyncDispose]();
    await (await open(url)).demand(OTHERS);
    await expect((await open(url)).demand(OURS)).rejects.toMatchObject(ANOTHER);
  });

  it('run one bot also where two begin together', async () => {
    const url = await makeDatabase();
    const processes = [await open(url), await open(url)] as const;
    const both = await Promise.allSettled([processes[0].demand(OURS), processes[1].demand(OTHERS)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  it('are still known to run it after they have lost their leases', async () => {
    const url = await makeDatabase();
    const one = await open(url);
    await one.demand(OURS);
    await onServer(
      url,
      `UPDATE lease SET expires_ms = 0, owner = '' WHERE name LIKE 'discord-bot%'`,
    );
    const stranger = await openTestStore(url);
    await expect
      .poll(async () => stranger.leases.isAnyHeld(`discord-bot ${Number(BigInt(OURS) >> 22n)}`))
      .toBe(true);
  });
});
