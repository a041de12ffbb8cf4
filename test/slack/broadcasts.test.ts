import { describe, expect, it } from 'vitest';
import type { FakeChannel, FakeMessage } from '../fakes/slack/index.ts';
import { repliesTo, withSlackBot, openLinked } from './support.ts';

const bot = withSlackBot();

const mirrorsOf = ({ posts }: FakeChannel, part: string): readonly FakeMessage[] =>
  posts.filter(({ text }) => text.includes(part));

/** A message in one of two linked channels, with its mirror in the other. */
const talking = async () => {
  const at = await openLinked(bot);
  const said = at.channel.say(at.ann, 'Where do we meet tomorrow?');
  await bot.slack.until(() => mirrorsOf(at.spanish, 'es:Where').length === 1);
  const [mirror] = mirrorsOf(at.spanish, 'es:Where');
  if (!mirror) throw new Error('there is no mirror');
  return { ...at, said, mirror };
};

describe('a reply that is also sent to the channel', () => {
  it('is one reply in the thread of the mirror, and stands in that channel too', async () => {
    const { channel, spanish, said, mirror, bob } = await talking();
    channel.say(bob, 'At the station, as always', { thread: said, broadcast: true });
    await bot.slack.until(() => mirror.replies.length > 0);
    await bot.slack.events.settled();
    channel.say(bob, 'And bring your umbrellas please', { thread: said });
    await bot.slack.until(() => mirrorsOf(spanish, 'es:And bring').length === 1);
    const [reply, next] = mirror.replies;
    expect(mirror.replies).toHaveLength(2);
    expect([reply?.state.broadcast, reply?.shownAuthor]).toEqual([true, 'Bob']);
    expect(next?.state.broadcast).toBe(false);
  });

  it('is followed through edits and deletes', async () => {
    const { channel, said, mirror, bob } = await talking();
    const reply = channel.say(bob, 'At the station at nine', { thread: said, broadcast: true });
    await bot.slack.until(() => mirror.replies.length === 1);
    reply.edit('At the station at ten');
    await bot.slack.until(() => mirror.replies[0]?.text.includes('at ten') ?? false);
    expect(mirror.replies[0]?.state.broadcast).toBe(true);
    reply.delete();
    await bot.slack.until(() => mirror.replies.length === 0);
  });

  it('is sent to the other channel as soon as its author does that', async () => {
    const { channel, said, mirror, bob } = await talking();
    const reply = channel.say(bob, 'At the harbour, by the bridge', { thread: said });
    await bot.slack.until(() => mirror.replies.length === 1);
    reply.broadcast();
    await bot.slack.until(() => mirror.replies[0]?.state.broadcast ?? false);
    reply.edit('At the harbour, by the tower');
    await bot.slack.until(() => mirror.replies[0]?.text.includes('by the tower') ?? false);
    expect(mirror.replies).toHaveLength(1);
  });

  it('is answered in the thread alone, where translations are replies', async () => {
    const at = bot.place();
    await bot.use(at, 'autotranslate reply languages:es');
    const said = at.channel.say(at.ann, 'Who is coming to the meeting?');
    at.channel.say(at.bob, 'I am coming with a friend', { thread: said, broadcast: true });
    await bot.slack.until(() => repliesTo(said).length === 2);
    await bot.slack.events.settled();
    expect(repliesTo(said).map(({ state }) => state.broadcast)).toEqual([false, false]);
  });

  it('has its translation in the channel too, where translations stand below', async () => {
    const at = bot.place();
    await bot.use(at, 'autotranslate reply languages:es below:yes');
    const said = at.channel.say(at.ann, 'Who is coming to the party?');
    at.channel.say(at.bob, 'I am coming with my dog', { thread: said, broadcast: true });
    await bot.slack.until(() => repliesTo(said).length === 1);
    await bot.slack.events.settled();
    expect(repliesTo(said).map(({ state }) => state.broadcast)).toEqual([true]);
  });
});
