import { describe, expect, it } from 'vitest';
import { createDiscordAdapter } from '../../adapters/discord/adapter.ts';
import { startDiscordFake } from '../fakes/discord/index.ts';
import type { FakeChannel } from '../fakes/slack/index.ts';
import { installIn, openSlackBot, type Place, type SlackBot } from './support.ts';

const codeIn = (answer: string): string =>
  /[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(answer)?.[0] ?? '';

const installed = async (bot: SlackBot, name: string): Promise<Place> => {
  const workspace = bot.slack.workspace({ name, installed: false });
  await installIn(bot, workspace, workspace.user({ isAdmin: true }));
  return bot.place(workspace);
};

const wordsIn = async (channel: FakeChannel, part: string): Promise<void> => {
  await channel.until((posts) => posts.some(({ words }) => words.includes(part)));
};

/** Two workspaces and a Discord server with a channel each, in English, Spanish and Japanese. */
const openGroup = async () => {
  const bot = await openSlackBot('many');
  const discord = await startDiscordFake({ speed: 50 });
  const adapter = await bot.attach((core) =>
    createDiscordAdapter(
      { token: discord.token, url: discord.url, requestsPerSecond: 10_000, random: () => 0 },
      core,
    ),
  );
  await discord.online();
  const [english, spanish] = [await installed(bot, 'one'), await installed(bot, 'two')];
  const guild = discord.guild({ name: 'Babel' });
  const japanese = guild.channel({ name: 'nihongo' });
  const invite = async (): Promise<string> =>
    codeIn(await bot.use(english, 'autotranslate link language:en', { part: '-' }));
  const first = await invite();
  await bot.use(spanish, `autotranslate link language:es code:${first}`, { part: 'elsewhere' });
  const second = await invite();
  const answer = discord.command(guild.owner, {
    channel: japanese,
    name: 'autotranslate link',
    options: { language: 'ja', code: second },
  });
  await answer.until(({ shown }) => shown?.content.includes('elsewhere') ?? false);
  return {
    bot,
    discord,
    english,
    spanish,
    japanese,
    guild,
    code: first,
    [Symbol.asyncDispose]: async () => {
      await adapter[Symbol.asyncDispose]();
      await bot[Symbol.asyncDispose]();
      await discord[Symbol.asyncDispose]();
    },
  };
};

describe('channels of two workspaces and a Discord server that were linked by codes', () => {
  it('show each message, its reply, its edit, its file and its end in all of them', async () => {
    await using group = await openGroup();
    const { bot, english, spanish, japanese, discord, guild } = group;
    const bytes = new TextEncoder().encode('what is in the file');
    const said = english.channel.say(english.ann, 'We meet at the old bridge', {
      files: [{ name: 'plan.txt', mimetype: 'text/plain', bytes }],
    });
    await wordsIn(spanish.channel, 'es:We meet at the old bridge');
    await japanese.until((messages) =>
      messages.some(({ content }) => content.includes('ja:We meet at the old bridge')),
    );
    await spanish.channel.until((posts) => posts.some(({ state }) => state.files.length > 0));
    const mirror = japanese.messages.find(({ content }) => content.includes('ja:We meet'));
    expect(mirror?.author).toBe('Ann');
    expect(mirror?.attachments.map(({ name }) => name)).toEqual(['plan.txt']);

    if (!mirror) throw new Error('there is no mirror');
    const bob = discord.user({ name: 'Bob' });
    guild.join(bob);
    japanese.say(bob, '橋で会いましょう、みなさん', { replyTo: mirror });
    await bot.slack.until(() =>
      said.replies.some(
        ({ words, shownAuthor }) => words.includes('en:橋で') && shownAuthor === 'Bob',
      ),
    );

    said.edit('We meet at the new bridge');
    await wordsIn(spanish.channel, 'es:We meet at the new bridge');
    await japanese.until((messages) =>
      messages.some(({ content }) => content.includes('ja:We meet at the new bridge')),
    );
    said.delete();
    await japanese.until((messages) =>
      messages.every(({ content }) => !content.includes('ja:We meet')),
    );
    expect(bot.slack.pings).toEqual([]);
    expect(discord.pings).toEqual([]);
  });

  it('are told who joined, take a code once, and end when one is left', async () => {
    await using group = await openGroup();
    const { bot, english, spanish, code } = group;
    await wordsIn(english.channel, 'A channel on Slack was linked');
    await wordsIn(spanish.channel, 'Discord');
    const other = bot.place(spanish.workspace);
    expect(
      await bot.use(other, `autotranslate link language:fr code:${code}`, { part: 'code' }),
    ).toContain('unknown');
    const list = await bot.use(english, 'autotranslate list', { part: 'elsewhere' });
    expect(list).toContain('2 channels elsewhere');
    await bot.use(spanish, 'autotranslate off', { part: 'off' });
    await wordsIn(english.channel, 'no longer linked');
  });
});
