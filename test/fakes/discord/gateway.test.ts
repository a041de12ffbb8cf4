import { Events, GatewayIntentBits } from 'discord.js';
import { expect, test } from 'vitest';
import { startDiscordFake } from './index.ts';
import { connect, identity, login } from './login.ts';

test('discord.js logs in and knows the servers, channels and its own rights', async () => {
  await using discord = await startDiscordFake();
  const guild = discord.guild({ name: 'Home' });
  const channel = guild.channel({ name: 'talk' });
  channel.say(discord.user(), 'before anybody listened');
  await using bot = await login(discord);
  const known = bot.client.guilds.cache.get(guild.id);
  expect(known?.name).toBe('Home');
  const seen = await bot.client.channels.fetch(channel.id);
  expect(seen?.isTextBased() && seen.lastMessageId).toBe(channel.last?.id);
  expect(known?.members.me?.permissions.has('ManageWebhooks')).toBe(true);
  expect(known?.members.me?.permissions.has('Administrator')).toBe(false);
});

test('a message comes in with its files and one goes out', async () => {
  await using discord = await startDiscordFake();
  const channel = discord.guild().channel();
  const ann = discord.user({ name: 'ann' });
  await using bot = await login(discord);
  bot.client.on(Events.MessageCreate, (message) => {
    if (!message.author.bot) void message.reply(`got ${message.attachments.first()?.name}`);
  });
  const asked = channel.say(ann, 'listen', {
    attachments: [{ name: 'a.ogg', contentType: 'audio/ogg', bytes: Buffer.from('OggS') }],
  });
  const seen = await channel.until((all) => all.length === 2);
  expect(seen[1]).toMatchObject({ content: 'got a.ogg', replyTo: asked.id, author: 'Dragoman' });
});

test('a cut connection resumes and misses nothing', async () => {
  await using discord = await startDiscordFake();
  const channel = discord.guild().channel();
  const ann = discord.user();
  await using bot = await login(discord);
  const heard: string[] = [];
  bot.client.on(Events.MessageCreate, (message) => void heard.push(message.content));
  channel.say(ann, 'one');
  discord.gateway.drop();
  channel.say(ann, 'two');
  channel.say(ann, 'three');
  await discord.until(() => discord.gateway.resumes === 1);
  channel.say(ann, 'four');
  await expect.poll(() => heard).toEqual(['one', 'two', 'three', 'four']);
  expect(discord.gateway.identifies).toBe(1);
});

test('a forgotten session is opened anew, and what came in between is lost', async () => {
  await using discord = await startDiscordFake({ speed: 100 });
  const channel = discord.guild().channel();
  const ann = discord.user();
  await using bot = await login(discord);
  const heard: string[] = [];
  bot.client.on(Events.MessageCreate, (message) => void heard.push(message.content));
  discord.gateway.invalidate();
  channel.say(ann, 'unheard');
  await discord.until(() => discord.gateway.identifies === 2);
  channel.say(ann, 'heard');
  await expect.poll(() => heard).toEqual(['heard']);
});

test('refused connections are tried again until they are taken', async () => {
  await using discord = await startDiscordFake({ speed: 100 });
  const channel = discord.guild().channel();
  await using bot = await login(discord);
  const heard: string[] = [];
  bot.client.on(Events.MessageCreate, (message) => void heard.push(message.content));
  discord.gateway.refuse(true);
  discord.gateway.drop();
  await discord.until(() => discord.gateway.refusals > 0);
  discord.gateway.refuse(false);
  await discord.online();
  channel.say(discord.user(), 'back');
  await expect.poll(() => heard).toEqual(['back']);
});

test('a connection that acknowledges no heartbeat is given up and resumed', async () => {
  await using discord = await startDiscordFake({ heartbeatMs: 40 });
  discord.guild();
  await using bot = await login(discord);
  expect(bot.client.isReady()).toBe(true);
  // A busy machine may have been too late for the first heartbeats.
  const { identifies } = discord.gateway;
  discord.gateway.mute(true);
  await discord.until(() => discord.gateway.resumes > 0);
  discord.gateway.mute(false);
  expect(discord.gateway.identifies).toBe(identifies);
});

test('an intent that the portal does not grant ends the connection with 4014', async () => {
  await using discord = await startDiscordFake({ privilegedIntents: ['GuildMembers'] });
  await expect(login(discord)).rejects.toThrow('disallowed intents');
  using raw = await connect(discord);
  raw.send(2, identity(discord));
  await expect(raw.next()).rejects.toThrow('closed 4014');
});

test.each([
  ['a wrong token', 4004, { token: 'nonsense' }],
  ['unknown intents', 4013, { intents: 1 << 30 }],
  ['a shard beyond the count', 4010, { shard: [2, 2] }],
])('%s is closed with %i', async (_what, code, part) => {
  await using discord = await startDiscordFake();
  using raw = await connect(discord);
  raw.send(2, identity(discord, part));
  await expect(raw.next()).rejects.toThrow(`closed ${code}`);
});

test('what no client may send is closed with its code', async () => {
  await using discord = await startDiscordFake();
  using early = await connect(discord);
  early.send(8, {});
  await expect(early.next()).rejects.toThrow('closed 4003');
  using twice = await connect(discord);
  twice.send(2, identity(discord));
  await twice.event('READY');
  twice.send(2, identity(discord));
  await expect(twice.next()).rejects.toThrow('closed 4005');
});

test('a second IDENTIFY within five seconds is refused, one after them is taken', async () => {
  await using discord = await startDiscordFake();
  discord.clock.stop();
  using first = await connect(discord);
  first.send(2, identity(discord));
  await first.event('READY');
  using second = await connect(discord);
  second.send(2, identity(discord));
  expect(await second.next()).toMatchObject({ op: 9, d: false });
  discord.clock.advance(5000);
  second.send(2, identity(discord));
  expect(await second.event('READY')).toMatchObject({ v: 10 });
});

test('a RESUME is refused beyond the kept events and after the life of a session', async () => {
  await using discord = await startDiscordFake({ replayLimit: 2 });
  const channel = discord.guild().channel();
  using raw = await connect(discord);
  raw.send(2, identity(discord));
  const ready = await raw.event('READY');
  await raw.event('GUILD_CREATE');
  for (const text of ['a', 'b', 'c']) channel.say(discord.user(), text);
  const resume = { token: discord.token, session_id: ready['session_id'], seq: 1 };
  using late = await connect(discord);
  late.send(6, resume);
  expect(await late.next()).toMatchObject({ op: 9, d: false });
});

test('a RESUME brings exactly what came after its number, unless the client had said goodbye', async () => {
  await using discord = await startDiscordFake();
  const channel = discord.guild().channel();
  using raw = await connect(discord);
  raw.send(2, identity(discord));
  const ready = await raw.event('READY');
  await raw.event('GUILD_CREATE');
  for (const text of ['a', 'b', 'c']) channel.say(discord.user(), text);
  await raw.event('MESSAGE_CREATE');
  const resume = { token: discord.token, session_id: ready['session_id'], seq: 4 };
  using again = await connect(discord);
  again.send(6, resume);
  const types: (string | null)[] = [];
  while (types.at(-1) !== 'RESUMED') types.push((await again.next()).t);
  expect(types.filter((one) => one === 'MESSAGE_CREATE')).toHaveLength(2);
  again.close(1000);
  await discord.until(() => discord.gateway.sessions.length === 0);
  using late = await connect(discord);
  late.send(6, resume);
  expect(await late.next()).toMatchObject({ op: 9, d: false });
});

test('text of others is blank without the Message Content intent, but not where it is for the bot', async () => {
  await using discord = await startDiscordFake();
  const channel = discord.guild().channel();
  const ann = discord.user();
  const { Guilds, GuildMessages, DirectMessages } = GatewayIntentBits;
  using raw = await connect(discord);
  raw.send(2, identity(discord, { intents: Guilds | GuildMessages | DirectMessages }));
  await raw.event('GUILD_CREATE');
  channel.say(ann, 'secret', { attachments: [{ name: 'a.txt', bytes: Buffer.from('x') }] });
  expect(await raw.event('MESSAGE_CREATE')).toMatchObject({ content: '', attachments: [] });
  channel.say(ann, `hello ${discord.botUser.mention}`);
  expect(await raw.event('MESSAGE_CREATE')).toMatchObject({
    content: `hello ${discord.botUser.mention}`,
  });
  ann.dm().say(ann, 'between us');
  expect(await raw.event('MESSAGE_CREATE')).toMatchObject({ content: 'between us' });
});

test('events go to the shard of their server, and only by intent and by sight', async () => {
  await using discord = await startDiscordFake({ maxConcurrency: 2, shards: 2 });
  const guild = discord.guild();
  const [open, closed] = [guild.channel(), guild.channel()];
  closed.deny('ViewChannel');
  const shard = Number((BigInt(guild.id) >> 22n) % 2n);
  using own = await connect(discord);
  own.send(2, identity(discord, { shard: [shard, 2] }));
  await own.event('GUILD_CREATE');
  using other = await connect(discord);
  other.send(2, identity(discord, { shard: [1 - shard, 2] }));
  await other.event('READY');
  const ann = discord.user();
  guild.join(ann);
  closed.say(ann, 'hidden');
  open.say(ann, 'seen');
  expect(await own.event('MESSAGE_CREATE')).toMatchObject({ content: 'seen' });
  other.send(1, null);
  expect(await other.next()).toMatchObject({ op: 11 });
});

test('events can be lost, doubled and swapped', async () => {
  await using discord = await startDiscordFake();
  const channel = discord.guild().channel();
  const ann = discord.user();
  await using bot = await login(discord);
  const heard: string[] = [];
  bot.client.on(Events.Raw, (one: { t: string; d: { content: string } }) => {
    if (one.t === 'MESSAGE_CREATE') heard.push(one.d.content);
  });
  discord.gateway.spoil('MESSAGE_CREATE', 'drop');
  channel.say(ann, 'lost');
  discord.gateway.spoil('MESSAGE_CREATE', 'duplicate');
  channel.say(ann, 'twice');
  discord.gateway.spoil('MESSAGE_CREATE', 'swap');
  channel.say(ann, 'second');
  channel.say(ann, 'first');
  await expect.poll(() => heard).toEqual(['twice', 'twice', 'first', 'second']);
});

test('a new process gets the world anew while the old session is still remembered', async () => {
  await using discord = await startDiscordFake({ speed: 100 });
  const channel = discord.guild().channel();
  using killed = await connect(discord);
  killed.send(2, identity(discord));
  await killed.event('GUILD_CREATE');
  killed[Symbol.dispose]();
  await discord.until(() => discord.gateway.sessions.every((one) => !one.connected));
  discord.clock.advance(1000);
  await using bot = await login(discord);
  expect(bot.client.channels.cache.has(channel.id)).toBe(true);
  expect(discord.gateway.sessions).toHaveLength(2);
  discord.clock.advance(10 * 60_000);
  expect(discord.gateway.sessions).toHaveLength(1);
});

test('a deleted channel is gone, an outage passes, and a kicked bot is told and then refused', async () => {
  await using discord = await startDiscordFake();
  const guild = discord.guild();
  const [gone, kept] = [guild.channel(), guild.channel()];
  await using bot = await login(discord);
  const deleted = new Promise((resolve) => bot.client.once(Events.ChannelDelete, resolve));
  const room = await bot.client.channels.fetch(gone.id);
  gone.delete();
  await deleted;
  await expect(room?.isSendable() && room.send('x')).rejects.toMatchObject({ code: 10003 });
  const out = new Promise((resolve) => bot.client.once(Events.GuildUnavailable, resolve));
  guild.outage();
  await out;
  const back = new Promise((resolve) => bot.client.once(Events.GuildAvailable, resolve));
  guild.recover();
  await back;
  const still = await bot.client.channels.fetch(kept.id);
  const left = new Promise((resolve) => bot.client.once(Events.GuildDelete, resolve));
  guild.kickBot();
  await left;
  await expect(still?.isSendable() && still.send('x')).rejects.toMatchObject({ code: 50001 });
});

test('one IDENTIFY of a key is taken in five seconds, and as many a day as are left', async () => {
  await using discord = await startDiscordFake({ shards: 3, maxConcurrency: 2 });
  const identify = async (shard: number) => {
    const gateway = await connect(discord);
    gateway.send(2, identity(discord, { shard: [shard, 3] }));
    return gateway.next().then(
      ({ op, t }) => t ?? op,
      (error: Error) => error.message,
    );
  };
  expect([await identify(0), await identify(1), await identify(2)]).toEqual(['READY', 'READY', 9]);
  expect(discord.gateway.throttled).toBe(1);
  discord.clock.advance(5_000);
  expect(await identify(2)).toBe('READY');
  discord.gateway.startsLeft = 0;
  discord.clock.advance(5_000);
  expect(await identify(2)).toBe('closed 4004');
});

test('who had which shard is noted, by the address that each client uses', async () => {
  await using discord = await startDiscordFake({ limits: 'off', shards: 2 });
  for (const client of ['one', 'two']) {
    using gateway = await connect({ ...discord, url: discord.urlFor(client) });
    gateway.send(2, identity(discord, { shard: [client === 'one' ? 0 : 1, 2] }));
    await gateway.event('READY');
  }
  await discord.until(() => discord.gateway.sessions.every(({ connected }) => !connected));
  expect(discord.gateway.log.map(({ client, shard, what }) => [client, shard[0], what])).toEqual([
    ['one', 0, 'identified'],
    ['one', 0, 'closed'],
    ['two', 1, 'identified'],
    ['two', 1, 'closed'],
  ]);
});
