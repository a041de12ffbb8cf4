import { expect, test } from 'vitest';
import { diagnose } from '../../../adapters/discord/doctor.ts';
import type { Finding } from '../../../src/model/service.ts';
import type { ChannelWatch, WatchMode } from '../../../src/model/space.ts';
import {
  startDiscordFake,
  type DiscordFake,
  type FakeChannel,
  type FakeGuild,
} from '../../fakes/discord/index.ts';
import { createTestCore, optionsFor, placeOf } from './support.ts';

const watchOf = (guild: FakeGuild, channel: FakeChannel, mode: WatchMode): ChannelWatch => ({
  channel: placeOf(guild, channel),
  mode,
  languages: ['es'],
  transcribes: false,
  bots: false,
});

/** What the doctor finds; `of` finds what it says of something, or of a place. */
const examine = async (fake: DiscordFake, watched: readonly ChannelWatch[] = []) => {
  const core = createTestCore();
  core.watched = [...watched];
  const found = await Array.fromAsync(diagnose(optionsFor(fake), core));
  const of = (check: string, place = ''): Finding | undefined =>
    found.find((one) => one.check === `Discord: ${check}` && one.detail.startsWith(place));
  return { found, of };
};

const setUp = async () => {
  const fake = await startDiscordFake({ limits: 'off' });
  const guild = fake.guild({ name: 'Home' });
  const channel = guild.channel({ name: 'general' });
  return { fake, guild, channel };
};

test('all is well with a bot that has what it needs', async () => {
  const { fake, guild, channel } = await setUp();
  await using _ = fake;
  const { found, of } = await examine(fake, [watchOf(guild, channel, 'mirror')]);
  expect(found.filter(({ ok }) => !ok)).toEqual([]);
  expect(of('message content')?.detail).toBe('can be read');
  expect(of('voice channels')?.detail).toBe('can be joined');
});

test('threads, pins and reactions that are not copied for lack of permissions are no failure', async () => {
  const { fake, guild, channel } = await setUp();
  await using _ = fake;
  channel.deny('CreatePublicThreads', 'PinMessages');
  const { found, of } = await examine(fake, [watchOf(guild, channel, 'mirror')]);
  expect(found.filter(({ ok, isOptional }) => !ok && !isOptional)).toEqual([]);
  expect(of('threads, pins and reactions')?.detail).toContain(
    'Create Public Threads, Pin Messages',
  );
  expect(of('channel')?.ok).toBe(true);
});

test('a bot that is on no server is told how to get onto one', async () => {
  await using fake = await startDiscordFake({ limits: 'off' });
  expect((await examine(fake)).of('servers')).toMatchObject({ ok: false });
});

test('more servers than one page has are all looked at', async () => {
  const { fake } = await setUp();
  await using _ = fake;
  for (let count = 0; count < 199; count += 1) fake.guild();
  const last = fake.guild({ name: 'Last' });
  const channel = last.channel({ name: 'end' });
  const { of } = await examine(fake, [watchOf(last, channel, 'reply')]);
  expect(of('servers')?.detail).toBe('in 201');
  expect(of('channel', '#end of Last')).toMatchObject({ ok: true });
});

test('a channel without room for a webhook of ours is told, unless one is there', async () => {
  const { fake, guild, channel } = await setUp();
  await using _ = fake;
  for (let count = 0; count < 15; count += 1) channel.webhook(fake.user());
  const watches = [watchOf(guild, channel, 'mirror')];
  expect((await examine(fake, watches)).of('webhooks')).toMatchObject({
    ok: false,
    detail: '#general of Home: 15 of 15 in use',
  });
  channel.webhooks[0]?.delete();
  channel.webhook(fake.botUser);
  expect((await examine(fake, watches)).of('webhooks')).toMatchObject({
    ok: true,
    detail: '#general of Home: 15 of 15 in use, one of them ours',
  });
});

test('webhooks are of no concern where replies are written', async () => {
  const { fake, guild, channel } = await setUp();
  await using _ = fake;
  const { of } = await examine(fake, [watchOf(guild, channel, 'reply')]);
  expect(of('webhooks')).toBeUndefined();
});

test('what is forbidden in a thread’s channel is forbidden in it', async () => {
  const { fake, guild, channel } = await setUp();
  await using _ = fake;
  const thread = channel.startThread(fake.user(), 'aside');
  channel.deny('SendMessagesInThreads');
  const { of } = await examine(fake, [watchOf(guild, thread, 'reply')]);
  expect(of('channel', '#aside of Home')).toMatchObject({
    ok: false,
    detail: expect.stringContaining('Send Messages in Threads'),
  });
});

test('a thread that the bot cannot see is told with what to allow', async () => {
  const { fake, guild, channel } = await setUp();
  await using _ = fake;
  const thread = channel.startThread(fake.user(), 'aside');
  channel.deny('ViewChannel');
  const { of } = await examine(fake, [watchOf(guild, thread, 'reply')]);
  expect(of('channel')).toMatchObject({
    ok: false,
    detail: expect.stringContaining('View Channel'),
  });
});

test('where Discord does not say whether accounts can have the application, they can', async () => {
  const { fake } = await setUp();
  await using _ = fake;
  const body = { id: fake.applicationId, name: 'x', flags: 1 << 18, bot: { id: fake.botUser.id } };
  fake.fail('GET /applications/@me', { status: 200, body });
  expect((await examine(fake)).of('add to an account')).toMatchObject({ ok: true });
});

test('a bot that has connected too often today is told so', async () => {
  const { fake } = await setUp();
  await using _ = fake;
  const limit = { total: 1_000, remaining: 0, reset_after: 1, max_concurrency: 1 };
  const body = { url: 'ws://x', shards: 1, session_start_limit: limit };
  fake.fail('GET /gateway/bot', { status: 200, body });
  expect((await examine(fake)).of('gateway')).toMatchObject({ ok: false });
});

test.each([-60_000, 60_000])('a clock that is off by %i ms is told', async (skewMs) => {
  const { fake } = await setUp();
  await using _ = fake;
  fake.fail('GET /gateway', {
    status: 200,
    headers: { date: new Date(Date.now() + skewMs).toUTCString() },
  });
  const clock = (await examine(fake)).of('clock');
  expect(clock?.ok).toBe(false);
  expect(Number(clock?.detail.split(' ')[0])).toBeCloseTo(-skewMs / 1_000, -1);
});
