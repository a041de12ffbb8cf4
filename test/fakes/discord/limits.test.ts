import { expect, test } from 'vitest';
import { startDiscordFake } from './index.ts';
import { login, request } from './login.ts';

test('a bucket tells what is left, refuses beyond it and opens again', async () => {
  await using discord = await startDiscordFake();
  discord.clock.stop();
  const channel = discord.guild().channel();
  const post = `POST /channels/${channel.id}/messages`;
  const left: (string | null)[] = [];
  for (let index = 0; index < 5; index += 1)
    left.push(
      (await request(discord, post, { content: 'x' })).headers.get('x-ratelimit-remaining'),
    );
  expect(left).toEqual(['4', '3', '2', '1', '0']);
  const refused = await request(discord, post, { content: 'x' });
  expect(refused.status).toBe(429);
  expect(refused.body).toMatchObject({ global: false });
  expect(refused.headers.get('retry-after')).toBe('5');
  expect(channel.messages).toHaveLength(5);
  expect(discord.invalidRequests).toBe(1);
  discord.clock.advance(5000);
  expect((await request(discord, post, { content: 'x' })).status).toBe(200);
});

test('fifty requests a second are the most over all routes, webhooks and interactions apart', async () => {
  await using discord = await startDiscordFake();
  discord.clock.stop();
  const guild = discord.guild();
  const channel = guild.channel();
  const hook = channel.webhook(guild.owner);
  const paths = Array.from({ length: 60 }, () => `GET /channels/${guild.channel().id}`);
  const answers = await Promise.all(paths.map(async (path) => request(discord, path)));
  const refused = answers.filter((one) => one.status === 429);
  expect(refused).toHaveLength(10);
  expect(refused[0]?.headers.get('x-ratelimit-global')).toBe('true');
  const path = `POST /webhooks/${hook.id}/${hook.webhook.token}`;
  expect((await request(discord, path, { content: 'x' })).status).toBe(204);
});

test('discord.js keeps within the limits by itself, twenty times faster here', async () => {
  await using discord = await startDiscordFake({ speed: 20 });
  const channel = discord.guild().channel();
  await using bot = await login(discord);
  const room = await bot.client.channels.fetch(channel.id);
  if (!room?.isSendable()) throw new Error('cannot write there');
  await Promise.all(Array.from({ length: 12 }, (_, index) => room.send(String(index))));
  expect(channel.messages).toHaveLength(12);
  expect(discord.requests.some((one) => one.status === 429)).toBe(false);
});

test('without limits nothing is refused', async () => {
  await using discord = await startDiscordFake({ limits: 'off' });
  const post = `POST /channels/${discord.guild().channel().id}/messages`;
  const all = await Promise.all(
    Array.from({ length: 60 }, async () => request(discord, post, { content: 'x' })),
  );
  expect(all.every((one) => one.status === 200)).toBe(true);
});

test('faults spoil a route as often as was asked', async () => {
  await using discord = await startDiscordFake();
  const channel = discord.guild().channel();
  const route = 'POST /channels/:id/messages';
  const post = `POST /channels/${channel.id}/messages`;
  discord.fail(route, { status: 503, body: { message: 'down' } });
  expect((await request(discord, post, { content: 'x' })).status).toBe(503);
  expect(channel.messages).toEqual([]);
  discord.fail(route, { close: 'after' });
  await expect(request(discord, post, { content: 'y' })).rejects.toThrow();
  expect(channel.last?.content).toBe('y');
  discord.fail(route, { reset: 'before' }, { while: ({ body }) => body['content'] === 'bad' });
  await expect(request(discord, post, { content: 'bad' })).rejects.toThrow();
  await expect(request(discord, post, { content: 'bad' })).rejects.toThrow();
  expect((await request(discord, post, { content: 'good' })).status).toBe(200);
  discord.heal();
  expect((await request(discord, post, { content: 'bad' })).status).toBe(200);
  expect(() => discord.fail('POST /nowhere', { hang: true })).toThrow('no route');
});

test('a file can break off in the middle', async () => {
  await using discord = await startDiscordFake();
  const bytes = Buffer.alloc(200_000, 7);
  const attachments = [{ name: 'a.bin', bytes }];
  const said = discord.guild().channel().say(discord.user(), '', { attachments });
  const url = said.attachments[0]?.url ?? '';
  discord.fail('GET /cdn', { reset: 'after' });
  await expect(fetch(url).then(async (answer) => answer.arrayBuffer())).rejects.toThrow();
  expect((await (await fetch(url)).arrayBuffer()).byteLength).toBe(bytes.byteLength);
  expect(discord.requests.filter((one) => one.route === 'GET /cdn')).toHaveLength(2);
});
