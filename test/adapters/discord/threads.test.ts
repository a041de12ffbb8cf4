import { expect, test } from 'vitest';
import { eventually } from '../../fakes/eventually.ts';
import type { MirrorTarget } from '../../../src/ports/mirrors.ts';
import { never, openDiscord, placeOf, type TestDiscord } from './support.ts';
import { row } from '../../../src/rich-text/compose.ts';
import { rich } from '../../fakes/rich-text.ts';

const setUp = (discord: TestDiscord) => {
  const guild = discord.fake.guild();
  const channel = guild.channel();
  const copyTo = async (to: MirrorTarget) => {
    const said = channel.say(discord.fake.user({ name: 'Ann' }), 'hello');
    const source = { channel: placeOf(guild, channel), id: said.id };
    const copy = {
      source,
      content: { text: rich('HOLA') },
      key: 'watch',
      label: row('🌐 Spanish'),
      as: { name: 'Ann' },
    };
    return Array.fromAsync(
      discord.mirrors.create(to, [copy], { mayExist: false, signal: never() }),
    );
  };
  return { guild, channel, here: placeOf(guild, channel), copyTo };
};

test('a standing thread that went unnoticed is made anew on the next try', async () => {
  await using discord = await openDiscord({ limits: 'off' });
  const { channel, here, copyTo } = setUp(discord);
  const first = await discord.mirrors.thread(here, 'Español');
  await copyTo(first);
  // Nobody is told of the delete.
  discord.fake.gateway.refuse(true);
  discord.fake.gateway.drop();
  channel.threads[0]?.delete();
  await expect(copyTo(first)).rejects.toMatchObject({ code: 'unavailable', retryable: true });
  const second = await discord.mirrors.thread(here, 'Español');
  expect(second).not.toEqual(first);
  await copyTo(second);
  expect(channel.threads.map(({ id }) => id)).toEqual([second.channel.id]);
});

test('a standing thread that people lock is left to them: another one is made', async () => {
  await using discord = await openDiscord({ limits: 'off' });
  const { channel, here, copyTo } = setUp(discord);
  const first = await discord.mirrors.thread(here, 'Español');
  await copyTo(first);
  channel.threads[0]?.archive(true);
  await eventually(async () =>
    expect((await discord.mirrors.thread(here, 'Español')).channel.id).not.toBe(first.channel.id),
  );
  await copyTo(await discord.mirrors.thread(here, 'Español'));
  expect(channel.threads.map(({ messages }) => messages.length)).toEqual([1, 1]);
});

test.each([50_083, 160_005])(
  'a standing thread that turns out to be locked (%i) is left to people',
  async (code) => {
    await using discord = await openDiscord({ limits: 'off' });
    const { channel, here, copyTo } = setUp(discord);
    const first = await discord.mirrors.thread(here, 'Español');
    channel.threads[0]!.state.thread!.locked = true;
    const refused = { status: 400, body: { message: 'No', code } };
    // Waking it is refused too.
    for (const route of ['POST /webhooks/:id/:token', 'PATCH /channels/:id'])
      discord.fake.fail(route, refused, { times: 2 });
    await expect(copyTo(first)).rejects.toMatchObject({ code: 'unavailable', retryable: true });
    const second = await discord.mirrors.thread(here, 'Español');
    expect(second.channel.id).not.toBe(first.channel.id);
    discord.fake.heal();
    await copyTo(second);
  },
);

test('a copy in a thread that fell asleep is taken away', async () => {
  await using discord = await openDiscord({ limits: 'off' });
  const { channel, here, copyTo } = setUp(discord);
  const thread = await discord.mirrors.thread(here, 'Español');
  const [posted] = await copyTo(thread);
  const source = { channel: here, id: channel.messages[0]!.id };
  channel.threads[0]?.archive();
  await discord.mirrors.remove(posted!, source);
  expect(channel.threads[0]?.messages).toEqual([]);
});

test('a thread of people that is gone stays gone', async () => {
  await using discord = await openDiscord({ limits: 'off' });
  const { channel, here, copyTo } = setUp(discord);
  const theirs = channel.startThread(discord.fake.user(), 'theirs');
  theirs.delete();
  const copying = copyTo({ channel: { ...here, id: theirs.id, parentId: channel.id } });
  await expect(copying).rejects.toMatchObject({ code: 'not-found', retryable: false });
});
