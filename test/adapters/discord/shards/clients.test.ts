import { expect, test } from 'vitest';
import type { Application } from '../../../../adapters/discord/application.ts';
import type { Api } from '../../../../adapters/discord/api.ts';
import { createClient } from '../../../../adapters/discord/inbound/client.ts';
import { createClients } from '../../../../adapters/discord/shards/clients.ts';
import { AppError } from '../../../../src/errors.ts';
import { createTestClock } from '../../../fakes/clock.ts';

const MINUTE_MS = 60_000;
const MOST = 200;
const APPLICATION = { id: '1', botId: '2', hasContentIntent: true } as Application;

/** Servers whose shards other processes have, each with one channel: that of the next number. */
const openVisits = () => {
  const clock = createTestClock();
  const reads: string[] = [];
  const faults: AppError[] = [];
  /** Reading waits for it. */
  const state: { held?: Promise<void> } = {};
  const send = async (_: string, route: string): Promise<unknown> => {
    const [, , id = '', rest] = route.split('/');
    if (rest === undefined) {
      reads.push(id);
      await state.held;
      const fault = faults.shift();
      if (fault) throw fault;
      return { id, name: id, owner_id: '3', roles: [], emojis: [], features: [] };
    }
    await state.held;
    if (rest === 'channels') return [{ id: `${id}1`, type: 0, name: 'general', guild_id: id }];
    return rest === 'threads' ? { threads: [] } : { user: { id: '2', username: 'bot' }, roles: [] };
  };
  const clients = createClients({
    api: { send } as unknown as Api,
    application: () => APPLICATION,
    makeVisitor: (application) =>
      createClient({ url: 'http://127.0.0.1:1', requestsPerSecond: 1 }, application),
    parents: { note: () => undefined },
    clock,
    isAlone: false,
  });
  const knows = async (id: string): Promise<boolean> =>
    (await clients.knowing(id)).guilds.cache.has(id);
  return { clients, clock, reads, faults, state, knows };
};

test('a server of another process is read once, and anew after a minute', async () => {
  const { clock, reads, knows } = openVisits();
  expect(await knows('10')).toBe(true);
  await clock.advance(MINUTE_MS - 1);
  await knows('10');
  expect(reads).toEqual(['10']);
  await clock.advance(1);
  await knows('10');
  expect(reads).toEqual(['10', '10']);
});

test('two that ask for a server at once share one read', async () => {
  const { reads, state, knows } = openVisits();
  const held = Promise.withResolvers<void>();
  state.held = held.promise;
  const both = Promise.all([knows('10'), knows('10')]);
  held.resolve();
  expect(await both).toEqual([true, true]);
  expect(reads).toEqual(['10']);
});

test.each(['/guilds/10/members/5', '/channels/101/messages'])(
  'a refusal of %s has its server read anew, at most once a second',
  async (path) => {
    const { clients, clock, reads, knows } = openVisits();
    await knows('10');
    await knows('20');
    clients.doubt(path);
    await clock.advance(999);
    await knows('10');
    expect(reads).toEqual(['10', '20']);
    await clock.advance(1);
    await knows('10');
    await knows('20');
    expect(reads).toEqual(['10', '20', '10']);
  },
);

test('a failed read is forgotten: the next one begins at once', async () => {
  const { reads, faults, knows } = openVisits();
  faults.push(new AppError('unavailable', 'away', { retryable: true }));
  await expect(knows('10')).rejects.toMatchObject({ code: 'unavailable', retryable: true });
  expect(await knows('10')).toBe(true);
  expect(reads).toEqual(['10', '10']);
});

test('of more servers than are kept, the one that was read first is forgotten', async () => {
  const { clients, reads, knows } = openVisits();
  const ids = Array.from({ length: MOST + 1 }, (_, at) => String(1_000 + at));
  for (const id of ids) await knows(id);
  const [first = '', second = ''] = ids;
  const { guilds, channels } = await clients.knowing(second);
  expect([guilds.cache.has(first), channels.cache.has(`${first}1`)]).toEqual([false, false]);
  expect(guilds.cache.size).toBe(MOST);
  expect(reads).toHaveLength(MOST + 1);
  expect(await knows(first)).toBe(true);
  expect(reads).toHaveLength(MOST + 2);
});
