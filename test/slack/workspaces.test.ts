import { describe, expect, it } from 'vitest';
import { installIn, openSlackBot, repliesTo } from './support.ts';

const open = async () => openSlackBot('many');

describe('an app that workspaces install themselves', () => {
  it('works in each of them from then on, and after a restart', async () => {
    await using bot = await open();
    const places = await Promise.all(
      ['one', 'two'].map(async (name) => {
        const workspace = bot.slack.workspace({ name, installed: false });
        const admin = workspace.user({ isAdmin: true });
        const { status } = await installIn(bot, workspace, admin);
        expect(status).toBe(200);
        return bot.place(workspace);
      }),
    );
    for (const at of places) await bot.use(at, 'autotranslate reply languages:es');
    await bot.stop();
    await bot.start();
    for (const at of places) {
      const said = at.channel.say(at.ann, `Good morning to ${at.workspace.id}`);
      await bot.slack.until(() => repliesTo(said).length === 1);
      expect(repliesTo(said)[0]?.words).toContain(`es:Good morning to ${at.workspace.id}`);
    }
    expect(bot.errors).toEqual([]);
  });

  it('says so where nobody allowed it, or the address is not of this browser', async () => {
    await using bot = await open();
    const workspace = bot.slack.workspace({ installed: false });
    const admin = workspace.user({ isAdmin: true });
    expect(await installIn(bot, workspace, admin, false)).toMatchObject({ status: 400 });
    const origin = new URL(bot.slack.app.requestUrl ?? '').origin;
    const forged = await fetch(`${origin}/slack/oauth_redirect?code=x&state=y`);
    expect(forged.status).toBe(400);
    expect(workspace.state.installation).toBeUndefined();
  });

  it('keeps no token that can be read in the database', async () => {
    await using bot = await open();
    const workspace = bot.slack.workspace({ installed: false });
    await installIn(bot, workspace, workspace.user({ isAdmin: true }));
    const rows = await bot.store.selectFrom('installation').selectAll().execute();
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain('xoxb');
  });

  it('forgets a workspace that removes the app, and takes it up again when it comes back', async () => {
    await using bot = await open();
    const workspace = bot.slack.workspace({ installed: false });
    const admin = workspace.user({ isAdmin: true });
    await installIn(bot, workspace, admin);
    workspace.uninstall();
    await expect
      .poll(async () => bot.store.selectFrom('installation').selectAll().execute())
      .toEqual([]);
    await installIn(bot, workspace, admin);
    const at = bot.place(workspace);
    expect(await bot.use(at, 'translate good evening to:es', { part: 'es:good' })).toContain('es:');
  });

  it('logs each installation once, and none that takes the place of another', async () => {
    await using bot = await open();
    const installed = () =>
      bot.logged.filter((line) => line.includes('the app was installed')).length;
    const workspace = bot.slack.workspace({ installed: false });
    const admin = workspace.user({ isAdmin: true });
    await installIn(bot, workspace, admin);
    expect(installed()).toBe(1);
    await installIn(bot, workspace, admin);
    expect(installed()).toBe(1);
    workspace.uninstall();
    await expect
      .poll(async () => bot.store.selectFrom('installation').selectAll().execute())
      .toEqual([]);
    await installIn(bot, workspace, admin);
    expect(installed()).toBe(2);
  });

  it('renews a token before it ends, and keeps the new one', async () => {
    await using bot = await open();
    bot.slack.app.rotatesTokens = true;
    // Less than the two hours from which a token is renewed.
    bot.slack.app.tokenLifeMs = 3_600_000;
    const workspace = bot.slack.workspace({ installed: false });
    await installIn(bot, workspace, workspace.user({ isAdmin: true }));
    const former = workspace.botToken;
    const at = bot.place(workspace);
    await bot.use(at, 'translate good evening to:es', { part: 'es:good' });
    expect(workspace.botToken).not.toBe(former);
    await bot.stop();
    await bot.start();
    expect(await bot.use(at, 'translate good night to:es', { part: 'es:good night' })).toBeTruthy();
    expect(bot.errors).toEqual([]);
  });
});
