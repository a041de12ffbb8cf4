import { expect, it } from 'vitest';
import { createSpaceSettings } from '../../src/store/settings.ts';
import { sentence } from '../fakes/sentences.ts';
import { withSlackBot } from './support.ts';

const bot = withSlackBot();

it('a panel that was opened before others chose takes away nothing of theirs', async () => {
  const at = bot.place();
  const { admin, channel, workspace } = at;
  const [second, third] = [workspace.channel(), workspace.channel()];
  const space = { platform: 'slack', id: workspace.id };
  const settings = createSpaceSettings(bot.store);
  await settings.change(space, { quietChannels: [channel.id] });
  const opened = async () => {
    await bot.use(at, 'settings');
    const panel = channel.ephemeralsFor(admin).at(-1)!;
    bot.slack.act(admin, panel, 'settings page:quiet');
    await bot.slack.until(() => JSON.stringify(panel).includes('"settings quiet"'));
    return panel;
  };
  const [one, other] = [await opened(), await opened()];
  const choose = (panel: typeof one, ids: readonly string[]) =>
    bot.slack.act(admin, panel, 'settings quiet', { selected_conversations: ids });
  choose(one, [channel.id, second.id]);
  const quiet = async () => (await settings.of(space)).quietChannels;
  await expect.poll(quiet).toEqual([channel.id, second.id]);
  choose(other, [channel.id, third.id]);
  await expect.poll(quiet).toEqual([channel.id, second.id, third.id]);
});

it('/audit sets back what was turned off, once, and names its channel', async () => {
  const at = bot.place();
  const { admin, channel } = at;
  const watches = async () =>
    bot.store
      .selectFrom('channel_watch')
      .select('languages')
      .where('channel_id', '=', channel.id)
      .execute();
  await bot.use(at, 'autotranslate reply languages:es');
  await bot.use(at, 'autotranslate off');
  await expect.poll(watches).toEqual([]);
  await bot.use(at, 'audit');
  const shown = channel.ephemeralsFor(admin).at(-1)!;
  const json = JSON.stringify(shown);
  const [undo = ''] = json.match(/autotranslate restore:[\da-f-]+\/audit/) ?? [];
  expect(json).toMatch(new RegExp(`${sentence('autotranslate.wizard-undo')}: #\\w`));
  bot.slack.act(admin, shown, undo);
  await expect.poll(watches).toEqual([{ languages: '["es"]' }]);
  await bot.slack.until(() => JSON.stringify(shown).includes('audit page'));
  await bot.use(at, 'autotranslate off');
  await expect.poll(watches).toEqual([]);
});
