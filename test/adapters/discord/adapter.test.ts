import { Status, type Client } from 'discord.js';
import { expect, test } from 'vitest';
import { eventually } from '../../fakes/eventually.ts';
import { createDiscordAdapter } from '../../../adapters/discord/adapter.ts';
import { isConnected } from '../../../adapters/discord/inbound/client.ts';
import { startDiscordFake, type DiscordFake } from '../../fakes/discord/index.ts';
import {
  createTestCore,
  never,
  openDiscord,
  optionsFor,
  placeOf,
  type TestCore,
} from './support.ts';
import { rich } from '../../fakes/rich-text.ts';
import { row, sentence } from '../../../src/rich-text/compose.ts';
import { ownCommand } from '../../../src/rich-text/rich-text.ts';

test('it asks for the events that it follows, and for none of people or of who is online', async () => {
  for (const [privilegedIntents, readsMessages] of [
    [['MessageContent'], true],
    [[], false],
  ] as const) {
    await using discord = await openDiscord({ limits: 'off', privilegedIntents });
    const events = [0, 2, 5, 7, 9, 10, 12, ...(readsMessages ? [15] : [])];
    const wanted = events.reduce((sum, bit) => sum | (1 << bit), 0);
    expect(discord.fake.gateway.sessions.map(({ intents }) => intents)).toEqual([wanted]);
  }
});

test('it is not ready while one of its shards is not', () => {
  const clientWith = (...all: readonly Status[]) => {
    const client = { isReady: () => true, ws: { shards: all.map((status) => ({ status })) } };
    return client as unknown as Client;
  };
  expect(isConnected(clientWith(Status.Ready, Status.Ready))).toBe(true);
  expect(isConnected(clientWith(Status.Ready, Status.Connecting))).toBe(false);
});

test('commands that Discord does not take keep nobody from being served', async () => {
  await using fake = await startDiscordFake({ limits: 'off' });
  fake.fail('PUT /applications/:id/commands', { status: 400, body: { code: 50_035 } });
  const core = createTestCore();
  await using adapter = createDiscordAdapter(optionsFor(fake), core);
  await adapter.start();
  expect(adapter.ready()).toBe(true);
  expect(core.logged.join('')).toContain('commands not registered');
});

test('what is being answered is told to stop when the adapter does', async () => {
  await using fake = await startDiscordFake({ limits: 'off' });
  const core = createTestCore();
  const adapter = createDiscordAdapter(optionsFor(fake), core);
  await adapter.start();
  const [begun, stopped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  core.work = async ({ signal, answer }) => {
    signal.addEventListener('abort', () => stopped.resolve());
    begun.resolve();
    await stopped.promise;
    await answer.show({ text: rich('Stopped.') });
  };
  const channel = fake.guild().channel();
  const used = fake.command(fake.user(), { channel, name: 'translate', options: { text: 'x' } });
  await begun.promise;
  await adapter[Symbol.asyncDispose]();
  expect(used.shown?.content).toBe('Stopped.');
});

test('commands that could not be registered are registered once Discord takes them', async () => {
  await using fake = await startDiscordFake({ limits: 'off' });
  fake.fail('PUT /applications/:id/commands', { status: 503 }, { times: 9 });
  const core = createTestCore();
  await using adapter = createDiscordAdapter(optionsFor(fake), core);
  await adapter.start();
  // Nobody waits for them to be served.
  expect(adapter.ready()).toBe(true);
  const guild = fake.guild();
  const channel = guild.channel();
  const post = async (): Promise<void> => {
    const text = sentence(ownCommand('glossary list', 'glossar liste'));
    await adapter.platform.post(placeOf(guild, channel), { text });
  };
  // Discord takes them only later.
  await post();
  expect(channel.last?.state.content).toBe('`/glossar liste`');
  await eventually(async () => {
    await post();
    expect(channel.last?.pressable).toEqual(['glossary list']);
  });
  expect(fake.commands.length).toBeGreaterThan(0);
  expect(core.logged.filter((line) => line.includes('commands not registered'))).not.toEqual([]);
});

test('a process that takes no events shows the commands that another one registered', async () => {
  await using fake = await startDiscordFake({ limits: 'off' });
  const guild = fake.guild();
  const channel = guild.channel();
  await using receiving = createDiscordAdapter(optionsFor(fake), createTestCore());
  await receiving.start();
  const core = { ...createTestCore(), receives: false };
  await using adapter = createDiscordAdapter(optionsFor(fake), core);
  await adapter.start();
  await eventually(async () => {
    const text = sentence(ownCommand('translate'));
    await adapter.platform.post(placeOf(guild, channel), { text });
    expect(channel.last?.pressable).toEqual(['translate']);
  });
});

test('a command is one to press once it is registered, also after the start, in copies and threads', async () => {
  await using fake = await startDiscordFake({ limits: 'off' });
  const guild = fake.guild();
  const [channel, other] = [guild.channel(), guild.channel()];
  const core = { ...createTestCore(), receives: false };
  await using adapter = createDiscordAdapter(optionsFor(fake), core);
  await adapter.start();
  const text = sentence(ownCommand('translate'));
  await eventually(async () => {
    await adapter.platform.post(placeOf(guild, channel), { text });
    expect(channel.last?.content).toBe('`/translate`');
  });
  await using receiving = createDiscordAdapter(optionsFor(fake), createTestCore());
  await receiving.start();
  await eventually(async () => {
    await adapter.platform.post(placeOf(guild, channel), { text });
    expect(channel.last?.pressable).toEqual(['translate']);
  });
  const mirrors = receiving.platform.mirrors!;
  const said = channel.say(fake.user({ name: 'Ann' }), 'hello');
  const mirror = {
    source: { channel: placeOf(guild, channel), id: said.id },
    key: 'watch',
    content: { text },
    label: row('🌐'),
    as: { name: 'Ann' },
  };
  const options = { mayExist: false, signal: never() };
  const target = { channel: placeOf(guild, other) };
  const [posted] = await Array.fromAsync(mirrors.create(target, [mirror], options));
  expect(other.last?.pressable).toEqual(['translate']);
  await mirrors.update(posted!, { ...mirror, content: { text: rich('again') } });
  expect(other.last?.pressable).toEqual([]);
  await mirrors.update(posted!, mirror);
  expect(other.last?.pressable).toEqual(['translate']);
  const opening = { key: 'k', opening: text, mayExist: false, sinceMs: 0 };
  await mirrors.openThread(placeOf(guild, other), 'plans', opening);
  expect(other.last?.pressable).toEqual(['translate']);
});

/** An adapter that is stopped in the middle of a request that it makes while it starts. */
const stopDuring = async (fake: DiscordFake, route: string): Promise<TestCore> => {
  const asked = Promise.withResolvers<void>();
  fake.fail(route, { latencyMs: 200 }, { while: () => (asked.resolve(), true), times: 1 });
  const core = createTestCore();
  const adapter = createDiscordAdapter(optionsFor(fake), core);
  const starting = adapter.start();
  await asked.promise;
  await adapter[Symbol.asyncDispose]();
  await expect(starting).rejects.toMatchObject({ code: 'cancelled' });
  return core;
};

test.each(['GET /applications/@me', 'GET /applications/:id/commands', 'GET /gateway/bot'])(
  'stopped while it waits for %s it does not connect',
  async (route) => {
    await using fake = await startDiscordFake({ limits: 'off' });
    const core = await stopDuring(fake, route);
    expect(fake.gateway.identifies).toBe(0);
    expect(core.told).toEqual([]);
  },
);

test('a clean stop is not told as a lost connection', async () => {
  await using fake = await startDiscordFake({ limits: 'off' });
  const core = createTestCore();
  const adapter = createDiscordAdapter(optionsFor(fake), core);
  await adapter.start();
  core.logged.length = 0;
  await adapter[Symbol.asyncDispose]();
  await fake.until(() => fake.gateway.sessions.every(({ connected }) => !connected));
  expect(core.logged).toEqual([]);
});

test('stopped while it waits for its servers, it does not go on waiting', async () => {
  await using fake = await startDiscordFake({ limits: 'off' });
  fake.gateway.spoil('READY', 'drop');
  const adapter = createDiscordAdapter(optionsFor(fake), createTestCore());
  const starting = adapter.start();
  await fake.until(() => fake.gateway.identifies > 0);
  await adapter[Symbol.asyncDispose]();
  await expect(starting).rejects.toMatchObject({ code: 'cancelled' });
});
