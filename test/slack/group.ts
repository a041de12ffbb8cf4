import { createDiscordAdapter } from '../../adapters/discord/adapter.ts';
import { startDiscordFake } from '../fakes/discord/index.ts';
import type { FakeChannel } from '../fakes/slack/index.ts';
import { installIn, openSlackBot, type Place, type SlackBot } from './support.ts';

/** The code in an answer. */
export const codeIn = (answer: string): string =>
  /[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(answer)?.[0] ?? '';

export const installed = async (bot: SlackBot, name: string): Promise<Place> => {
  const workspace = bot.slack.workspace({ name, installed: false });
  await installIn(bot, workspace, workspace.user({ isAdmin: true }));
  return bot.place(workspace);
};

/** Resolves when one of the app's posts has these words. */
export const wordsIn = async (channel: FakeChannel, part: string): Promise<void> => {
  await channel.until((posts) => posts.some(({ words }) => words.includes(part)));
};

/** The press of a control in blocks of Slack. */
export const pressIn = (blocks: unknown, word: string): string =>
  new RegExp(`"(autotranslate ${word}:[^"]+)"`).exec(JSON.stringify(blocks))?.[1] ?? '';

/** Has the question of a request in a workspace's channel answered by its moderator. */
export const agreeIn = async (
  bot: SlackBot,
  { channel, admin }: Place,
  ask: string,
): Promise<void> => {
  const link = ask.replace(' ask:', ' link:').replace(/\/.*/, '');
  const question = () =>
    channel.posts.find(({ blocks }) => pressIn(blocks, 'link').startsWith(link));
  await channel.until(() => question() !== undefined);
  const asked = question();
  if (!asked) throw new Error('nothing is asked');
  bot.slack.act(admin, asked, pressIn(asked.blocks, 'link'));
};

/** Uses a code in a workspace, whose moderator agrees, and then that of the workspace that made it. */
export const joinBy = async (
  bot: SlackBot,
  code: string,
  language: string,
  joining: Place,
  invited: Place,
): Promise<void> => {
  await bot.use(joining, `autotranslate link language:${language} code:${code}`, {
    part: '(Slack)',
  });
  const proposal = joining.channel.ephemeralsFor(joining.admin).at(-1);
  if (!proposal) throw new Error('nothing is shown');
  const ask = pressIn(proposal.blocks, 'ask');
  bot.slack.act(joining.admin, proposal, ask);
  await agreeIn(bot, invited, ask);
  await wordsIn(joining.channel, '(Slack)');
};

/** A bot on Slack and on Discord. */
export const openBoth = async () => {
  const bot = await openSlackBot('many');
  const discord = await startDiscordFake({ speed: 50 });
  const adapter = await bot.attach((core) =>
    createDiscordAdapter(
      { token: discord.token, url: discord.url, requestsPerSecond: 10_000, random: () => 0 },
      core,
    ),
  );
  await discord.online();
  return {
    bot,
    discord,
    [Symbol.asyncDispose]: async () => {
      await adapter[Symbol.asyncDispose]();
      await bot[Symbol.asyncDispose]();
      await discord[Symbol.asyncDispose]();
    },
  };
};

/** Two workspaces and a Discord server with a channel each, in English, Spanish and Japanese. */
export const openGroup = async () => {
  const both = await openBoth();
  const { bot, discord } = both;
  const [english, spanish] = [await installed(bot, 'one'), await installed(bot, 'two')];
  const guild = discord.guild({ name: 'Babel' });
  const japanese = guild.channel({ name: 'nihongo' });
  const invite = async (): Promise<string> =>
    codeIn(await bot.use(english, 'autotranslate link language:en', { part: '-' }));
  const first = await invite();
  await joinBy(bot, first, 'es', spanish, english);
  const second = await invite();
  const answer = discord.command(guild.owner, {
    channel: japanese,
    name: 'autotranslate link',
    options: { language: 'ja', code: second },
  });
  const proposal = await answer.answer();
  const [ask = ''] =
    /autotranslate ask:[0-9a-f-]+\/\w+\/[\w-]+/.exec(JSON.stringify(proposal.components)) ?? [];
  discord.press(guild.owner, proposal, ask);
  await agreeIn(bot, english, ask);
  await japanese.until((messages) =>
    messages.some(({ content }) => content.includes('リンクされ')),
  );
  // Who was not asked agrees to the third one, too.
  const naming = () => spanish.channel.posts.filter(({ words }) => words.includes('nihongo'));
  const letIn = () => naming().find(({ blocks }) => pressIn(blocks, 'letin') !== '');
  await spanish.channel.until(() => letIn() !== undefined);
  const question = letIn()!;
  bot.slack.act(spanish.admin, question, pressIn(question.blocks, 'letin'));
  await spanish.channel.until(() => naming().length > 1);
  return {
    ...both,
    english,
    spanish,
    japanese,
    guild,
    code: first,
  };
};
