import { PermissionFlagsBits } from 'discord.js';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../fakes/eventually.ts';
import { INVITE_PERMISSIONS } from '../../../adapters/discord/permissions.ts';
import { openDiscord, placeOf } from './support.ts';
import { shared } from '../../fakes/opened.ts';

const discord = shared(() => openDiscord({ limits: 'off' }));

test.each(['voice', 'stage'] as const)('in a %s channel, Connect is needed too', async (type) => {
  const guild = discord.fake.guild();
  const channel = guild.channel({ type });
  const here = placeOf(guild, channel);
  await eventually(async () => expect(await discord.feed.missing(here, 'reply')).toEqual([]));
  channel.deny('Connect');
  await eventually(async () =>
    expect(await discord.feed.missing(here, 'reply')).toEqual(['Connect']),
  );
});

test('in a text channel nobody connects', async () => {
  const guild = discord.fake.guild();
  const channel = guild.channel();
  channel.deny('Connect');
  const here = placeOf(guild, channel);
  await eventually(async () => expect(await discord.feed.missing(here, 'mirror')).toEqual([]));
});

describe('what an invite asks for', () => {
  test.each(['reply', 'thread', 'mirror'] as const)('is enough for %s', async (mode) => {
    const guild = discord.fake.guild({ everyonePermissions: [] });
    const here = placeOf(guild, guild.channel());
    await eventually(async () => expect(await discord.feed.missing(here, mode)).toEqual([]));
  });

  test('is enough in the chat of a voice channel', () => {
    expect(INVITE_PERMISSIONS & PermissionFlagsBits.Connect).not.toBe(0n);
  });
});

test('what webhooks have written is in moderators’ hands: replies need no right to it, copies do', async () => {
  const guild = discord.fake.guild();
  const channel = guild.channel();
  channel.deny('ManageMessages');
  const here = placeOf(guild, channel);
  for (const [mode, missing] of [
    ['mirror', ['Manage Messages']],
    ['thread', ['Manage Messages']],
    ['reply', []],
  ] as const)
    await eventually(async () => expect(await discord.feed.missing(here, mode)).toEqual(missing));
});
