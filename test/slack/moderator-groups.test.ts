import { expect, it } from 'vitest';
import { NAMING } from '../../adapters/slack/manifest.ts';
import type { FakeUser } from '../fakes/slack/index.ts';
import { createSpaceSettings } from '../../src/store/settings.ts';
import { sentence } from '../fakes/sentences.ts';
import { openSlackBot, type SlackBot } from './support.ts';

const MODERATORS = 'Only moderators';
const GROUPS = 'settings page:groups';
const HOW = sentence('settings.groups-how', {}, 'en', NAMING);
const ADMINS = sentence('settings.groups-admins', {}, 'en', NAMING);

/** The settings as somebody opens them. */
const opened = async (bot: SlackBot, by: FakeUser) => {
  const at = bot.place();
  await bot.use(at, 'settings', { by });
  const panel = () => at.channel.ephemeralsFor(by).at(-1)!;
  return { panel, isOffered: JSON.stringify(panel().blocks).includes(GROUPS) };
};

const option = (id: string) => ({ selected_options: [{ value: id }] });

it('members of a user group that an admin chose moderate, and do not choose such groups', async () => {
  await using bot = await openSlackBot('socket');
  const { workspace, ann, bob, admin } = bot.place();
  const group = workspace.group('translators', [ann]);
  const mayModerate = async (by: FakeUser): Promise<boolean> =>
    !(await bot.use(bot.place(), 'settings', { by })).includes(MODERATORS);
  expect(await mayModerate(ann)).toBe(false);
  const { panel, isOffered } = await opened(bot, admin);
  expect(isOffered).toBe(true);
  bot.slack.act(admin, panel(), GROUPS);
  await bot.slack.until(() => panel().text.includes(HOW));
  expect(JSON.stringify(panel())).toContain('@translators');
  bot.slack.act(admin, panel(), 'settings groups', option(group));
  await expect
    .poll(async () => (await createSpaceSettings(bot.store).of(spaceIn(bot))).moderatorGroups)
    .toEqual([group]);
  expect(await mayModerate(ann)).toBe(true);
  expect(await mayModerate(bob)).toBe(false);

  expect((await opened(bot, ann)).isOffered).toBe(false);
  const other = workspace.group('friends', [bob]);
  bot.slack.act(ann, panel(), 'settings groups', option(other));
  await bot.slack.until(() => panel().text.includes(ADMINS));
  expect((await createSpaceSettings(bot.store).of(spaceIn(bot))).moderatorGroups).toEqual([group]);
});

it('whose groups Slack does not name moderates nothing by them', async () => {
  await using bot = await openSlackBot('socket');
  const { workspace, ann, admin } = bot.place();
  const group = workspace.group('translators', [ann]);
  await createSpaceSettings(bot.store).change(spaceIn(bot), { moderatorGroups: [group] });
  bot.slack.fail('usergroups.users.list', { error: 'missing_scope' });
  expect(await bot.use(bot.place(), 'settings', { by: ann })).toContain(MODERATORS);
  expect(await bot.use(bot.place(), 'settings', { by: admin })).not.toContain(MODERATORS);
  bot.slack.heal();
  expect(await bot.use(bot.place(), 'settings', { by: ann })).not.toContain(MODERATORS);
});

const spaceIn = ({ workspace }: SlackBot) => ({ platform: 'slack', id: workspace.id });
