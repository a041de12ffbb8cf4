import { beforeAll, describe, expect, it } from 'vitest';
import { copiesOf, copyOf } from './discord/shown.ts';
import { createBot } from './fakes/bot.ts';
import type { FakeChannel, FakeUser } from './fakes/discord/index.ts';
import { shared } from './fakes/opened.ts';

/** Answers of one message, and of several; of each, the message in which the program is killed. */
const ANSWERS = [
  { text: 'Sí, con mucho gusto', post: 1, messages: 1 },
  { text: 'Un día muy largo y bonito. '.repeat(90), post: 1, messages: 2 },
  { text: 'Un día muy largo y tranquilo. '.repeat(90), post: 2, messages: 2 },
];

let bob: FakeUser;
/** Linked channels for each answer, and somebody who is answered there. */
let talks: ((typeof ANSWERS)[number] & {
  readonly asker: FakeUser;
  readonly english: FakeChannel;
  readonly spanish: FakeChannel;
})[];
const bot = shared(() => createBot({ speed: 50 }));
beforeAll(async () => {
  const guild = bot.discord.guild({ name: 'Babel' });
  bob = bot.discord.user({ name: 'Bob' });
  guild.join(bob);
  await bot.start();
  talks = await Array.fromAsync(ANSWERS, async (answer) => {
    const [english, spanish] = [guild.channel({ name: 'english' }), guild.channel({ name: 'es' })];
    const asker = bot.discord.user();
    guild.join(asker);
    const channels = `<#${english.id}> en, <#${spanish.id}> es`;
    await bot.use({ guild, channel: english }, 'autotranslate mirror', { channels });
    return { ...answer, asker, english, spanish };
  });
});

describe('a program that is killed while it posts answers to copies', () => {
  it.each([true, 'after'] as const)('mentions each author once: hangs %s', async (hang) => {
    const copies = await Promise.all(
      talks.map(({ english, spanish, asker }) =>
        copyOf(english.say(asker, 'Tell me of your day, please'), spanish),
      ),
    );
    bot.discord.pings.length = 0;
    const held = new Set<string>();
    for (const { text, post } of talks) {
      const word = text.trim().split(' ').at(-1)!;
      let posts = 0;
      const isHeld = ({ body }: { readonly body: Readonly<Record<string, unknown>> }): boolean => {
        if (!String(body['content']).includes(word)) return false;
        posts += 1;
        if (posts === post) held.add(text);
        return posts === post;
      };
      bot.discord.fail('POST /webhooks/:id/:token', { hang }, { while: isHeld });
    }
    const answers = talks.map(({ spanish, text }, at) =>
      spanish.say(bob, text, { replyTo: copies[at]! }),
    );
    await bot.discord.until(() => held.size === talks.length);
    for (const [at, { english, post }] of talks.entries()) {
      const stood = post - (hang === 'after' ? 0 : 1);
      await english.until(() => copiesOf(answers[at]!, english).length >= stood);
    }
    await bot.kill();
    bot.discord.heal();
    await bot.start();
    for (const [at, { asker, english, spanish, messages }] of talks.entries()) {
      await copyOf(english.say(asker, 'What comes after all of that'), spanish);
      await english.until(() => copiesOf(answers[at]!, english).length === messages);
    }
    const pinged = (): string[] =>
      bot.discord.pings.map(({ kind, id }) => `${kind} ${id}`).toSorted();
    const askers = talks.map(({ asker }) => `user ${asker.id}`).toSorted();
    expect(pinged()).toEqual(askers);
    for (const [at, { english }] of talks.entries()) {
      answers[at]!.edit('Sí, con azúcar');
      await english.until(() =>
        copiesOf(answers[at]!, english).some(({ content }) => content.includes('con azúcar')),
      );
    }
    expect(pinged()).toEqual(askers);
  });
});
