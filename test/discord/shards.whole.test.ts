import { expect, test } from 'vitest';
import type { DiscordFake } from '../fakes/discord/index.ts';
import { counts, isWhole, openProcesses, replies, watchAll } from './processes.ts';

const SHARDS = 16;

/** No two clients were connected for one shard at one time. */
const expectOneOwnerAtATime = ({ gateway }: DiscordFake): void => {
  const owners = new Map<string, string>();
  for (const { client, shard, what } of gateway.log) {
    const key = shard.join(' of ');
    if (what === 'closed') owners.delete(key);
    else {
      expect(owners.get(key) ?? client, `owner of shard ${key}`).toBe(client);
      owners.set(key, client);
    }
  }
};

test('three processes have a part of the shards each, and translate the messages of all servers once', async () => {
  const all = await openProcesses({ shards: SHARDS, maxConcurrency: SHARDS });
  const towns = all.towns(SHARDS);
  for (let count = 0; count < 3; count += 1) await all.open();
  await expect.poll(() => counts(all.owners(SHARDS))).toEqual([5, 5, 6]);
  await expect.poll(() => isWhole(all.owners(SHARDS))).toBe(true);
  expectOneOwnerAtATime(all.discord);
  expect(all.discord.gateway.throttled).toBe(0);
  await watchAll(all.discord, towns);
  const say = (text: string): void => {
    for (const [guild, channel] of towns) channel.say(guild.owner, text);
  };
  say('Good morning to all of you');
  await all.discord.until(() =>
    towns.every(([, channel]) => replies(channel, 'Good morning') >= 1),
  );
  say('This is the last sentence');
  await all.discord.until(() =>
    towns.every(([, channel]) => replies(channel, 'This is the last') >= 1),
  );
  expect(towns.map(([, channel]) => replies(channel, 'Good morning'))).toEqual(towns.map(() => 1));
});

test('the shards of a process that leaves are taken by the others, and nothing is lost meanwhile', async () => {
  const all = await openProcesses({ shards: 4, maxConcurrency: 4 });
  const towns = all.towns(4);
  const [leaving] = [await all.open(), await all.open()];
  await expect.poll(() => counts(all.owners(4))).toEqual([2, 2]);
  await watchAll(all.discord, towns);
  const stopped = leaving.stop();
  for (const [guild, channel] of towns) channel.say(guild.owner, 'Said while somebody leaves');
  await stopped;
  await expect.poll(() => counts(all.owners(4))).toEqual([4]);
  await all.discord.until(() =>
    towns.every(([, channel]) => replies(channel, 'Said while somebody leaves') >= 1),
  );
  expectOneOwnerAtATime(all.discord);
});

test('a process that is about to stop keeps its shards, and leaves those that become free to the others', async () => {
  const all = await openProcesses({ shards: 6, maxConcurrency: 6 });
  const [ending, leaving, staying] = [await all.open(), await all.open(), await all.open()];
  await expect.poll(() => counts(all.owners(6))).toEqual([2, 2, 2]);
  await expect.poll(() => isWhole(all.owners(6))).toBe(true);
  const shardsOf = ({ name }: { readonly name: string }): readonly number[] =>
    all.owners(6).flatMap((owners, id) => (owners.includes(name) ? [id] : []));
  const kept = shardsOf(ending);
  ending.adapter.drain?.();
  await leaving.stop();
  await expect.poll(() => shardsOf(staying).length).toBe(4);
  expect([shardsOf(ending), ending.adapter.ready()]).toEqual([kept, true]);
});

test('a process that stood still takes and answers nothing of shards that may be another one’s', async () => {
  const all = await openProcesses({ shards: 2, maxConcurrency: 2 });
  const towns = all.towns(2);
  const [one] = [await all.open(), await all.open()];
  await expect.poll(() => counts(all.owners(2))).toEqual([1, 1]);
  const id = all.owners(2).findIndex(([name]) => name === one.name);
  const [guild, channel] = towns[id]!;
  const { sessions } = all.discord.gateway;
  const former = sessions.find(({ shard }) => shard[0] === id)?.id;
  await one.freeze(`2:${id}`);
  const used = all.discord.command(guild.owner, { channel, name: 'status' });
  // What it is told before it notices is nobody's; then one of the two has the shard anew.
  const isOver = (): boolean =>
    all.discord.gateway.log.some(({ session, what }) => session === former && what === 'closed');
  await expect.poll(() => isOver() && isWhole(all.owners(2))).toBe(true);
  expect(used.shown).toBeUndefined();
  const answers = all.discord.requests.filter(({ route }) => route.includes('/callback'));
  expect(answers).toEqual([]);
  await all.discord.command(guild.owner, { channel, name: 'status' }).answer();
});

test('one IDENTIFY is sent at a time, whichever process sends it', async () => {
  const all = await openProcesses({ shards: 4, maxConcurrency: 1 });
  // The fake's quarter of a second, and what a busy machine may take between the turn and the sending.
  const open = () => all.open({ identifyEveryMs: 1_000 });
  await Promise.all([open(), open(), open()]);
  await expect.poll(() => counts(all.owners(4))).toEqual([1, 1, 2]);
  await expect.poll(() => isWhole(all.owners(4))).toBe(true);
  expect(all.discord.gateway.throttled).toBe(0);
});
