import { createDiscordAdapter } from '../../adapters/discord/adapter.ts';
import { startDiscordFake } from '../fakes/discord/index.ts';
import type { FakeChannel } from '../fakes/slack/index.ts';
import { installIn, openSlackBot, type Place, type SlackBot } from './support.ts';

/** The code in an answer. */
const codeIn = (answer: string): string =>
  /[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(answer)?.[0] ?? '';

const installed = async (bot: SlackBot, name: string): Promise<Place> => {
  const workspace = bot.slack.workspace({ name, installed: false });
  await installIn(bot, workspace, workspace.user({ isAdmin: true }));
  return bot.place(workspace);
};

/** Resolves when one of the app's posts has these words. */
export const wordsIn = async (channel: FakeChannel, part: string): Promise<void> => {
  await channel.until((posts) => posts.some(({ words }) => words.includes(part)));
};

/** Two workspaces and a Discord server with a channel each, in English, Spanish and Japanese. */
export const openGroup = async () => {
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
