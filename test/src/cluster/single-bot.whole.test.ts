import { describe, expect, it, onTestFinished } from 'vitest';
import { realClock } from '../../../src/async/clock.ts';
import { createSingleBot, type BotKind } from '../../../src/cluster/single-bot.ts';
import type { Leases } from '../../../src/ports/processes.ts';
import { createAgreements } from '../../../src/store/agreements.ts';
import { makeDatabase, openTestStore } from '../../fakes/database.ts';
import { onServer } from '../../fakes/on-server.ts';

const KIND: BotKind = { name: 'fake-bot', noun: 'bot', variable: 'FAKE_TOKEN' };
const [OURS, OTHERS, THIRD] = [1, 2, 3] as const;
const ANOTHER = {
  code: 'config',
  message: expect.stringMatching(/FAKE_TOKEN of another bot.*give this bot/) as string,
};

/**
 * A process on a database.
 *
 * @param looked awaited after each look for the leases of another bot, before its result is used
 */
const open = async (url: string, looked: () => Promise<void> = async () => undefined) => {
  const store = await openTestStore(url);
  const leases: Leases = {
    ...store.leases,
    isAnyHeld: async (set) => {
      const isHeld = await store.leases.isAnyHeld(set);
      await looked();
      return isHeld;
    },
  };
  const shared = { leases, agreements: createAgreements(store), isAlone: false };
  const oneBot = createSingleBot(shared, realClock, KIND);
  onTestFinished(async () => oneBot[Symbol.asyncDispose]());
  return oneBot;
};

/** Makes a database whose agreed bot is run by nobody. */
const makeUsedDatabase = async (): Promise<string> => {
  const url = await makeDatabase();
  const former = await open(url);
  await former.demand(THIRD);
  await former[Symbol.asyncDispose]();
  return url;
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

  it('run one bot also where two find at the same time that nobody runs a third one', async () => {
    const url = await makeUsedDatabase();
    let looks = 0;
    const bothLooked = Promise.withResolvers<void>();
    const look = async (): Promise<void> => {
      looks += 1;
      if (looks === 2) bothLooked.resolve();
      await bothLooked.promise;
    };
    const [one, other] = [await open(url, look), await open(url, look)];
    const both = await Promise.allSettled([one.demand(OURS), other.demand(OTHERS)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  it('run one bot also where that one begins after another has seen that nobody runs it', async () => {
    const url = await makeUsedDatabase();
    const third = await open(url);
    const stranger = await open(url, async () => third.demand(THIRD));
    await expect(stranger.demand(OTHERS)).rejects.toMatchObject(ANOTHER);
    await (await open(url)).demand(THIRD);
  });

  it('are still known to run it after they have lost their leases', async () => {
    const url = await makeDatabase();
    const one = await open(url);
    await one.demand(OURS);
    await onServer(
      url,
      `UPDATE lease SET expires_ms = 0, owner = '' WHERE name LIKE '${KIND.name}%'`,
    );
    const stranger = await openTestStore(url);
    await expect.poll(async () => stranger.leases.isAnyHeld(`${KIND.name} ${OURS}`)).toBe(true);
  });
});
