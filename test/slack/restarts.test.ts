import { describe, expect, it } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import { openSlackBot, repliesTo, type SlackBot } from './support.ts';

/** Slack sends again at once, and after three seconds. */
const SPEED = 20;
const SOON_MS = 20_000;

const countOf = ({ slack }: SlackBot, method: string): number =>
  slack.requests.filter((each) => each.method === method).length;

const histories = (bot: SlackBot): number => countOf(bot, 'conversations.history');

const ENDED = ['posted', 'skipped', 'dead'] as const;

const countOpen = async ({ store }: SlackBot): Promise<number> => {
  const rows = await store
    .selectFrom('inbox')
    .select('message_id')
    .where('state', 'not in', ENDED)
    .execute();
  return rows.length;
};

/** A bot that has watched a channel for longer than a watch is new. */
const open = async (transport: 'http' | 'socket', speed = SPEED) => {
  const bot = await openSlackBot(transport, { speed });
  const at = bot.place();
  await bot.use(at, 'autotranslate reply languages:es');
  await bot.store.write(async (db) => {
    await db
      .updateTable('channel_watch')
      .set({ since_ms: Date.now() - 600_000 })
      .execute();
  });
  const before = at.channel.say(at.ann, 'This was said before it stopped');
  await bot.slack.until(() => repliesTo(before).length === 1, SOON_MS);
  return { bot, at };
};

describe('a restart over HTTP', () => {
  it('within the time in which Slack sends again reads no history, and misses nothing', async () => {
    const { bot, at } = await open('http');
    await using _ = bot;
    await bot.stop();
    const calls = histories(bot);
    const missed = at.channel.say(at.ann, 'This was said while nobody heard');
    await bot.start();
    const live = at.channel.say(at.bob, 'This was said after it started');
    const all = [missed, live];
    await bot.slack.until(() => all.every((each) => repliesTo(each).length === 1), SOON_MS);
    expect(histories(bot)).toBe(calls);
  });

  it('after a longer time reads the history', async () => {
    const { bot, at } = await open('http');
    await using _ = bot;
    await bot.stop();
    await bot.store.write(async (db) => {
      await db
        .updateTable('agreement')
        .set({ value: Date.now() - 600_000 })
        .execute();
    });
    const calls = histories(bot);
    const missed = at.channel.say(at.ann, 'This was said while nobody heard');
    await bot.start();
    await bot.slack.until(() => repliesTo(missed).length === 1, SOON_MS);
    expect(histories(bot)).toBeGreaterThan(calls);
  });
});

describe('messages that another process has accepted', () => {
  it('are answered in their threads without a look for these', async () => {
    // It stops slowly while translations hang.
    const { bot, at } = await open('http', 2);
    await using _ = bot;
    bot.speech.fail(
      PATHS.translate,
      ...Array.from({ length: 20 }, () => ({ hang: true }) as const),
    );
    const root = at.channel.say(at.ann, 'What do you all think of this');
    at.channel.say(at.bob, 'It seems a very good idea to me', { thread: root });
    const last = at.channel.say(at.ann, 'Then we are going to do it');
    await expect.poll(() => countOpen(bot)).toBe(3);
    await bot.stop();
    bot.speech.heal();
    await bot.store.write(async (db) => {
      await db
        .updateTable('inbox')
        .set({ attempts: 0, begun: 0 })
        .where('state', 'not in', ENDED)
        .execute();
    });
    const calls = countOf(bot, 'conversations.replies');
    await bot.start();
    await bot.slack.until(
      () => repliesTo(root).length === 2 && repliesTo(last).length === 1,
      SOON_MS,
    );
    expect(countOf(bot, 'conversations.replies')).toBe(calls);
  });
});

describe('a restart with Socket Mode', () => {
  it('reads the history, as Slack may not send again what nobody heard', async () => {
    const { bot, at } = await open('socket');
    await using _ = bot;
    await bot.stop();
    const calls = histories(bot);
    const missed = at.channel.say(at.ann, 'This was said while nobody heard');
    await bot.start();
    await bot.slack.until(() => repliesTo(missed).length === 1, SOON_MS);
    expect(histories(bot)).toBeGreaterThan(calls);
  });

  it('reads the threads in which people wrote, and none in which only the app did', async () => {
    const { bot, at } = await open('socket');
    await using _ = bot;
    await bot.stop();
    const root = at.channel.say(at.ann, 'What do you all think of this');
    at.channel.say(at.bob, 'It seems a very good idea to me', { thread: root });
    const calls = countOf(bot, 'conversations.replies');
    await bot.start();
    await bot.slack.until(() => repliesTo(root).length === 2, SOON_MS);
    expect(countOf(bot, 'conversations.replies') - calls).toBe(1);
  });
});
