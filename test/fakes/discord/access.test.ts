import { expect, test } from 'vitest';
import { startDiscordFake } from './index.ts';
import { request } from './login.ts';

test.each(['voice', 'stage'] as const)('without Connect a %s channel is closed', async (type) => {
  await using discord = await startDiscordFake({ limits: 'off' });
  const channel = discord.guild().channel({ type });
  const post = `POST /channels/${channel.id}/messages`;
  expect((await request(discord, post, { content: 'x' })).status).toBe(200);
  channel.deny('Connect');
  expect((await request(discord, post, { content: 'x' })).body).toMatchObject({ code: 50_001 });
});

test('who has reacted is told page by page, bots as such', async () => {
  await using discord = await startDiscordFake({ limits: 'off' });
  const said = discord.guild().channel().say(discord.user(), 'x');
  const [ann, menu] = [discord.user({ name: 'Ann' }), discord.user({ name: 'Menu', bot: true })];
  for (const each of [ann, menu]) said.react(each, '🇯🇵');
  const path = `/channels/${said.channel.id}/messages/${said.id}/reactions/${encodeURIComponent('🇯🇵')}`;
  const list = async (query: string): Promise<unknown> =>
    (await request(discord, `GET ${path}?${query}`)).body;
  expect(await list('type=0')).toMatchObject([{ id: ann.id }, { id: menu.id, bot: true }]);
  expect(await list('limit=1')).toHaveLength(1);
  expect(await list(`after=${ann.id}`)).toMatchObject([{ id: menu.id }]);
  expect(await list('type=1')).toEqual([]);
  expect(await list('limit=101')).toMatchObject({ code: 50_035 });
});
