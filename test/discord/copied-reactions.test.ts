import { expect, it } from 'vitest';
import { sentence } from '../fakes/sentences.ts';
import type { FakeMessage } from '../fakes/discord/index.ts';
import { copyOf } from './shown.ts';
import { withBot } from './support.ts';

const bot = withBot();

const shown = ({ reactions }: FakeMessage): string[] =>
  reactions.filter(({ users }) => users.includes(bot.discord.botUser.id)).map(({ emoji }) => emoji);

it('a reaction to a message of linked channels stands under its copies, and one to a copy under the message', async () => {
  const { english, spanish, japanese, ann, bob } = await bot.linked();
  const said = english.say(ann, 'We meet at the old bridge');
  const inSpanish = await copyOf(said, spanish);
  const copies = [inSpanish, await copyOf(said, japanese)];
  said.react(bob, '👍');
  await bot.discord.until(() => copies.every((copy) => shown(copy).includes('👍')));
  inSpanish.react(ann, '❤️');
  await bot.discord.until(() => shown(said).includes('❤️'));
  said.unreact(bob, '👍');
  await bot.discord.until(() => copies.every((copy) => !shown(copy).includes('👍')));
  inSpanish.unreact(ann, '❤️');
  await bot.discord.until(() => [said, ...copies].every((each) => each.reactions.length === 0));
});

it('its author reads in “About this message” how many people have reacted elsewhere', async () => {
  const at = await bot.linked();
  const { english, spanish, guild, ann, bob } = at;
  const said = english.say(ann, 'We meet at the old bridge');
  const copy = await copyOf(said, spanish);
  for (const one of [bob, guild.owner]) copy.react(one, '👍');
  await bot.discord.until(() => shown(said).includes('👍'));
  const use = { channel: english, name: 'About this message', target: said };
  const asking = bot.discord.command(ann, use);
  expect((await asking.answer()).content).toContain(
    sentence('why.reactions', { reactions: '👍 2' }),
  );
});

it('a hundred presses make few requests', async () => {
  const { english, spanish, ann, guild } = await bot.linked();
  const said = english.say(ann, 'We meet at the old bridge');
  const copy = await copyOf(said, spanish);
  const people = Array.from({ length: 100 }, (_, at) => bot.discord.user({ name: `Person ${at}` }));
  for (const one of people) guild.join(one);
  const before = bot.discord.requests.length;
  for (const one of people) said.react(one, '👍');
  await bot.discord.until(() => shown(copy).includes('👍'));
  for (const one of people) said.unreact(one, '👍');
  await bot.discord.until(() => copy.reactions.length === 0);
  const made = bot.discord.requests
    .slice(before)
    .filter(({ path }) => path.includes('/reactions/'));
  expect(made.length).toBeLessThan(20);
});
