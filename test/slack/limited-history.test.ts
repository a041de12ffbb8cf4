import { describe, expect, it } from 'vitest';
import { END } from '../../adapters/slack/history.ts';
import type { FakeMessage } from '../fakes/slack/index.ts';
import { openLinked, openSlackBot, type Place, repliesTo, type SlackBot } from './support.ts';

/** Slack gives no history for the rest of the test. */
const withhold = ({ slack }: SlackBot): void => {
  for (const method of ['conversations.history', 'conversations.replies'])
    slack.fail(
      method,
      { status: 429, headers: { 'retry-after': '600' }, body: '{}' },
      { times: Infinity },
    );
};

const watched = async (bot: SlackBot, mode = 'reply languages:es'): Promise<Place> => {
  const at = bot.place();
  await bot.use(at, `autotranslate ${mode}`);
  return at;
};

/** Says what is lost on its way: no event tells of it. */
const sayUnheard = (
  { slack }: SlackBot,
  { channel, ann }: Place,
  count: number,
  thread?: FakeMessage,
): readonly FakeMessage[] => {
  const { events } = slack.app;
  slack.app.events = new Set();
  const said = Array.from({ length: count }, (_, index) =>
    channel.say(ann, `Nobody told of this sentence ${index}`, thread ? { thread } : {}),
  );
  slack.app.events = events;
  return said;
};

const isAnswered = (said: FakeMessage): boolean => repliesTo(said).length === 1;
const historyCalls = ({ slack }: SlackBot): number =>
  slack.requests.filter(({ method }) => method === 'conversations.history').length;

describe('an app that gets 15 messages of history a minute', () => {
  it('catches up page by page, in order and once, with the threads that began meanwhile', async () => {
    await using bot = await openSlackBot('socket', { history: 'limited' });
    const at = await watched(bot);
    await bot.stop();
    const said = sayUnheard(bot, at, 40);
    const replies = sayUnheard(bot, at, 2, said.at(-1));
    await bot.start();
    await bot.slack.until(() => said.slice(0, -1).every(isAnswered), 60_000);
    await bot.slack.until(() => repliesTo(said.at(-1)!).length === 1 + replies.length, 60_000);
    const order = said.map((each) => repliesTo(each)[0]?.ts ?? '');
    expect(order).toEqual(order.toSorted());
    const count = (wanted: string): number =>
      bot.slack.requests.filter(
        ({ method, result }) =>
          ['conversations.history', 'conversations.replies'].includes(method) && result === wanted,
      ).length;
    expect(count('ratelimited')).toBeLessThanOrEqual(2 * count('ok'));
  });

  it('tells what it gave up, in the channel and in the status, and gets the newest', async () => {
    await using bot = await openSlackBot('socket', { history: 'limited', speed: 1_000 });
    const at = await watched(bot);
    await bot.stop();
    const said = sayUnheard(bot, at, 600);
    await bot.start();
    await bot.slack.until(() =>
      at.channel.posts.some(({ words }) => words.includes('solo puede leer unos pocos')),
    );
    await bot.slack.until(() => said.slice(-15).every(isAnswered), 120_000);
    expect(repliesTo(said[0]!)).toEqual([]);
    const status = await bot.use(at, 'status', { part: 'may not have been translated' });
    expect(status).toContain('Only a few older messages can be read at a time');
  });

  it('translates what is said and what is flagged though no history comes', async () => {
    await using bot = await openSlackBot('socket', { history: 'limited' });
    const at = await watched(bot);
    await bot.stop();
    const [old, parent] = sayUnheard(bot, at, 2) as [FakeMessage, FakeMessage];
    const [reply] = sayUnheard(bot, at, 1, parent) as [FakeMessage];
    withhold(bot);
    await bot.start();
    const live = at.channel.say(at.ann, 'This one is said right now');
    await bot.slack.until(() => isAnswered(live));
    old.react(at.bob, 'flag-fr');
    reply.react(at.bob, 'flag-fr');
    await bot.slack.until(() => isAnswered(old) && repliesTo(parent).length === 1);
    old.unreact(at.bob, 'flag-fr');
    await bot.slack.until(() => repliesTo(old).length === 0);
    expect(bot.slack.events.log.every(({ lost }) => !lost)).toBe(true);
  });

  it('finds a post whose answer was lost on the newest page', async () => {
    await using bot = await openSlackBot('socket', { history: 'limited' });
    const { spanish, ...at } = await openLinked(bot);
    const mirrors = (): number =>
      spanish.posts.filter(({ text }) => text.startsWith('es:This')).length;
    bot.slack.fail('chat.postMessage', { reset: 'after' }, { times: 1 });
    at.channel.say(at.ann, 'This is said just once here');
    await bot.slack.until(() => mirrors() === 1);
    at.channel.say(at.ann, 'This is said after it here');
    await bot.slack.until(() => mirrors() === 2, 40_000);
    expect(mirrors()).toBe(2);
  });

  it('posts in the end though what it posted before cannot be looked for', async () => {
    await using bot = await openSlackBot('socket', { history: 'limited', speed: 500 });
    const at = await watched(bot);
    withhold(bot);
    await bot.stop();
    await bot.start();
    bot.slack.fail('chat.postMessage', { status: 500 }, { times: 1 });
    const said = at.channel.say(at.ann, 'This is said just once here');
    await bot.slack.until(() => isAnswered(said), 60_000);
  });

  it('shares the minute between its channels, the first page of each before the next', async () => {
    await using bot = await openSlackBot('socket', { history: 'limited', speed: 200 });
    const places = [await watched(bot), await watched(bot), await watched(bot)];
    await bot.stop();
    const said = places.flatMap((at) => sayUnheard(bot, at, 40));
    const before = bot.slack.requests.length;
    await bot.start();
    await bot.slack.until(() => said.every(isAnswered), 120_000);
    const read = bot.slack.requests
      .slice(before)
      .filter(({ method, result }) => method === 'conversations.history' && result === 'ok')
      .map(({ args }) => ({ channel: args['channel'], isFirst: args['latest'] === END }));
    const begun = read.slice(
      0,
      read.findIndex(({ isFirst }) => !isFirst),
    );
    expect(new Set(begun.map(({ channel }) => channel)).size).toBe(places.length);
  });
});

describe('a history that may not be read', () => {
  it('is told once in the channel and in the status, and is not asked for again and again', async () => {
    await using bot = await openSlackBot('socket', { speed: 1_000 });
    const at = await watched(bot);
    const said = at.channel.say(at.ann, 'This is known before it ends');
    await bot.slack.until(() => isAnswered(said));
    bot.workspace.withoutScopes('channels:history');
    const told = (): number =>
      at.channel.posts.filter(({ words }) => words.includes('no puede leer mensajes')).length;
    for (let life = 0; life < 2; life += 1) {
      await bot.stop();
      await bot.start();
      const live = at.channel.say(at.ann, `This is said in life ${life}`);
      await bot.slack.until(() => isAnswered(live), 60_000);
    }
    await bot.slack.until(() => told() === 1);
    const calls = historyCalls(bot);
    const status = await bot.use(at, 'status', { part: 'may not have been translated' });
    expect(status).toContain('can’t read older messages there');
    expect(historyCalls(bot)).toBe(calls);
    expect(told()).toBe(1);
  });
});
