import { describe, expect, it } from 'vitest';
import { openSlackBot, repliesTo } from './support.ts';

describe('Slack that cannot be reached', () => {
  it('at the start is tried again in the background', async () => {
    await using bot = await openSlackBot('socket');
    await bot.stop();
    bot.slack.fail('auth.test', { status: 503 }, { times: 1 });
    await bot.start();
    await bot.slack.until(() => bot.slack.sockets.connected === 1);
    const at = bot.place();
    expect(await bot.use(at, 'translate good evening to:es', { part: 'es:good' })).toBeTruthy();
  });

  it('and does not accept the token says so at once', async () => {
    await using bot = await openSlackBot('socket');
    await bot.stop();
    bot.slack.fail('auth.test', { error: 'invalid_auth' });
    await expect(bot.start()).rejects.toMatchObject({ slackError: 'invalid_auth' });
  });

  it('for a while gets every translation later, once and in order', async () => {
    await using bot = await openSlackBot('socket');
    const at = bot.place();
    await bot.use(at, 'autotranslate reply languages:es');
    bot.slack.fail('chat.postMessage', { status: 500 }, { times: 3 });
    const said = ['The first of these', 'The second of these'].map((words) =>
      at.channel.say(at.ann, `${words} sentences here`),
    );
    await bot.slack.until(() => said.every((each) => repliesTo(each).length === 1), 40_000);
    const order = said.map((each) => repliesTo(each)[0]?.ts ?? '');
    expect(order).toEqual(order.toSorted());
  });

  it('and whose history may not be read loses no message', async () => {
    await using bot = await openSlackBot('socket');
    const at = bot.place();
    await bot.use(at, 'autotranslate reply languages:es');
    for (const method of ['conversations.history', 'conversations.replies'])
      bot.slack.fail(method, { error: 'missing_scope' }, { while: () => true });
    bot.slack.fail('chat.postMessage', { reset: 'before' }, { times: 1 });
    const said = at.channel.say(at.ann, 'This must be posted once more');
    await bot.slack.until(() => repliesTo(said).length === 1, 40_000);
    await bot.stop();
    const next = at.channel.say(at.ann, 'This was said while nobody heard');
    await bot.start();
    await bot.slack.until(() => repliesTo(next).length === 1, 40_000);
  });

  it('whose answer to a post is lost gets no second post', async () => {
    await using bot = await openSlackBot('socket');
    const at = bot.place();
    await bot.use(at, 'autotranslate reply languages:es');
    bot.slack.fail('chat.postMessage', { reset: 'after' }, { times: 1 });
    const said = at.channel.say(at.ann, 'This is said just once here');
    await bot.slack.until(() => repliesTo(said).length === 1);
    const next = at.channel.say(at.ann, 'This is said after it here');
    await bot.slack.until(() => repliesTo(next).length === 1, 40_000);
    expect(repliesTo(said)).toHaveLength(1);
  });
});
