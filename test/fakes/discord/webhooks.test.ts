import { WebhookClient } from 'discord.js';
import { expect, test } from 'vitest';
import { startDiscordFake } from './index.ts';
import { request } from './login.ts';

const setUp = async (options?: Parameters<typeof startDiscordFake>[0]) => {
  const discord = await startDiscordFake(options);
  const guild = discord.guild();
  const channel = guild.channel();
  const create = async (name = 'mirror', id = channel.id) => {
    const { status, body } = await request(discord, `POST /channels/${id}/webhooks`, { name });
    return { status, code: body['code'], id: String(body['id']), token: String(body['token']) };
  };
  return { discord, guild, channel, create };
};

test('a webhook posts, edits and deletes under any name, and cannot be edited as a message', async () => {
  const { discord, channel, create } = await setUp();
  await using _ = discord;
  const { id, token } = await create();
  const hook = new WebhookClient({ id, token }, { rest: { api: discord.url } });
  const sent = await hook.send({
    content: 'hola',
    username: 'Ann',
    avatarURL: 'https://example.org/a.png',
  });
  expect(channel.last).toMatchObject({
    author: 'Ann',
    content: 'hola',
    webhookId: id,
    avatarUrl: 'https://example.org/a.png',
  });
  await hook.editMessage(sent.id, { content: 'hola!' });
  expect(channel.last).toMatchObject({ content: 'hola!', edited: true });
  const patched = await request(discord, `PATCH /channels/${channel.id}/messages/${sent.id}`, {
    content: 'x',
  });
  expect(patched.body['code']).toBe(50005);
  await hook.deleteMessage(sent.id);
  expect(channel.messages).toEqual([]);
  await expect(hook.editMessage(sent.id, { content: 'x' })).rejects.toMatchObject({ code: 10008 });
});

test('a channel takes fifteen webhooks, and their names are checked', async () => {
  const { discord, channel, create } = await setUp();
  await using _ = discord;
  for (const name of ['Clyde', 'my discord', '', 'x'.repeat(81)])
    expect((await create(name)).code).toBe(50035);
  for (let index = 0; index < 15; index += 1) expect((await create()).status).toBe(200);
  expect((await create()).code).toBe(30007);
  expect(channel.webhooks).toHaveLength(15);
});

test('a server makes twenty-five webhooks an hour', async () => {
  const { discord, guild, create } = await setUp();
  await using _ = discord;
  const rooms = [guild.channel(), guild.channel()];
  discord.clock.stop();
  const statuses: number[] = [];
  for (let index = 0; index < 26; index += 1)
    statuses.push((await create('x', rooms[index % 2]?.id)).status);
  expect(statuses.filter((one) => one === 200)).toHaveLength(25);
  expect(statuses.at(-1)).toBe(429);
  discord.clock.advance(3_600_000);
  expect((await create()).status).toBe(200);
});

test('a webhook that was deleted by hand is unknown; a wrong token is none', async () => {
  const { discord, channel, create } = await setUp();
  await using _ = discord;
  const { id, token } = await create();
  expect(
    (await request(discord, `POST /webhooks/${id}/wrong`, { content: 'x' })).body['code'],
  ).toBe(50027);
  channel.webhooks[0]?.delete();
  const answer = await request(discord, `POST /webhooks/${id}/${token}`, { content: 'x' });
  expect([answer.status, answer.body['code']]).toEqual([404, 10015]);
});

test('a channel takes thirty messages a minute from webhooks, which no header tells', async () => {
  const { discord, channel, create } = await setUp();
  await using _ = discord;
  discord.clock.stop();
  const hooks = [await create(), await create()];
  const answers: { status: number; left: string | null }[] = [];
  for (let index = 0; index < 31; index += 1) {
    const { id, token } = hooks[index % 2] ?? { id: '', token: '' };
    if (index % 8 === 7) discord.clock.advance(2000);
    const { status, headers } = await request(discord, `POST /webhooks/${id}/${token}`, {
      content: 'x',
    });
    answers.push({ status, left: headers.get('x-ratelimit-remaining') });
  }
  expect(answers.slice(0, 30).every((one) => one.status === 204)).toBe(true);
  expect(answers[30]?.status).toBe(429);
  expect(Number(answers[29]?.left)).toBeGreaterThan(0);
  expect(channel.messages).toHaveLength(30);
});

test('messages go to threads of the channel only, and forums need one', async () => {
  const { discord, guild, channel, create } = await setUp();
  await using _ = discord;
  const ann = discord.user();
  const [own, foreign] = [
    channel.startThread(ann, 'own'),
    guild.channel().startThread(ann, 'other'),
  ];
  const { id, token } = await create();
  const path = `POST /webhooks/${id}/${token}`;
  expect((await request(discord, `${path}?thread_id=${own.id}`, { content: 'x' })).status).toBe(
    204,
  );
  expect(own.last?.content).toBe('x');
  expect(
    (await request(discord, `${path}?thread_id=${foreign.id}`, { content: 'x' })).body['code'],
  ).toBe(10003);
  const forum = guild.channel({ type: 'forum' });
  const inForum = await create('posts', forum.id);
  const post = `POST /webhooks/${inForum.id}/${inForum.token}`;
  expect((await request(discord, post, { content: 'x' })).body['code']).toBe(220_001);
  await request(discord, post, { content: 'x', thread_name: 'New' });
  const [made] = forum.threads;
  expect([made?.last?.content, made?.last?.id]).toEqual(['x', made?.id]);
});

test('discord.js waits out what no header tells, and everything arrives once', async () => {
  const { discord, channel, create } = await setUp({ speed: 40 });
  await using _ = discord;
  const texts = Array.from({ length: 17 }, (_each, index) => String(index));
  const sendAll = async (username: string) => {
    const { id, token } = await create();
    const hook = new WebhookClient({ id, token }, { rest: { api: discord.url } });
    await Promise.all(texts.map(async (content) => hook.send({ content, username })));
  };
  await Promise.all(['Ann', 'Bob'].map(sendAll));
  for (const name of ['Ann', 'Bob']) {
    const own = channel.messages.filter((one) => one.author === name);
    expect(own.map((one) => one.content)).toEqual(texts);
  }
  expect(discord.requests.some((one) => one.status === 429)).toBe(true);
});
