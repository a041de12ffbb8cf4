import { expect, it } from 'vitest';
import { sentence } from '../fakes/sentences.ts';
import { codeIn, installed, openBoth, pressIn } from './group.ts';

const CHANGED = sentence('autotranslate.panel-changed', { channel: '' }).split('  ')[0]!;
const REPLACES = sentence('autotranslate.link-replaces', { channel: '', before: '' })
  .split(' ')
  .slice(0, 3)
  .join(' ');

it('a question for a link is put anew where its channel is set up otherwise meanwhile, on Slack and on Discord', async () => {
  await using both = await openBoth();
  const { bot, discord } = both;
  const [one, two] = [await installed(bot, 'one'), await installed(bot, 'two')];
  const guild = discord.guild({ name: 'Babel' });
  const [asking, invited] = [guild.channel({ name: 'asking' }), guild.channel({ name: 'invited' })];
  const inDiscord = async (channel: typeof asking, name: string, options: object) => {
    const said = discord.command(guild.owner, { channel, name, options: { ...options } });
    return said.answer();
  };

  // Slack is asked.
  const code = codeIn(await bot.use(one, 'autotranslate link language:en', { part: '-' }));
  const proposal = await inDiscord(asking, 'autotranslate link', { language: 'ja', code });
  discord.press(guild.owner, proposal, pressIn(proposal.components, 'ask'));
  const question = () => one.channel.posts.find(({ blocks }) => pressIn(blocks, 'link') !== '');
  await one.channel.until(() => question() !== undefined);
  await bot.use(one, 'autotranslate reply languages:fr');
  const old = pressIn(question()?.blocks, 'link');
  bot.slack.act(one.admin, question()!, old);
  await one.channel.until(() => pressIn(question()?.blocks, 'link') !== old);
  expect(question()?.words).toContain(CHANGED);
  expect(question()?.words).toContain(REPLACES);
  bot.slack.act(one.admin, question()!, pressIn(question()?.blocks, 'link'));
  await one.channel.until(() => question() === undefined);

  // Discord is asked.
  const made = await inDiscord(invited, 'autotranslate link', { language: 'en' });
  await bot.use(two, `autotranslate link language:es code:${codeIn(made.content)}`, {
    part: '(Discord)',
  });
  const shown = two.channel.ephemeralsFor(two.admin).at(-1)!;
  bot.slack.act(two.admin, shown, pressIn(shown.blocks, 'ask'));
  const asked = () => invited.messages.find(({ components }) => pressIn(components, 'link') !== '');
  await invited.until(() => asked() !== undefined);
  await inDiscord(invited, 'autotranslate reply', { languages: 'fr' });
  const before = pressIn(asked()?.components, 'link');
  discord.press(guild.owner, asked()!, before);
  await invited.until(() => pressIn(asked()?.components, 'link') !== before);
  expect(asked()?.content).toContain(CHANGED);
  expect(asked()?.content).toContain(REPLACES);
  discord.press(guild.owner, asked()!, pressIn(asked()?.components, 'link'));
  await invited.until(() => asked() === undefined);
});
