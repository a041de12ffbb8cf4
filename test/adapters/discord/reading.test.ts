import { beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../fakes/eventually.ts';
import type { Channel } from '../../../src/model/place.ts';
import type { Message } from '../../../src/model/message.ts';
import type { Mirror } from '../../../src/ports/mirrors.ts';
import { never, openDiscord, placeOf } from './support.ts';
import { rich } from '../../fakes/rich-text.ts';
import { row } from '../../../src/rich-text/compose.ts';
import { plainText } from '../../../src/rich-text/walk.ts';
import { shared } from '../../fakes/opened.ts';

const discord = shared(() => openDiscord({ limits: 'off' }));
beforeEach(() => {
  discord.core.told.length = 0;
});

const setUp = () => {
  const guild = discord.fake.guild();
  const channel = guild.channel();
  const ann = discord.fake.user({ name: 'ann' });
  return { guild, channel, ann, here: placeOf(guild, channel) };
};

const seen = (): Message[] =>
  discord.core.told.flatMap((one) => (one.what === 'seen' ? [one.message] : []));

const historyOf = (here: Message['ref']['channel']): Promise<Message[]> =>
  Array.fromAsync(discord.feed.history(here, discord.feed.positionAt(0), never()));

describe('events that change their places', () => {
  test('bring nothing back that was edited or deleted meanwhile', async () => {
    const { channel, ann } = setUp();
    discord.fake.gateway.spoil('MESSAGE_CREATE', 'swap');
    channel.say(ann, 'before').edit('after');
    discord.fake.gateway.spoil('MESSAGE_CREATE', 'swap');
    channel.say(ann, 'gone').delete();
    discord.fake.gateway.spoil('MESSAGE_UPDATE', 'swap');
    const said = channel.say(ann, 'said');
    said.edit('changed');
    said.delete();
    channel.say(ann, 'last');
    await eventually(() => expect(seen()).toHaveLength(4));
    expect(new Set(seen().map(({ text }) => plainText(text)))).toEqual(
      new Set(['after', 'said', 'last']),
    );
  });
});

describe('messages that are read over REST', () => {
  test('have the name that their author has on the server', async () => {
    const { guild, channel, ann, here } = setUp();
    guild.join(ann);
    guild.rename(ann, 'Annie');
    const left = discord.fake.user({ name: 'eva' });
    const [first] = [ann, left].map((by) => channel.say(by, 'hello'));
    guild.leave(left);
    discord.fake.requests.length = 0;
    expect((await historyOf(here)).map(({ author }) => author.name)).toEqual(['Annie', 'eva']);
    const read = await discord.feed.read({ channel: here, id: first!.id });
    expect(read?.author.name).toBe('Annie');
  });

  test('are not taken for gone where the history is closed', async () => {
    const { channel, ann, here } = setUp();
    channel.say(ann, 'hello');
    channel.deny('ReadMessageHistory');
    channel.say(ann, 'said behind closed doors');
    await eventually(() => expect(seen()).toHaveLength(2));
    await expect(historyOf(here)).rejects.toMatchObject({ code: 'forbidden', retryable: false });
  });

  test('and are copies of ours say what their source says, also one of several', async () => {
    const { channel, guild, ann, here } = setUp();
    const to = guild.channel();
    channel.deny('ManageWebhooks');
    to.deny('ManageWebhooks');
    const quote = {
      name: 'Bob',
      text: 'what?',
      ref: { channel: here, id: channel.say(ann, 'x').id },
    };
    const copyOf = (name: string, text: string): Mirror => ({
      source: { channel: here, id: channel.say(ann, text).id },
      content: { text: rich(text) },
      key: 'watch',
      label: row('🌐'),
      as: { name },
      quote,
    });
    const copies = [copyOf('Ann *', 'one\nline'), copyOf('Eva', 'another'), copyOf('Joe', 'third')];
    const posted = await Array.fromAsync(
      discord.mirrors.create({ channel: placeOf(guild, to) }, copies, {
        mayExist: false,
        signal: never(),
      }),
    );
    expect(to.messages).toHaveLength(1);
    const ref = { channel: placeOf(guild, to), id: posted[0]!.ids[0] };
    for (const [name, text, index] of [
      ['Ann *', 'one\nline', 0],
      ['Eva', 'another', 1],
    ] as const)
      expect(await discord.feed.read(ref, copies[index]!.source)).toMatchObject({
        author: { name },
        text: rich(text),
      });
  });
});

test('threads of languages need a channel in which messages stand by themselves, and copies one that is no category', async () => {
  const { guild, channel, ann } = setUp();
  const [forum, voice, news, category] = (
    ['forum', 'voice', 'announcement', 'category'] as const
  ).map((type) => placeOf(guild, guild.channel({ type }))) as [Channel, Channel, Channel, Channel];
  channel.say(ann, 'now all of them are known');
  await eventually(() => expect(seen()).toHaveLength(1));
  const unfit = { code: 'unsupported', sentence: { key: 'watch.unfit' } };
  for (const [place, mode] of [
    [category, 'mirror'],
    [forum, 'thread'],
    [voice, 'thread'],
  ] as const)
    await expect(discord.feed.missing(place, mode)).rejects.toMatchObject(unfit);
  for (const [place, mode] of [
    [forum, 'reply'],
    [forum, 'mirror'],
    [voice, 'mirror'],
    [news, 'thread'],
  ] as const)
    expect(await discord.feed.missing(place, mode)).toEqual([]);
});

test('a channel, and its threads, are known to be for adults alone', async () => {
  const { guild, channel, ann } = setUp();
  const thread = channel.startThread(ann, 'aside');
  channel.restrictByAge(true);
  const { feed } = discord;
  await eventually(async () =>
    expect(await feed.isAgeRestricted?.(placeOf(guild, channel))).toBe(true),
  );
  expect(await feed.isAgeRestricted?.(placeOf(guild, thread))).toBe(true);
  expect(await feed.isAgeRestricted?.(placeOf(guild, guild.channel()))).toBe(false);
});

test('a channel is known to be deleted, and one that is hidden or archived is not', async () => {
  const { guild, channel, ann } = setUp();
  const { feed } = discord;
  const [gone, hidden] = [guild.channel(), guild.channel()];
  const [kept, lost] = [channel.startThread(ann, 'kept'), channel.startThread(ann, 'lost')];
  const places = [gone, lost, hidden, channel, kept].map((each) => placeOf(guild, each));
  hidden.deny('ViewChannel');
  kept.archive();
  for (const each of [gone, lost]) each.delete();
  await eventually(async () =>
    expect(await Promise.all(places.map(async (each) => feed.isGone?.(each)))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]),
  );
});
