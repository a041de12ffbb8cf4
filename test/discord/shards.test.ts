import { expect, test } from 'vitest';
import type { FakeChannel, FakeGuild } from '../fakes/discord/index.ts';
import { openProcesses, type Processes } from './processes.ts';

const SHARDS = 16;

const isWhole = (owners: readonly (readonly string[])[]): boolean =>
  owners.every(({ length }) => length === 1);

const counts = (owners: readonly (readonly string[])[]): number[] => {
  const names = owners.flat();
  return [...new Set(names)]
    .map((name) => names.filter((one) => one === name).length)
    .toSorted((a, b) => a - b);
};

/** No two clients were connected for one shard at one time. */
const expectOneOwnerAtATime = ({ discord }: Processes): void => {
  const owners = new Map<string, string>();
  for (const { client, shard, what } of discord.gateway.log) {
    const key = shard.join(' of ');
    if (what === 'closed') owners.delete(key);
    else {
      expect(owners.get(key) ?? client, `owner of shard ${key}`).toBe(client);
      owners.set(key, client);
    }
  }
};

/** Has a channel of each server translated in place. */
const watchAll = async (
  { discord }: Processes,
  towns: readonly (readonly [FakeGuild, FakeChannel])[],
): Promise<void> => {
  for (const [guild, channel] of towns)
    await discord
      .command(guild.owner, { channel, name: 'autotranslate reply', options: { languages: 'es' } })
      .answer();
};

const replies = (channel: FakeChannel, text: string): number =>
  channel.messages.filter(({ content }) => content.includes(`es:${text}`)).length;

test('three processes have a part of the shards each, and translate the messages of all servers once', async () => {
  const all = await openProcesses({ shards: SHARDS, maxConcurrency: SHARDS });
  const towns = all.towns(SHARDS);
  for (let count = 0; count < 3; count += 1) await all.open();
  await expect.poll(() => counts(all.owners(SHARDS))).toEqual([5, 5, 6]);
  await expect.poll(() => isWhole(all.owners(SHARDS))).toBe(true);
  expectOneOwnerAtATime(all);
  expect(all.discord.gateway.throttled).toBe(0);
  await watchAll(all, towns);
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
  await watchAll(all, towns);
  const stopped = leaving.stop();
  for (const [guild, channel] of towns) channel.say(guild.owner, 'Said while somebody leaves');
  await stopped;
  const fromMs = performance.now();
  await expect.poll(() => counts(all.owners(4))).toEqual([4]);
  expect(performance.now() - fromMs).toBeLessThan(6_000);
  await all.discord.until(() =>
    towns.every(([, channel]) => replies(channel, 'Said while somebody leaves') >= 1),
  );
  expectOneOwnerAtATime(all);
});
