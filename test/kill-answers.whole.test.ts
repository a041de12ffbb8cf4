import { beforeAll, describe, expect, it } from 'vitest';
import { copiesOf, copyOf } from './discord/shown.ts';
import { createBot } from './fakes/bot.ts';
import type { FakeChannel, FakeUser } from './fakes/discord/index.ts';
import { shared } from './fakes/opened.ts';

let talk: { ann: FakeUser; bob: FakeUser; english: FakeChannel; spanish: FakeChannel };
const bot = shared(() => createBot({ speed: 50 }));
beforeAll(async () => {
  const guild = bot.discord.guild({ name: 'Babel' });
  const [ann, bob] = ['Ann', 'Bob'].map((name) => {
    const user = bot.discord.user({ name });
    guild.join(user);
    return user;
  }) as [FakeUser, FakeUser];
  const [english, spanish] = ['english', 'spanish'].map((name) => guild.channel({ name })) as [
    FakeChannel,
    FakeChannel,
  ];
  await bot.start();
  const channels = `<#${english.id}> en, <#${spanish.id}> es`;
  await bot.use({ guild, channel: english }, 'autotranslate mirror', { channels });
  talk = { ann, bob, english, spanish };
});

/** An answer of one message, and of several. */
const ANSWERS = { short: 'Sí, con mucho gusto', long: 'Un día muy largo y bonito. '.repeat(90) };
const CASES = (['short', 'long'] as const).flatMap((length) =>
  ([true, 'after'] as const).flatMap((hang) =>
    // Of a long one, the second message is what the program is killed in.
    (length === 'long' ? [1, 2] : [1]).map((post) => [length, hang, post] as const),
  ),
);

describe('a program that is killed while it posts an answer to a copy', () => {
  it.each(CASES)('mentions the author once: %s, hangs %s, post %i', async (length, hang, post) => {
    const { ann, bob, english, spanish } = talk;
    const copy = await copyOf(english.say(ann, 'Tell me of your day, please'), spanish);
    bot.discord.pings.length = 0;
    let posts = 0;
    let isHeld = false;
    bot.discord.fail(
      'POST /webhooks/:id/:token',
      { hang },
      {
        while: () => {
          posts += 1;
          isHeld ||= posts === post;
          return posts === post;
        },
      },
    );
    const answer = spanish.say(bob, ANSWERS[length], { replyTo: copy });
    await bot.discord.until(() => isHeld);
    const stood = post - (hang === 'after' ? 0 : 1);
    await english.until(() => copiesOf(answer, english).length >= stood);
    await bot.kill();
    bot.discord.heal();
    await bot.start();
    const next = english.say(ann, 'What comes after all of that');
    await copyOf(next, spanish);
    await english.until(() => copiesOf(answer, english).length === (length === 'long' ? 2 : 1));
    expect(bot.discord.pings.map(({ kind, id }) => `${kind} ${id}`)).toEqual([`user ${ann.id}`]);
    answer.edit('Sí, con azúcar');
    await english.until(() =>
      copiesOf(answer, english).some(({ content }) => content.includes('con azúcar')),
    );
    expect(bot.discord.pings).toHaveLength(1);
  });
});
