import { it } from 'vitest';
import { sentence } from '../fakes/sentences.ts';
import { withSlackBot } from './support.ts';

const bot = withSlackBot();

it('the command alone opens the panel, by which a channel is set up without typing', async () => {
  const at = bot.place();
  const { admin, ann, channel } = at;
  await bot.use(at, 'autotranslate', { part: sentence('autotranslate.panel-none') });
  const panel = () => channel.ephemeralsFor(admin).at(-1)!;
  const shows = (words: string) => bot.slack.until(() => panel().text.includes(words));
  bot.slack.act(admin, panel(), 'autotranslate page', { selected_conversation: channel.id });
  await bot.slack.until(() => JSON.stringify(panel()).includes('autotranslate languages:'));
  bot.slack.act(admin, panel(), `autotranslate languages:${channel.id}`, {
    selected_options: [{ value: 'es' }, { value: 'ja' }],
  });
  await shows('Spanish, Japanese');
  const told = 'Spanish and Japanese';
  await channel.until((posts) => posts.some(({ words }) => words.includes(told)));
  channel.say(ann, 'good morning everybody');
  await channel.until((posts) => posts.some(({ words }) => words.includes('ja:good morning')));
});

it('App Home has the panel too', async () => {
  const { admin, channel } = bot.place();
  admin.openHome();
  const shows = (words: string) =>
    bot.slack.until(() => JSON.stringify(admin.home).includes(words));
  await shows('"autotranslate page"');
  bot.slack.act(admin, admin.homeView!, 'autotranslate page', {
    selected_conversation: channel.id,
  });
  await shows(`autotranslate languages:${channel.id}`);
});
