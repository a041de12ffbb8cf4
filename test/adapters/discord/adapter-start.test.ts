import { expect, test } from 'vitest';
import { createTestClock } from '../../fakes/clock.ts';
import { eventually } from '../../fakes/eventually.ts';
import adapterModule from '../../../adapters/discord/index.ts';
import { createDiscordAdapter } from '../../../adapters/discord/adapter.ts';
import { diagnose } from '../../../adapters/discord/doctor.ts';
import { parseConfig } from '../../../src/config.ts';
import { AppError } from '../../../src/errors.ts';
import type { Finding } from '../../../src/model/service.ts';
import { isFailure } from '../../../src/ops/doctor.ts';
import type { ChannelWatch } from '../../../src/model/space.ts';
import type { Agreements, Leases } from '../../../src/ports/processes.ts';
import { startDiscordFake, type FakeChannel, type FakeGuild } from '../../fakes/discord/index.ts';
import { createTestCore, openDiscord, optionsFor, placeOf } from './support.ts';
import { rich } from '../../fakes/rich-text.ts';
import { parseDiscord } from '../../../adapters/discord/rich-text/parse.ts';

const mirrored = (guild: FakeGuild, channel: FakeChannel): ChannelWatch => ({
  channel: placeOf(guild, channel),
  mode: 'mirror',
  languages: ['es'],
  transcribes: false,
  bots: false,
});

test('without a token Discord is left out', async () => {
  const { discord } = parseConfig({}, { discord: adapterModule.config });
  const core = createTestCore();
  expect(await adapterModule.create(discord as never, core)).toBeUndefined();
  expect(
    await Array.fromAsync(adapterModule.diagnose!(discord as never, core, false)),
  ).toMatchObject([{ check: 'Discord', isOptional: true }]);
});

test('a faulty setting is named without its value', () => {
  const read = () =>
    parseConfig(
      { DISCORD_TOKEN: 'Bot my secret', DISCORD_REQUESTS_PER_SECOND: '0' },
      { discord: adapterModule.config },
    );
  expect(read).toThrow(/DISCORD_TOKEN[^]*DISCORD_REQUESTS_PER_SECOND/);
  expect(read).not.toThrow(/secret/);
});

test('says in how many servers it is, or how to add it to one', async () => {
  await using fake = await startDiscordFake({ limits: 'off', botName: 'Dragoman' });
  const start = async (): Promise<string> => {
    await using adapter = createDiscordAdapter(optionsFor(fake), createTestCore());
    const { where } = await adapter.start();
    expect(adapter.ready()).toBe(true);
    return where;
  };
  const link = /https:\/\/discord\.com\/oauth2\/authorize\?client_id=(\d+)&permissions=(\d+)/;
  const [, id, permissions] = link.exec(await start()) ?? [];
  expect(id).toBe(fake.applicationId);
  // React, view, send, messages, embed, attach, history, connect, speak, webhooks, request, threads, in threads, pins.
  const bits = [6n, 10n, 11n, 13n, 14n, 15n, 16n, 20n, 21n, 29n, 32n, 35n, 38n, 51n];
  expect(BigInt(permissions ?? 0)).toBe(bits.reduce((sum, bit) => sum | (1n << bit), 0n));
  fake.guild();
  expect(await start()).toMatch(/^1 server as Dragoman#\d+$/);
});

test('a wrong token is told as such, without it', async () => {
  await using fake = await startDiscordFake({ limits: 'off' });
  const token = `${'wrong'.repeat(4)}.abcdef.${'x'.repeat(30)}`;
  await using adapter = createDiscordAdapter(optionsFor(fake, { token }), createTestCore());
  const starting = adapter.start();
  await expect(starting).rejects.toMatchObject({ code: 'config' });
  await expect(starting).rejects.toThrow(/DISCORD_TOKEN(?!.*wrongwrong)/);
});

test('an intent that was taken away meanwhile is told with the switch to turn on', async () => {
  await using fake = await startDiscordFake({ limits: 'off' });
  fake.revokeIntent('MessageContent');
  // The application says that it may, the gateway that it may not.
  fake.fail('GET /applications/@me', {
    status: 200,
    body: { id: fake.applicationId, name: 'x', flags: 1 << 18, bot: { id: fake.botUser.id } },
  });
  await using adapter = createDiscordAdapter(optionsFor(fake), createTestCore());
  await expect(adapter.start()).rejects.toThrow(/Message Content Intent.*applications\/\d+\/bot/);
});

test('a connection that is closed for good is told with what to do', async () => {
  const told = {
    4004: /DISCORD_TOKEN.*Reset Token/,
    4010: /start again/,
    4011: /more shards.*start again/,
    4012: /newer version/,
    4013: /newer version/,
    4014: /Message Content Intent.*applications\/\d+\/bot/,
  };
  for (const [code, what] of Object.entries(told)) {
    await using discord = await openDiscord({ limits: 'off' });
    const { fake, core, adapter } = discord;
    fake.gateway.close(Number(code));
    await eventually(() => expect(core.logged.join('')).toContain('disconnected for good'));
    const lines = core.logged.filter((line) => line.includes('disconnected for good'));
    expect(lines).toEqual([expect.stringMatching(what)]);
    expect(adapter.ready()).toBe(false);
  }
});

test('without the Message Content intent it works as far as it can, and says what is missing', async () => {
  await using discord = await openDiscord({ limits: 'off', privilegedIntents: [] });
  const { fake, core, feed } = discord;
  expect(core.logged.join('')).toContain('Message Content Intent');
  const guild = fake.guild();
  const channel = guild.channel();
  channel.say(fake.user(), 'cannot be read');
  channel.say(fake.user(), `${fake.botUser.mention} can be read`);
  await eventually(() => expect(core.told.some(({ what }) => what === 'seen')).toBe(true));
  const seen = core.told.filter((one) => one.what === 'seen').map(({ message }) => message.text);
  expect(seen).toEqual([parseDiscord(`${fake.botUser.mention} can be read`)]);
  expect(await feed.missing(placeOf(guild, channel), 'reply')).toEqual(['Message Content Intent']);
});

test('what people must still allow is named as Discord names it', async () => {
  await using discord = await openDiscord({ limits: 'off' });
  const { fake, feed } = discord;
  const guild = fake.guild();
  const channel = guild.channel();
  const here = placeOf(guild, channel);
  await eventually(async () => expect(await feed.missing(here, 'thread')).toEqual([]));
  channel.deny('ManageWebhooks', 'CreatePublicThreads');
  await eventually(async () =>
    expect(await feed.missing(here, 'thread')).toEqual([
      'Manage Webhooks',
      'Create Public Threads',
    ]),
  );
  expect(await feed.missing(here, 'mirror')).toEqual(['Manage Webhooks']);
  expect(await feed.missing(here, 'reply')).toEqual([]);
  channel.deny('ViewChannel');
  await eventually(async () => expect(await feed.missing(here, 'reply')).toEqual(['View Channel']));
});

test('in a thread, what counts is to be allowed to send in threads', async () => {
  await using discord = await openDiscord({ limits: 'off' });
  const { fake, feed } = discord;
  const guild = fake.guild();
  const channel = guild.channel();
  const thread = placeOf(guild, channel.startThread(fake.user(), 'thread'));
  const missing = async () => feed.missing(thread, 'reply');
  channel.deny('SendMessages');
  await eventually(async () =>
    expect(await feed.missing(placeOf(guild, channel), 'reply')).toEqual(['Send Messages']),
  );
  expect(await missing()).toEqual([]);
  channel.deny('SendMessagesInThreads');
  await eventually(async () => expect(await missing()).toEqual(['Send Messages in Threads']));
});

test('the standing thread of a name is made once, and opened again when it is archived', async () => {
  await using discord = await openDiscord({ limits: 'off' });
  const { fake, mirrors } = discord;
  const guild = fake.guild();
  const channel = guild.channel();
  const here = placeOf(guild, channel);
  const [first, second] = await Promise.all([
    mirrors.thread(here, 'Español'),
    mirrors.thread(here, 'Español'),
  ]);
  expect(second).toEqual(first);
  expect(first.channel).toEqual({
    ...placeOf(guild, { id: first.channel.id }),
    parentId: channel.id,
  });
  channel.threads[0]?.archive();
  await using again = createDiscordAdapter(optionsFor(fake), createTestCore());
  await again.start();
  expect(await again.platform.mirrors?.thread(here, 'Español')).toEqual(first);
  await again.platform.post(first.channel, { text: rich('hola') });
  expect(channel.threads.map(({ archived }) => archived)).toEqual([false]);
  channel.threads[0]?.delete();
  await eventually(async () => expect(await mirrors.thread(here, 'Español')).not.toEqual(first));
});

test('Discord being away keeps nothing from starting, and is waited for', async () => {
  await using fake = await startDiscordFake({ limits: 'off' });
  fake.guild();
  fake.fail('GET /applications/@me', { close: 'before' }, { times: 4 });
  await using adapter = createDiscordAdapter(optionsFor(fake), createTestCore());
  expect((await adapter.start()).where).toContain('retrying');
  expect(adapter.ready()).toBe(false);
  await eventually(() => expect(adapter.ready()).toBe(true));
});

test('what all processes agreed on is read again where it could not be read at the start', async () => {
  await using fake = await startDiscordFake({ limits: 'off' });
  fake.guild();
  const core = createTestCore();
  const { agreements } = core.processes;
  let failures = 0;
  const read: Agreements['read'] = async (prefix) => {
    if (failures === 2) return agreements.read(prefix);
    failures += 1;
    throw new AppError('unavailable', 'the database does not answer', { retryable: true });
  };
  const processes = { ...core.processes, agreements: { ...agreements, read } };
  await using adapter = createDiscordAdapter(optionsFor(fake), { ...core, processes });
  expect((await adapter.start()).where).toContain('retrying');
  expect([adapter.ready(), fake.gateway.identifies]).toEqual([false, 0]);
  await eventually(() => expect(adapter.ready()).toBe(true));
  expect(fake.gateway.identifies).toBe(1);
});

test.each([
  ['a gateway', true],
  ['one that only posts', false],
])('a database on which processes of another bot work is refused: %s', async (_, receives) => {
  await using fake = await startDiscordFake({ limits: 'off' });
  const core = createTestCore();
  const { agreements, leases } = core.processes;
  await agreements.agree('discord-bot', 1);
  const isAnyHeld: Leases['isAnyHeld'] = async (set) => set === 'discord-bot 1';
  const processes = { ...core.processes, leases: { ...leases, isAnyHeld }, isAlone: false };
  const part = { ...core, processes, receives };
  await using adapter = createDiscordAdapter(optionsFor(fake), part);
  await expect(adapter.start()).rejects.toMatchObject({ code: 'config' });
  expect([adapter.ready(), fake.gateway.identifies]).toEqual([false, 0]);
});

test('one of several processes is not ready while it waits for its first shards, and is where others have them all', async () => {
  await using fake = await startDiscordFake({ limits: 'off' });
  const clock = createTestClock();
  const core = createTestCore();
  const share: Leases['share'] = () => ({
    stopClaiming: () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  });
  const leases = { ...core.processes.leases, share };
  const processes = { ...core.processes, leases, isAlone: false };
  await using adapter = createDiscordAdapter(optionsFor(fake, { clock }), { ...core, processes });
  const starting = adapter.start();
  await eventually(() => expect(clock.waiting).toBe(1));
  expect(adapter.ready()).toBe(false);
  await clock.advance(8_000);
  expect((await starting).where).toContain('(0 of 1 shards)');
  expect(adapter.ready()).toBe(true);
});

test('while few session starts are left of the day, none is used, and it is looked for more', async () => {
  await using fake = await startDiscordFake({ limits: 'off' });
  const limit = { total: 1_000, remaining: 99, reset_after: 3_600_000, max_concurrency: 1 };
  fake.fail('GET /gateway/bot', {
    status: 200,
    body: { url: fake.url.replace('http', 'ws'), shards: 1, session_start_limit: limit },
  });
  const core = createTestCore();
  await using adapter = createDiscordAdapter(optionsFor(fake), core);
  expect((await adapter.start()).where).toContain('retrying');
  expect(core.logged.join('')).toContain('only 99 of 1000 session starts are left, more in 60 min');
  expect(adapter.ready()).toBe(false);
  expect(fake.gateway.identifies).toBe(0);
  expect(await core.metrics.text()).toContain('\ndragoman_discord_session_starts_left 99\n');
  await eventually(() => expect(adapter.ready()).toBe(true));
});

test('commands are registered once, and again only when they change', async () => {
  await using fake = await startDiscordFake({ limits: 'off' });
  const puts = (): number =>
    fake.requests.filter(({ route }) => route === 'PUT /applications/:id/commands').length;
  const start = async (core = createTestCore()): Promise<void> => {
    await using adapter = createDiscordAdapter(optionsFor(fake), core);
    await adapter.start();
  };
  await start();
  expect(puts()).toBe(1);
  await start();
  expect(puts()).toBe(1);
  const core = createTestCore();
  await start(createTestCore(core.commands('en', 'discord').slice(1)));
  expect(puts()).toBe(2);
});

test('the doctor looks into threads too', async () => {
  await using fake = await startDiscordFake({ limits: 'off' });
  const guild = fake.guild({ name: 'Home' });
  const parent = guild.channel({ name: 'parent' });
  const thread = parent.startThread(fake.user(), 'thread');
  const core = createTestCore();
  core.watched = [
    {
      channel: { ...placeOf(guild, thread), parentId: parent.id },
      mode: 'reply',
      languages: ['es'],
      transcribes: false,
      bots: false,
    },
  ];
  const found = await Array.fromAsync(diagnose(optionsFor(fake), core));
  expect(found.find(({ check }) => check === 'Discord: channel')).toMatchObject({
    ok: true,
    detail: '#thread of Home: all that reply needs',
  });
});

test('the doctor tells what is well and what to do about the rest', async () => {
  await using fake = await startDiscordFake({ limits: 'off', privilegedIntents: [] });
  const guild = fake.guild({ name: 'Home' });
  const [good, bad] = [guild.channel({ name: 'good' }), guild.channel({ name: 'bad' })];
  bad.deny('ManageWebhooks');
  const core = createTestCore();
  core.watched = [good, bad].map((channel) => mirrored(guild, channel));
  const found = await Array.fromAsync(diagnose(optionsFor(fake), core));
  const of = (check: string): Finding | undefined =>
    found.find((finding) => finding.check === `Discord: ${check}`);
  expect(of('token')).toMatchObject({ ok: true });
  expect(of('message content')).toMatchObject({
    ok: false,
    detail: expect.stringContaining('/bot'),
  });
  expect(of('gateway')).toMatchObject({
    ok: true,
    detail: expect.stringMatching(/^1 shard; .* session starts/),
  });
  expect(of('servers')).toMatchObject({ ok: true, detail: 'in 1' });
  const here = found.filter(({ check }) => /(?:channel|webhooks)$/.test(check));
  expect(here).toEqual([
    { check: 'Discord: channel', ok: true, detail: '#good of Home: all that mirror needs' },
    { check: 'Discord: webhooks', ok: true, detail: '#good of Home: 0 of 15 in use' },
    {
      check: 'Discord: channel',
      ok: false,
      detail: '#bad of Home: allow the bot there: Manage Webhooks',
    },
  ]);
  const link = `https://discord.com/oauth2/authorize?client_id=${fake.applicationId}&`;
  expect(of('add to a server')?.detail).toContain(`${link}permissions=`);
  expect(of('add to an account')).toMatchObject({
    ok: true,
    detail: `${link}integration_type=1&scope=applications.commands`,
  });
  const token = `${'wrong'.repeat(4)}.abcdef.${'x'.repeat(30)}`;
  const [first, ...others] = await Array.fromAsync(diagnose(optionsFor(fake, { token }), core));
  expect(first).toMatchObject({ check: 'Discord: token', ok: false });
  expect(others).toEqual([]);
});

test('the doctor finds nothing wrong with a bot that was just made', async () => {
  await using fake = await startDiscordFake({ limits: 'off' });
  const found = await Array.fromAsync(diagnose(optionsFor(fake), createTestCore()));
  expect(found.filter(isFailure)).toEqual([]);
  expect(found.find(({ check }) => check === 'Discord: servers')).toMatchObject({
    ok: false,
    isOptional: true,
    detail: expect.stringContaining('add to a server'),
  });
});

test('the doctor says where the switch is that lets people add the bot to their accounts', async () => {
  await using fake = await startDiscordFake({ limits: 'off' });
  fake.fail('GET /applications/@me', {
    status: 200,
    body: {
      id: fake.applicationId,
      name: 'x',
      flags: 1 << 18,
      bot: { id: fake.botUser.id },
      integration_types_config: { 0: {} },
    },
  });
  const found = await Array.fromAsync(diagnose(optionsFor(fake), createTestCore()));
  expect(found.find(({ check }) => check === 'Discord: add to an account')).toMatchObject({
    isOptional: true,
    ok: false,
    detail: expect.stringMatching(/"User Install" at .*\/installation, then open https/),
  });
});

test('the doctor says what a channel lacks that the bot cannot see, or that is gone', async () => {
  await using fake = await startDiscordFake({ limits: 'off' });
  const guild = fake.guild({ name: 'Home' });
  const [hidden, gone] = [guild.channel({ name: 'hidden' }), guild.channel({ name: 'gone' })];
  hidden.deny('ViewChannel');
  gone.delete();
  const core = createTestCore();
  core.watched = [hidden, gone].map((channel) => mirrored(guild, channel));
  const found = await Array.fromAsync(diagnose(optionsFor(fake), core));
  expect(found.filter(isFailure)).toEqual([
    {
      check: 'Discord: channel',
      ok: false,
      detail: '#hidden of Home: allow the bot there: View Channel',
    },
    {
      check: 'Discord: channel',
      ok: false,
      detail: `${gone.id} of Home: is gone: end its translation with /autotranslate off`,
    },
  ]);
});
