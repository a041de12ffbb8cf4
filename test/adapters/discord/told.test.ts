import { beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../fakes/eventually.ts';
import type { Message } from '../../../src/model/message.ts';
import { request } from '../../fakes/discord/login.ts';
import { openDiscord, placeOf } from './support.ts';
import { parseDiscord } from '../../../adapters/discord/rich-text/parse.ts';
import { shared } from '../../fakes/opened.ts';

const discord = shared(() => openDiscord({ limits: 'off' }));
beforeEach(() => {
  discord.core.told.length = 0;
  discord.fake.heal();
});

const setUp = () => {
  const guild = discord.fake.guild();
  const channel = guild.channel();
  const ann = discord.fake.user({ name: 'Ann' });
  guild.join(ann);
  return { guild, channel, ann, here: placeOf(guild, channel) };
};

/** The message as it was told. */
const seen = async ({ id }: { readonly id: string }): Promise<Message> =>
  eventually(() => {
    const found = discord.core.told.find((one) => one.what === 'seen' && one.message.ref.id === id);
    if (found?.what !== 'seen') throw new Error('not told yet');
    return found.message;
  });

const rich = { type: 'rich', title: 'Title', description: 'Words', fields: [] };
const link = { type: 'link', title: 'Page', description: 'Of somebody else' };

describe('a message', () => {
  test('of an application is one of a bot', async () => {
    const { channel } = setUp();
    const robot = discord.fake.user({ name: 'robot', bot: true });
    expect((await seen(channel.say(robot, 'beep'))).author.kind).toBe('bot');
  });

  test('of a bot says what stands in its embeds, but not in previews of links', async () => {
    const { channel } = setUp();
    const robot = discord.fake.user({ name: 'robot', bot: true });
    const said = channel.say(robot, 'beep', { embeds: [rich, link] });
    expect((await seen(said)).text).toEqual(parseDiscord('beep\n\nTitle\nWords'));
  });

  test('of a person has no embeds but previews', async () => {
    const { channel, ann } = setUp();
    expect((await seen(channel.say(ann, 'look', { embeds: [rich, link] }))).text).toEqual(
      parseDiscord('look'),
    );
  });

  test('that forwards a voice message brings the voice', async () => {
    const { channel, ann } = setUp();
    const voice = { bytes: Buffer.from('sound'), durationSecs: 2.5 };
    const first = channel.say(ann, '', { voice });
    const { files, forwarded } = await seen(channel.say(ann, '', { forward: first }));
    expect(forwarded).toBe(true);
    expect(files).toMatchObject([{ voice: { durationMs: 2_500 } }]);
    // Its address is found in what was forwarded.
    discord.fake.clock.advance(48 * 3_600_000);
    const [chunk] = await Array.fromAsync(files[0]!.open());
    expect(Buffer.from(chunk ?? []).toString()).toBe('sound');
  });

  test('that pins another one is no reply to it', async () => {
    const { channel, ann } = setUp();
    const first = channel.say(ann, 'first');
    const pinned = await seen(channel.say(ann, '', { type: 6, replyTo: first }));
    expect(pinned.replyTo).toBeUndefined();
    expect(pinned.system).toBe(true);
  });
});

test('reactions are counted without our own, and however the emoji is written', async () => {
  const { channel, ann, here } = setUp();
  const said = channel.say(ann, 'hello');
  const ref = { channel: here, id: said.id };
  said.react(ann, '❤️');
  const path = `/channels/${channel.id}/messages/${said.id}/reactions`;
  await request(discord.fake, `PUT ${path}/${encodeURIComponent('❤️')}/@me`);
  expect(said.reactions).toMatchObject([{ users: { length: 2 } }]);
  for (const emoji of ['❤️', '❤']) expect(await discord.feed.reactors(ref, emoji)).toHaveLength(1);
});

test('a channel of another server is as good as none', async () => {
  const { channel, ann, here } = setUp();
  const elsewhere = setUp();
  await seen(channel.say(ann, 'all of them are known now'));
  await seen(elsewhere.channel.say(ann, 'here too'));
  expect(await discord.feed.missing(here, 'reply')).toEqual([]);
  const wrong = { ...here, space: elsewhere.here.space };
  expect(await discord.feed.missing(wrong, 'reply')).toEqual(['View Channel']);
});

describe('who could not be asked about', () => {
  test('is asked about again the next time', async () => {
    const { guild, channel, ann, here } = setUp();
    const { id } = channel.say(ann, 'hello');
    guild.rename(ann, 'Annie');
    // As after a start: nothing was told by the gateway.
    await using fresh = await openDiscord({ limits: 'off' });
    const place = fresh.fake.guild();
    const eva = fresh.fake.user({ name: 'eva' });
    const there = place.channel();
    fresh.fake.fail('GET /guilds/:id/members/:id', { status: 403, body: { code: 50_001 } });
    fresh.core.watching = () => false;
    const said = there.say(eva, 'hi');
    place.rename(eva, 'Evita');
    const ref = { channel: placeOf(place, there), id: said.id };
    expect((await fresh.feed.read(ref))?.author.name).toBe('eva');
    expect((await fresh.feed.read(ref))?.author.name).toBe('Evita');
    expect((await discord.feed.read({ channel: here, id }))?.ref.id).toBe(id);
  });

  test('is called on each server as it calls them', async () => {
    const { guild, channel, ann, here } = setUp();
    const other = discord.fake.guild();
    other.join(ann);
    guild.rename(ann, 'Annie');
    other.rename(ann, 'Anne');
    discord.core.watching = () => false;
    const there = other.channel();
    const said = [channel.say(ann, 'x'), there.say(ann, 'y')];
    discord.core.watching = () => true;
    const names = [here, placeOf(other, there)].map(async (place, at) => {
      const message = await discord.feed.read({ channel: place, id: said[at]!.id });
      return message?.author.name;
    });
    expect(await Promise.all(names)).toEqual(['Annie', 'Anne']);
  });
});
