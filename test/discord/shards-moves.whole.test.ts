import { expect, test } from 'vitest';
import { parseDiscord } from '../../adapters/discord/rich-text/parse.ts';
import { plainText } from '../../src/rich-text/walk.ts';
import { realClock } from '../../src/async/clock.ts';
import type { FakeChannel } from '../fakes/discord/index.ts';
import { createDaveGroup } from '../fakes/discord/voice/dave/group.ts';
import { createDavePerson } from '../fakes/discord/voice/dave/person.ts';
import { rich } from '../fakes/rich-text.ts';
import { sentence } from '../fakes/sentences.ts';
import { counts, isWhole, openProcesses, replies, watchAll } from './processes.ts';
import { textsIn } from './shown.ts';

test('no session is begun while few of the day are left, and it is said', async () => {
  const all = await openProcesses({ shards: 1 });
  const one = await all.open();
  await expect.poll(() => isWhole(all.owners(1))).toBe(true);
  all.discord.gateway.startsLeft = 50;
  all.discord.gateway.invalidate();
  await expect.poll(() => one.logged.join('')).toContain('only 50 of 1000 session starts are left');
  const other = await all.open({ shards: 1 });
  // It is asked again after the wait, and both wait on.
  const asked = (): number =>
    all.discord.requests.filter(({ route }) => route === 'GET /gateway/bot').length;
  const before = asked();
  await expect.poll(asked).toBeGreaterThan(before + 1);
  expect([one, other].map(({ adapter }) => adapter.ready())).toEqual([false, false]);
  expect(all.discord.gateway.startsLeft).toBe(50);
});

test('of a server whose shard another process has, everything is known all the same', async () => {
  const all = await openProcesses({ shards: 2, maxConcurrency: 2 });
  const towns = all.towns(2);
  const [one, other] = [await all.open(), await all.open()];
  await expect.poll(() => counts(all.owners(2))).toEqual([1, 1]);
  const id = all.owners(2).findIndex(([name]) => name === other.name);
  const [guild, channel] = towns[id]!;
  const away = { space: { platform: 'discord', id: guild.id }, id: channel.id };
  const { feed, missingToPost, access } = one.adapter.platform;
  expect(await feed!.missing(away, 'thread')).toEqual([]);
  expect(missingToPost!(away)).toEqual([]);
  const ann = all.discord.user({ name: 'Ann' });
  guild.join(ann);
  expect(await access!({ platform: 'discord', id: ann.id }, away)).toBe('write');
  const text = parseDiscord(`<@${ann.id}> in <#${channel.id}>`);
  expect(plainText(await feed!.named(away, text))).toBe('@Ann in #general');
  const posted = await one.adapter.platform.post(away, { text: rich('from afar') });
  expect(channel.messages.at(-1)?.content).toBe('from afar');
  await one.adapter.platform.delete(posted);
  const asked = (): number =>
    all.discord.requests.filter(
      ({ route, client }) => route === 'GET /guilds/:id' && client === one.name,
    ).length;
  expect(asked()).toBe(1);
});

test('more shards are taken before the former ones end: nothing is lost or done twice', async () => {
  const all = await openProcesses({ shards: 2, maxConcurrency: 8 });
  const towns = all.towns(4);
  await all.open();
  await all.open();
  await expect.poll(() => counts(all.owners(2))).toEqual([1, 1]);
  await watchAll(all.discord, towns);
  const texts: string[] = [];
  const talk = (): void => {
    texts.push(`Sentence number ${texts.length} of the talk`);
    for (const [guild, channel] of towns) channel.say(guild.owner, texts.at(-1));
  };
  const before = all.discord.gateway.log.length;
  talk();
  const third = all.open({ shards: 4 });
  // Somebody talks at every change of a session.
  let seen = before;
  await all.discord.until(() => {
    const { length } = all.discord.gateway.log;
    const isChanged = length > seen;
    seen = length;
    if (isChanged) talk();
    return isWhole(all.owners(4)) && all.owners(2).every((owners) => owners.length === 0);
  });
  await third;
  talk();
  const changes = all.discord.gateway.log.slice(before);
  const begun = new Set<number>();
  const lastBegin = changes.findIndex(({ what, shard: [id, count] }) => {
    if (what === 'identified' && count === 4) begun.add(id);
    return begun.size === 4;
  });
  const lastEnd = changes.findLastIndex(({ what, shard }) => what === 'closed' && shard[1] === 2);
  expect(lastEnd).toBeGreaterThan(lastBegin);
  await all.discord.until(() =>
    towns.every(([, channel]) => texts.every((text) => replies(channel, text) >= 1)),
  );
  for (const [guild, channel] of towns)
    await all.discord.command(guild.owner, { channel, name: 'status' }).answer();
  for (const [, channel] of towns)
    expect(texts.map((text) => replies(channel, text))).toEqual(texts.map(() => 1));
});

test('a room goes on in the process that gets its shard, with one line in it', async () => {
  const group = (channelId: string) => {
    const made = createDaveGroup({ channelId });
    return { group: made, person: (userId: string) => createDavePerson(made, userId) };
  };
  const all = await openProcesses({ shards: 2, maxConcurrency: 2, voice: { dave: group } });
  const towns = all.towns(2);
  const [first] = [await all.open({ clock: realClock })];
  await expect.poll(() => counts(all.owners(2))).toEqual([2]);
  const lounges: FakeChannel[] = [];
  for (const [guild] of towns) {
    const ann = all.discord.user({ name: 'Ann' });
    guild.join(ann);
    const lounge = guild.channel({ type: 'voice', name: 'lounge' });
    lounge.join(ann);
    await all.discord.command(ann, { channel: lounge, name: 'join' }).answer();
    lounges.push(lounge);
  }
  const there = (lounge: FakeChannel): boolean =>
    all.discord.voice.connections.some(({ channelId, ready }) => channelId === lounge.id && ready);
  await all.discord.until(() => lounges.every(there));
  await all.open({ clock: realClock });
  await expect.poll(() => counts(all.owners(2))).toEqual([1, 1]);
  const moved = all.owners(2).findIndex(([name]) => name !== first.name);
  const backIn = (lounge: FakeChannel): number =>
    textsIn(lounge).filter((text) => text.includes(sentence('room.back'))).length;
  await all.discord.until(() => backIn(lounges[moved]!) === 1 && lounges.every(there));
  expect(lounges.map(backIn)).toEqual(lounges.map((_, id) => (id === moved ? 1 : 0)));
});
