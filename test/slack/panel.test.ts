import { expect, it } from 'vitest';
import { NAMING } from '../../adapters/slack/manifest.ts';
import { sentence } from '../fakes/sentences.ts';
import type { FakeMessage } from '../fakes/slack/index.ts';
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
  const params = { name: 'admin', languages: 'Spanish and Japanese', mode: 'reply' };
  // The command that opts out is named as people type it here.
  const told = sentence('autotranslate.on-here', params, 'en', NAMING).replaceAll('`', '');
  await channel.until((posts) => posts.some(({ words }) => words.includes(told)));
  channel.say(ann, 'good morning everybody');
  await channel.until((posts) => posts.some(({ words }) => words.includes('ja:good morning')));
});

it('two moderators who open the page of a channel that is off both get the languages they choose', async () => {
  const { admin, workspace } = bot.place();
  const other = workspace.user({ name: 'other', isAdmin: true });
  const channel = workspace.channel({ members: [admin, other] });
  const both = [admin, other];
  const panel = (by: typeof admin) => channel.ephemeralsFor(by).at(-1)!;
  const languages = `autotranslate languages:${channel.id}`;
  const shows = (by: typeof admin, words: string) =>
    bot.slack.until(() => JSON.stringify(panel(by) ?? '').includes(words));
  for (const by of both) {
    bot.slack.command(by, channel, '/dragoman', 'autotranslate');
    await shows(by, `autotranslate page:${channel.id}`);
    bot.slack.act(by, panel(by), `autotranslate page:${channel.id}`);
    await shows(by, languages);
  }
  bot.slack.act(admin, panel(admin), languages, { selected_options: [{ value: 'es' }] });
  await shows(admin, 'autotranslate mode:');
  bot.slack.act(other, panel(other), languages, { selected_options: [{ value: 'ja' }] });
  await shows(other, 'autotranslate mode:');
  const watches = bot.store.selectFrom('channel_watch').select('languages');
  await expect
    .poll(() => watches.where('channel_id', '=', channel.id).execute())
    .toEqual([{ languages: '["es","ja"]' }]);
});

it('several changes of a channel are one message there, until somebody writes below', async () => {
  const at = bot.place();
  const { admin, ann, channel } = at;
  await bot.use(at, 'autotranslate');
  const panel = () => channel.ephemeralsFor(admin).at(-1)!;
  const shows = (words: string) => bot.slack.until(() => JSON.stringify(panel()).includes(words));
  const choose = (...languages: readonly string[]): void =>
    void bot.slack.act(admin, panel(), `autotranslate languages:${channel.id}`, {
      selected_options: languages.map((value) => ({ value })),
    });
  const told = (key: 'on-here' | 'paused-here' | 'resumed-here', languages = '') =>
    sentence(
      `autotranslate.${key}`,
      { name: 'admin', languages, mode: 'reply' },
      'en',
      NAMING,
    ).replaceAll('`', '');
  bot.slack.act(admin, panel(), 'autotranslate page', { selected_conversation: channel.id });
  await shows('autotranslate languages:');
  choose('es', 'ja');
  await shows('Spanish, Japanese');
  choose('ja');
  await bot.slack.until(() => !panel().text.includes('Spanish, Japanese'));
  bot.slack.act(admin, panel(), `autotranslate pause:${channel.id}`);
  await shows('autotranslate resume:');
  const both = `${told('on-here', 'Japanese')}\n${told('paused-here')}`;
  const end = (posts: readonly FakeMessage[], words: string) => posts.at(-1)?.words.endsWith(words);
  expect(await channel.until((posts) => end(posts, both) === true)).toHaveLength(1);
  channel.say(ann, 'why is nothing translated here?');
  bot.slack.act(admin, panel(), `autotranslate resume:${channel.id}`);
  expect(await channel.until((posts) => end(posts, told('resumed-here')) === true)).toHaveLength(2);
});

it('a channel that is deleted while it is chosen is told as such, and not that the app is to be invited', async () => {
  const at = bot.place();
  const { admin, channel, workspace } = at;
  const other = workspace.channel({ name: 'short-lived', members: [admin] });
  await bot.use(at, 'autotranslate');
  const panel = () => channel.ephemeralsFor(admin).at(-1)!;
  const languages = `autotranslate languages:${other.id}`;
  bot.slack.act(admin, panel(), 'autotranslate page', { selected_conversation: other.id });
  await bot.slack.until(() => JSON.stringify(panel()).includes(languages));
  other.delete();
  bot.slack.act(admin, panel(), languages, { selected_options: [{ value: 'es' }] });
  await bot.slack.until(() => JSON.stringify(panel()).includes('⚠️'));
  expect(panel().text).toContain(sentence('watch.deleted', { channel: `<#${other.id}>` }));
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

it('a conversation with the app is no channel to translate', async () => {
  const at = bot.place();
  const { admin, workspace } = at;
  const talk = { ...at, channel: workspace.direct(admin) };
  await bot.use(talk, 'autotranslate');
  expect(JSON.stringify(talk.channel.ephemeralsFor(admin).at(-1))).not.toContain(
    `autotranslate page:${talk.channel.id}`,
  );
  const channel = `<#${talk.channel.id}>`;
  const refused = await bot.use(talk, 'autotranslate reply languages:es');
  expect(refused).toContain(sentence('watch.unfit', { channel }));
});
