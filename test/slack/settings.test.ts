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

it('people are stopped in the panel, and allowed again', async () => {
  const at = bot.place();
  const { admin, ann, bob, channel, workspace } = at;
  const settings = createSpaceSettings(bot.store);
  const stopped = async () =>
    (await settings.of({ platform: 'slack', id: workspace.id })).rules.people?.of;
  await bot.use(at, 'autotranslate reply languages:es');
  await bot.use(at, 'autotranslate panel');
  const panel = channel.ephemeralsFor(admin).at(-1)!;
  const press = async (action: string, chosen: Record<string, unknown> = {}) => {
    await bot.slack.until(() => JSON.stringify(panel).includes(`"${action}"`));
    bot.slack.act(admin, panel, action, chosen);
  };
  await press(`autotranslate page:${channel.id}`);
  await press(`autotranslate rules:${channel.id}`);
  await press(`autotranslate stoppeople:${channel.id}`);
  const choice = `autotranslate rulepeople:${channel.id}`;
  await press(choice, { selected_users: [ann.id, bob.id] });
  await expect.poll(stopped).toEqual([ann.id, bob.id]);
  await bot.slack.until(() => JSON.stringify(panel).includes(`"initial_users":["${ann.id}"`));
  await press(choice, { selected_users: [bob.id] });
  await expect.poll(stopped).toEqual([bob.id]);
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
  expect(json).toMatch(new RegExp(`${sentence('autotranslate.wizard-undo')}: [^"]*#\\w`));
  bot.slack.act(admin, shown, undo);
  await expect.poll(watches).toEqual([{ languages: '["es"]' }]);
  await bot.slack.until(() => JSON.stringify(shown).includes('audit page'));
  await bot.use(at, 'autotranslate off');
  await expect.poll(watches).toEqual([]);
});
