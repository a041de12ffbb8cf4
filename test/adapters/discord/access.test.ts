import { describe, expect, test } from 'vitest';
import type { Access } from '../../../src/ports/platform.ts';
import type { FakeChannel } from '../../fakes/discord/driver/channel.ts';
import type { ChannelOptions, FakeGuild } from '../../fakes/discord/driver/guild.ts';
import { eventually } from '../../fakes/eventually.ts';
import { openDiscord, placeOf } from './support.ts';
import { shared } from '../../fakes/opened.ts';

const discord = shared(() => openDiscord({ limits: 'off' }));

/** A server with Ada, who has the role Team, and Bob, who has none. */
const newServer = () => {
  const guild = discord.fake.guild();
  const team = guild.role('Team');
  const [ada, bob] = [discord.fake.user({ name: 'Ada' }), discord.fake.user({ name: 'Bob' })];
  guild.join(ada, [team]);
  guild.join(bob);
  return { guild, team, ada, bob };
};

const accessOf = async (
  guild: FakeGuild,
  channel: FakeChannel,
  id: string,
  roles: readonly string[] = [],
): Promise<Access | undefined> => {
  const member = {
    platform: 'discord',
    id,
    name: id,
    locale: 'en',
    role: 'member',
    roles,
  } as const;
  return discord.adapter.platform.access?.(member, placeOf(guild, channel));
};

/** Expects what the two of them may do, once the bot has heard of the channel. */
const expectAccess = async (
  permissions: (ids: { team: string; ada: string; bob: string }) => ChannelOptions['permissions'],
  expected: { ada: Access; bob: Access },
  type: NonNullable<ChannelOptions['type']> = 'text',
): Promise<void> => {
  const { guild, team, ada, bob } = newServer();
  const overwrites = permissions({ team: team.id, ada: ada.id, bob: bob.id }) ?? {};
  const bot = { allow: ['ViewChannel', 'Connect'] } as const;
  const channel = guild.channel({ type, permissions: { ...overwrites, bot } });
  await eventually(async () =>
    expect({
      ada: await accessOf(guild, channel, ada.id, [team.id]),
      bob: await accessOf(guild, channel, bob.id),
    }).toEqual(expected),
  );
};

describe('what a member may do in a channel', () => {
  test('everything where nothing is denied', async () => {
    await expectAccess(() => ({}), { ada: 'write', bob: 'write' });
  });

  test('nothing where everybody is kept out, but for roles and people who are let in', async () => {
    const shut = { deny: ['ViewChannel'] } as const;
    const open = { allow: ['ViewChannel'] } as const;
    await expectAccess(({ team }) => ({ everyone: shut, [team]: open }), {
      ada: 'write',
      bob: 'none',
    });
    await expectAccess(({ bob }) => ({ everyone: shut, [bob]: open }), {
      ada: 'none',
      bob: 'write',
    });
  });

  test('nothing where a role is let in and the person kept out', async () => {
    await expectAccess(
      ({ team, ada }) => ({
        everyone: { deny: ['ViewChannel'] },
        [team]: { allow: ['ViewChannel'] },
        [ada]: { deny: ['ViewChannel'] },
      }),
      { ada: 'none', bob: 'none' },
    );
  });

  test('reading where writing is denied', async () => {
    await expectAccess(
      ({ team }) => ({
        everyone: { deny: ['SendMessages'] },
        [team]: { allow: ['SendMessages'] },
      }),
      { ada: 'write', bob: 'see' },
    );
  });

  test('nothing where people speak and one may not connect', async () => {
    await expectAccess(
      ({ bob }) => ({ [bob]: { deny: ['Connect'] } }),
      { ada: 'write', bob: 'none' },
      'voice',
    );
  });

  test('everything for the owner and for administrators', async () => {
    const { guild, bob } = newServer();
    const admin = guild.role('Admin', ['Administrator']);
    const channel = guild.channel({
      permissions: { everyone: { deny: ['ViewChannel'] }, bot: { allow: ['ViewChannel'] } },
    });
    await eventually(async () => {
      expect(await accessOf(guild, channel, guild.owner.id)).toBe('write');
      expect(await accessOf(guild, channel, bob.id, [admin.id])).toBe('write');
      expect(await accessOf(guild, channel, bob.id)).toBe('none');
    });
  });

  test('that of its channel in a thread, and of a private one only for those who were added', async () => {
    const { guild, ada, bob } = newServer();
    const keeper = guild.role('Keeper', ['ManageThreads']);
    const channel = guild.channel({
      permissions: { [bob.id]: { deny: ['SendMessagesInThreads'] } },
    });
    const open = channel.startThread(ada, 'open');
    const shut = channel.startThread(ada, 'shut', undefined, 'private');
    await eventually(async () => expect(await accessOf(guild, shut, ada.id)).toBe('write'));
    expect(await accessOf(guild, open, ada.id)).toBe('write');
    expect(await accessOf(guild, open, bob.id)).toBe('see');
    expect(await accessOf(guild, shut, bob.id)).toBe('none');
    expect(await accessOf(guild, shut, bob.id, [keeper.id])).toBe('see');
    shut.add(bob);
    expect(await accessOf(guild, shut, bob.id)).toBe('see');
  });

  test('does not depend on what we may see, and is nothing in another server’s channel', async () => {
    const { guild, bob } = newServer();
    const hidden = guild.channel({ permissions: { bot: { deny: ['ViewChannel'] } } });
    const elsewhere = newServer().guild.channel();
    await eventually(async () => expect(await accessOf(guild, hidden, bob.id)).toBe('write'));
    expect(await accessOf(guild, elsewhere, bob.id)).toBe('none');
    const thread = elsewhere.startThread(bob, 'far');
    thread.archive();
    expect(await accessOf(guild, thread, bob.id)).toBe('none');
  });

  test('that of its channel in an archived thread, and unknown where a channel is gone', async () => {
    const { guild, ada, bob } = newServer();
    const channel = guild.channel({
      permissions: { [bob.id]: { deny: ['ViewChannel'] } },
    });
    const thread = channel.startThread(ada, 'old');
    const shut = channel.startThread(ada, 'shut', undefined, 'private');
    for (const each of [thread, shut]) each.archive();
    await eventually(async () => expect(await accessOf(guild, thread, ada.id)).toBe('write'));
    expect(await accessOf(guild, thread, bob.id)).toBe('none');
    expect(await accessOf(guild, shut, guild.owner.id)).toBe('write');
    channel.delete();
    await eventually(async () => expect(await accessOf(guild, channel, ada.id)).toBeUndefined());
  });
});

test('whether a member reads what was written before goes by the permission of that', async () => {
  const { guild, team, ada, bob } = newServer();
  const channel = guild.channel({
    permissions: {
      everyone: { deny: ['ReadMessageHistory'] },
      [team.id]: { allow: ['ReadMessageHistory'] },
    },
  });
  const reads = async (id: string, roles: readonly string[] = []) =>
    discord.adapter.platform.readsHistory?.(
      { platform: 'discord', id, roles },
      placeOf(guild, channel),
    );
  await eventually(async () => expect(await reads(ada.id, [team.id])).toBe(true));
  expect(await reads(bob.id)).toBe(false);
});
