import { expect, it } from 'vitest';
import { createSpaceSettings } from '../../src/store/settings.ts';
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
