import { expect, test } from 'vitest';
import { eventually } from '../../fakes/eventually.ts';
import { never, openDiscord, placeOf } from './support.ts';

const START = '0'.repeat(20);

test('without the Message Content intent no history is told: what shows nothing would count as gone', async () => {
  await using discord = await openDiscord({ limits: 'off', privilegedIntents: [] });
  const guild = discord.fake.guild();
  const channel = guild.channel();
  channel.say(discord.fake.user(), 'cannot be read');
  await expect(
    Array.fromAsync(discord.feed.history(placeOf(guild, channel), START, never())),
  ).rejects.toMatchObject({ code: 'forbidden', retryable: false });
});

test('somebody who has left is asked about once, however much they have written', async () => {
  await using discord = await openDiscord({ limits: 'off' });
  const { fake, core, feed } = discord;
  const guild = fake.guild();
  const channel = guild.channel();
  const ann = fake.user({ name: 'Ann' });
  core.watching = () => false;
  for (let count = 0; count < 20; count += 1) channel.say(ann, `line ${count}`);
  guild.leave(ann);
  const asked = (): number =>
    fake.requests.filter(({ route }) => route === 'GET /guilds/:id/members/:id').length;
  const read = async () => Array.fromAsync(feed.history(placeOf(guild, channel), START, never()));
  // Whether they have left is not known while Discord is in trouble.
  fake.fail('GET /guilds/:id/members/:id', { status: 503 }, { times: 4 });
  const [first] = await read();
  expect(first?.author.name).toBe('Ann');
  expect(asked()).toBe(5);
  expect(await read()).toHaveLength(20);
  expect(asked()).toBe(5);
});

test('where the bot may not read what was written before, who asks for it is told what it lacks', async () => {
  await using discord = await openDiscord({ limits: 'off' });
  const guild = discord.fake.guild();
  const channel = guild.channel();
  channel.say(discord.fake.user(), 'cannot be read');
  const place = placeOf(guild, channel);
  const newest = async () => discord.feed.newest(place, START, 9, never());
  await eventually(async () => expect(await newest()).toHaveLength(1));
  channel.deny('ReadMessageHistory');
  const permissions = 'Read Message History';
  await eventually(async () =>
    expect(await newest().catch((thrown: unknown) => thrown)).toMatchObject({
      code: 'forbidden',
      sentence: { key: 'watch.missing', params: { permissions } },
    }),
  );
});

test('the names of many authors are asked for together, also of those who have left', async () => {
  await using discord = await openDiscord({ limits: 'off' });
  const { fake, core, feed } = discord;
  core.watching = () => false;
  const guild = fake.guild();
  const channel = guild.channel();
  const people = Array.from({ length: 120 }, (_, at) => fake.user({ name: `Ann ${at}` }));
  for (const each of people) {
    channel.say(each, 'hello');
    guild.rename(each, `Anna ${each.id}`);
  }
  const [gone, ...stayed] = people;
  guild.leave(gone!);
  const newest = async () => feed.newest(placeOf(guild, channel), START, 300, never());
  const names = [gone!.name, ...stayed.map(({ id }) => `Anna ${id}`)];
  expect((await newest()).map(({ author }) => author.name)).toEqual(names);
  expect((await newest()).map(({ author }) => author.name)).toEqual(names);
  const history = await Array.fromAsync(feed.history(placeOf(guild, channel), START, never()));
  expect(history.map(({ author }) => author.name)).toEqual(names);
  expect(fake.requests.filter(({ route }) => route === 'GET /guilds/:id/members/:id')).toEqual([]);
});
