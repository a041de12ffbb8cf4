import { expect, test } from 'vitest';
import { eventually } from '../../fakes/eventually.ts';
import { openDiscord } from './support.ts';
import { shared } from '../../fakes/opened.ts';

const discord = shared(() => openDiscord({ limits: 'off' }));

const newServer = () => {
  const guild = discord.fake.guild();
  const [ada, eve] = [discord.fake.user({ name: 'Ada' }), discord.fake.user({ name: 'Eve' })];
  guild.join(ada);
  guild.join(eve);
  guild.ban(eve);
  const isBanned = async (id: string) =>
    discord.adapter.platform.feed?.isBanned?.({ platform: 'discord', id: guild.id }, id);
  return { guild, ada, eve, isBanned };
};

test('bans are looked up where the bot may ban', async () => {
  const { guild, ada, eve, isBanned } = newServer();
  guild.setBotPermissions(['ViewChannel', 'BanMembers']);
  await eventually(async () => expect(await isBanned(eve.id)).toBe(true));
  expect(await isBanned(ada.id)).toBe(false);
});

test('nothing is asked where the bot may not, as refusals would block it', async () => {
  const { isBanned, eve } = newServer();
  const before = discord.fake.requests.length;
  expect(await isBanned(eve.id)).toBeUndefined();
  expect(discord.fake.requests.slice(before).filter(({ path }) => path.includes('/bans/'))).toEqual(
    [],
  );
});
