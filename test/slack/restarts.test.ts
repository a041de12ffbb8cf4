import { describe, expect, it } from 'vitest';
import { openSlackBot, repliesTo, type SlackBot } from './support.ts';

/** Slack sends again at once, and after three seconds. */
const SPEED = 20;
const SOON_MS = 20_000;

const histories = ({ slack }: SlackBot): number =>
  slack.requests.filter(({ method }) => method === 'conversations.history').length;

/** A bot that has watched a channel for longer than a watch is new. */
const open = async (transport: 'http' | 'socket') => {
  const bot = await openSlackBot(transport, { speed: SPEED });
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
});
