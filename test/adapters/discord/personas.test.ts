import { describe, expect, test } from 'vitest';
import type { Posted } from '../../../src/model/place.ts';
import type { Mirror } from '../../../src/ports/mirrors.ts';
import type { FakeUser } from '../../fakes/discord/index.ts';
import { createHastyClock } from '../../fakes/clock.ts';
import { request } from '../../fakes/discord/login.ts';
import { never, openDiscord, placeOf } from './support.ts';
import { rich } from '../../fakes/rich-text.ts';
import { row } from '../../../src/rich-text/compose.ts';
import { plainInline } from '../../../src/rich-text/walk.ts';
import { parseDiscord } from '../../../adapters/discord/rich-text/parse.ts';
import { shared } from '../../fakes/opened.ts';

/** Moves only where somebody waits, so that there is room for ten posts of a webhook. */
const clock = createHastyClock();

const discord = shared(() => openDiscord({ limits: 'off' }, { clock }));

const setUp = () => {
  const guild = discord.fake.guild();
  const [from, to] = [guild.channel({ name: 'from' }), guild.channel({ name: 'to' })];
  const [ann, bob] = ['Ann', 'Bob'].map((name) => discord.fake.user({ name })) as [
    FakeUser,
    FakeUser,
  ];
  const target = placeOf(guild, to);
  const copyOf = (by: FakeUser, text: string, part: Partial<Mirror> = {}): Mirror => ({
    source: { channel: placeOf(guild, from), id: from.say(by, text).id },
    content: { text: rich(text) },
    key: 'watch',
    label: row('🌐'),
    as: { name: by.name },
    ...part,
  });
  const post = async (copies: readonly Mirror[], mayExist = false): Promise<Posted[]> =>
    Array.fromAsync(
      discord.mirrors.create({ channel: target }, copies, { mayExist, signal: never() }),
    );
  return { guild, from, to, ann, bob, target, copyOf, post };
};

const footerOf = ({ source: { channel, id }, label }: Mirror): string =>
  `-# [${plainInline(label)}](<https://discord.com/channels/${channel.space.id}/${channel.id}/${id}>)`;

describe('what people say under load', () => {
  /** Fifteen copies, more than there is room for, and the names under which they stand. */
  const shownBy = async (as: (index: number, by: string) => Mirror['as']) => {
    const { to, ann, bob, copyOf, post } = setUp();
    await post([copyOf(ann, 'a webhook is there now')]);
    const copies = Array.from({ length: 15 }, (_, index) => {
      const by = index % 4 < 2 ? ann : bob;
      return copyOf(by, `${by.name} says ${index}.`, { as: as(index, by.name)! });
    });
    await post(copies);
    return to.messages.slice(1);
  };

  test('never stands under the name of another person', async () => {
    const messages = await shownBy((_, name) => ({ name }));
    const named = messages.filter(({ webhookId }) => webhookId !== undefined);
    expect(named.length).toBeGreaterThan(0);
    for (const { author, content } of named) {
      const speakers = [...content.matchAll(/(\w+) says/g)].map(([, name]) => name);
      expect(new Set(speakers)).toEqual(new Set([author]));
    }
    const all = messages.map(({ content }) => content).join('\n');
    const order = [...all.matchAll(/says (\d+)\./g)].map(([, at]) => Number(at));
    expect(order).toEqual(Array.from({ length: 15 }, (_, at) => at));
  });

  test('nor under the picture of somebody of the same name', async () => {
    const pictures = ['0', '1'].map((at) => `https://cdn.discordapp.com/embed/avatars/${at}.png`);
    const messages = await shownBy((index) => ({
      name: 'Ann',
      avatarUrl: pictures[index % 4 < 2 ? 0 : 1]!,
    }));
    for (const { avatarUrl, content } of messages.filter((one) => one.webhookId !== undefined)) {
      const speaker = avatarUrl === pictures[0] ? 'Ann' : 'Bob';
      expect(content).not.toContain(speaker === 'Ann' ? 'Bob says' : 'Ann says');
    }
  });
});

test('blanks do not make somebody’s words look like a mark', async () => {
  const { to, ann, bob, copyOf, post } = setUp();
  const honest = copyOf(ann, 'honest');
  // Discord takes blanks away where a message begins.
  await post([copyOf(bob, 'x', { content: { text: parseDiscord(`  ${footerOf(honest)}`) } })]);
  await post([honest], true);
  expect(to.messages.map(({ author }) => author)).toEqual(['Bob', 'Ann']);
});

test('a copy whose voice message was deleted is not taken for whole', async () => {
  const { to, ann, copyOf, post } = setUp();
  const voice = { durationMs: 2_500, loudness: [0, 0, 0] };
  const file = { name: 'v.ogg', mediaType: 'audio/ogg', bytes: new Uint8Array(64), voice };
  const copy = copyOf(ann, 'hm', { content: { text: rich('Words'), files: [file] } });
  await post([copy]);
  to.messages[0]?.delete();
  await post([copy], true);
  expect(to.messages.map(({ flags }) => flags)).toEqual([8_192, 0]);
});

test('a copy is changed through the webhook that posted it, whichever else is ours', async () => {
  const { to, ann, target, copyOf } = setUp();
  const { fake, mirrors } = discord;
  for (const name of ['first', 'second'])
    await request(fake, `POST /channels/${to.id}/webhooks`, { name });
  const { id, webhook } = to.webhooks[1]!;
  const copy = copyOf(ann, 'new');
  const content = `old\n${footerOf(copy)}`;
  const { body } = await request(fake, `POST /webhooks/${id}/${webhook.token}?wait=true`, {
    content,
  });
  await mirrors.update({ channel: target, ids: [String(body['id'])], handle: `w:${id}` }, copy);
  expect(to.messages.map((one) => one.content)).toEqual([`new\n${footerOf(copy)}`]);
});
