import { beforeEach, expect, test } from 'vitest';
import { createDiscordApi } from '../../../adapters/discord/api.ts';
import { createThreads } from '../../../adapters/discord/threads.ts';
import { openDiscord, optionsFor, placeOf } from './support.ts';
import { shared } from '../../fakes/opened.ts';

const discord = shared(() => openDiscord({ limits: 'off' }));
beforeEach(() => discord.fake.heal());

const NAME = 'Español';
const MAKE = 'POST /channels/:id/threads';

const setUp = (type: 'text' | 'announcement' = 'text') => {
  const guild = discord.fake.guild();
  const channel = guild.channel({ type });
  /** As after a start: nothing is known of what stands there. */
  const threads = createThreads(
    createDiscordApi(optionsFor(discord.fake)),
    () => discord.fake.applicationId,
    { async *since() {} },
  );
  const find = async (name = NAME) => (await threads.standing(placeOf(guild, channel), name)).id;
  return { guild, channel, find };
};

const names = (channel: ReturnType<typeof setUp>['channel']): string[] =>
  channel.threads.map(({ name }) => name);

test('a thread that people have made is left to them', async () => {
  const { channel, find } = setUp();
  const theirs = channel.startThread(discord.fake.user(), NAME);
  expect(await find()).not.toBe(theirs.id);
  expect(names(channel)).toEqual([NAME, NAME]);
});

test('a thread that is locked is not written into, another one is', async () => {
  const { channel, find } = setUp();
  const locked = channel.startThread(discord.fake.botUser, NAME);
  locked.archive(true);
  expect(await find()).not.toBe(locked.id);
});

test('a thread of the same name in another channel is another one', async () => {
  const { guild, find } = setUp();
  const elsewhere = guild.channel().startThread(discord.fake.botUser, NAME);
  expect(await find()).not.toBe(elsewhere.id);
});

test('an archived thread is found behind a hundred others', async () => {
  const { channel, find } = setUp();
  const { fake } = discord;
  const old = channel.startThread(fake.botUser, NAME);
  old.archive();
  for (let count = 0; count < 100; count += 1) {
    fake.clock.advance(1);
    channel.startThread(fake.user(), `${count}`).archive();
  }
  expect(await find()).toBe(old.id);
});

test('a thread is made once, though the answer was lost', async () => {
  const { channel, find } = setUp();
  discord.fake.fail(MAKE, { reset: 'after' });
  await expect(find()).rejects.toMatchObject({ code: 'unavailable', retryable: true });
  expect(await find()).toBe(channel.threads[0]?.id);
  expect(names(channel)).toEqual([NAME]);
});

test('a name that is too long is cut, and found again as it was cut', async () => {
  const { channel, find } = setUp();
  const long = '日本語'.repeat(50);
  const id = await find(long);
  expect(await find(long)).toBe(id);
  expect(names(channel)).toEqual([`${long.slice(0, 99)}…`]);
});

test('a channel of announcements gets a thread of its own kind', async () => {
  const { channel, find } = setUp('announcement');
  expect(await find()).toBe(channel.threads[0]?.id);
  expect(channel.threads[0]?.state.type).toBe(10);
});

test('a server with as many active threads as it may have is told as such', async () => {
  const { find } = setUp();
  discord.fake.fail(MAKE, { status: 400, body: { message: 'Too many', code: 160_006 } });
  await expect(find()).rejects.toMatchObject({ code: 'unavailable' });
});
