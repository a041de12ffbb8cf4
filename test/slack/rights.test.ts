import { describe, expect, it } from 'vitest';
import { openSlackBot, type Place, type SlackBot } from './support.ts';

const MODERATORS = 'Only moderators can do that: owners and admins of the workspace';

/** Somebody stops managing the workspace, which Slack does not tell. */
const demote = ({ admin }: Place): void => {
  Object.assign(admin.state, { isAdmin: false });
};

const isModerator = async (bot: SlackBot, at: Place): Promise<boolean> =>
  !(await bot.use(at, 'settings')).includes(MODERATORS);

describe('somebody whose rights change', () => {
  it('while the app is not connected has the new ones after that', async () => {
    await using bot = await openSlackBot('socket');
    const at = bot.place();
    expect(await isModerator(bot, at)).toBe(true);
    demote(at);
    bot.slack.sockets.disconnect('refresh_requested');
    await bot.slack.until(() => bot.slack.sockets.connected === 0);
    await bot.slack.until(() => bot.slack.sockets.connected === 1, 20_000);
    await expect.poll(async () => isModerator(bot, at)).toBe(false);
  });

  it('while Slack leaves out events has the new ones after that', async () => {
    await using bot = await openSlackBot('socket');
    const at = bot.place();
    expect(await isModerator(bot, at)).toBe(true);
    demote(at);
    bot.slack.app.eventsAnHour = 0;
    at.channel.say(at.ann, 'Nobody is told of this sentence');
    await bot.slack.until(() => bot.slack.events.limited.length > 0);
    expect(await isModerator(bot, at)).toBe(false);
  });
});

describe('somebody who uses a command', () => {
  it('is answered before names of others are read, however many', async () => {
    await using slow = await openSlackBot('socket', { speed: 10 });
    const at = slow.place();
    await slow.use(at, 'autotranslate reply languages:es');
    const admin = at.workspace.user({ isAdmin: true });
    const elements = Array.from({ length: 150 }, () => ({
      type: 'user',
      user_id: at.workspace.user().id,
    }));
    at.channel.say(at.ann, { elements: [{ type: 'rich_text_section', elements }] });
    const reads = () =>
      slow.slack.requests.filter(({ args }) =>
        elements.some(({ user_id }) => user_id === args['user']),
      );
    await slow.slack.until(() => reads().length > 0);
    const answer = await slow.use(at, 'settings', { by: admin });
    expect(answer).not.toContain(MODERATORS);
    expect(reads().length).toBeLessThan(elements.length / 2);
  });

  it('is told when Slack does not say who they are, rather than taken for a stranger', async () => {
    await using bot = await openSlackBot('socket');
    const at = bot.place();
    bot.slack.fail('users.info', { error: 'internal_error' }, { while: () => true });
    const answer = await bot.use(at, 'settings');
    expect(answer).toContain('Try again in a moment');
  });
});
