import { expect, it } from 'vitest';
import { copyOf } from './shown.ts';
import { withBot } from './support.ts';

const bot = withBot();

it('a pinned message of linked channels has pinned copies, until it is unpinned', async () => {
  const { english, spanish, japanese, ann, guild, bob } = await bot.linked();
  const said = english.say(ann, 'These are the rules of the house');
  const copies = await Promise.all([copyOf(said, spanish), copyOf(said, japanese)]);
  said.pin();
  await bot.discord.until(() => copies.every(({ pinned }) => pinned));
  said.edit('These are the new rules of the house');
  await copyOf(said, spanish, (text) => text.startsWith('es:These are the new rules'));
  expect(copies.map(({ pinned }) => pinned)).toEqual([true, true]);
  said.pin(false);
  await bot.discord.until(() => copies.every(({ pinned }) => !pinned));
  await bot.settled({ guild, channel: english, ann, bob });
  // What Discord itself says of a pin is no message of anybody.
  expect(english.messages).toHaveLength(1);
});

it('what is pinned and unpinned while the bot is away is made up for when it is back', async () => {
  const { english, spanish, japanese, ann } = await bot.linked();
  const [first, second] = [english.say(ann, 'The old rules'), english.say(ann, 'The new rules')];
  const copies = await Promise.all(
    [first, second].flatMap((said) => [copyOf(said, spanish), copyOf(said, japanese)]),
  );
  first.pin();
  await bot.discord.until(() => copies.slice(0, 2).every(({ pinned }) => pinned));
  await bot.stop();
  first.pin(false);
  second.pin();
  await bot.start();
  await bot.discord.until(() => copies.every(({ pinned }, at) => pinned === at > 1));
});
