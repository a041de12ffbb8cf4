import { describe, expect, it } from 'vitest';
import { makeDatabase } from '../fakes/database.ts';
import type { FakeUser } from '../fakes/slack/index.ts';
import { installIn, openSlackBot, repliesTo, type SlackBot } from './support.ts';

/** Results of requests with a token that Slack does not accept any more. */
const ENDED = ['account_inactive', 'invalid_auth', 'token_expired', 'token_revoked'];

/**
 * Two processes on one database, to each of which Slack's requests can be led.
 *
 * @param isInstalled true for a workspace that has the app before the second process starts
 */
const open = async ({ isInstalled }: { readonly isInstalled: boolean }) => {
  const database = await makeDatabase();
  const first = await openSlackBot('many', { database });
  const firstUrl = first.slack.app.requestUrl;
  const workspace = first.slack.workspace({ installed: false });
  const admin = workspace.user({ isAdmin: true });
  if (isInstalled) await installIn(first, workspace, admin);
  const other = first.slack.workspace({ installed: false });
  const otherAdmin = other.user({ isAdmin: true });
  await installIn(first, other, otherAdmin);
  const second = await openSlackBot('many', { database, beside: first });
  const secondUrl = first.slack.app.requestUrl;
  const { slack } = first;
  slack.app.requestUrl = firstUrl;
  return {
    first,
    second,
    slack,
    workspace,
    admin,
    other,
    /** Somebody in another workspace, which has the app before the second process starts. */
    otherAdmin,
    toFirst: () => (slack.app.requestUrl = firstUrl),
    toSecond: () => (slack.app.requestUrl = secondUrl),
    /** Requests with a token that was over. */
    refused: () => slack.requests.filter(({ result }) => ENDED.includes(result ?? '')),
    [Symbol.asyncDispose]: async () => {
      await second[Symbol.asyncDispose]();
      await first[Symbol.asyncDispose]();
    },
  };
};

/** Opens somebody's App Home, and waits until it is shown. */
const showHome = async ({ slack }: Pick<SlackBot, 'slack'>, user: FakeUser): Promise<void> => {
  const shown = (): number =>
    slack.requests.filter(
      ({ method, args, result }) =>
        method === 'views.publish' && args['user_id'] === user.id && result === 'ok',
    ).length;
  const before = shown();
  user.openHome();
  await slack.until(() => shown() > before);
};

describe('a workspace that one of several processes', () => {
  it('installs is known to the others at once', async () => {
    await using scene = await open({ isInstalled: false });
    const { first, second, slack, workspace, admin, toSecond } = scene;
    expect(await installIn(first, workspace, admin)).toMatchObject({ status: 200 });
    toSecond();
    const at = second.place(workspace);
    await second.use(at, 'autotranslate reply languages:es', { part: 'es' });
    const said = at.channel.say(at.ann, 'Good morning to all of you');
    await slack.until(() => repliesTo(said).length === 1);
    const asked = workspace.direct(at.ann).say(at.ann, 'What is a dragoman?');
    await slack.until(() => repliesTo(asked).length === 1);
    expect([...first.errors, ...second.errors]).toEqual([]);
  });

  it('installs again is used by the others with its new token', async () => {
    await using scene = await open({ isInstalled: true });
    const { first, second, slack, workspace, admin, toFirst, toSecond, refused } = scene;
    toSecond();
    await showHome(scene, admin);
    toFirst();
    workspace.uninstall();
    await slack.events.settled();
    await installIn(first, workspace, admin);
    const before = refused().length;
    toSecond();
    await showHome(scene, admin);
    expect(refused().slice(before)).toEqual([]);
    expect([...first.errors, ...second.errors]).toEqual([]);
  });

  it('takes the removal of the app from is not served by the others any more', async () => {
    await using scene = await open({ isInstalled: true });
    const { first, second, slack, workspace, admin, otherAdmin, toFirst, toSecond, refused } =
      scene;
    toSecond();
    await showHome(scene, admin);
    const opened = slack.events.log.find(({ event }) => event['type'] === 'app_home_opened');
    if (!opened) throw new Error('nobody opened the home');
    toFirst();
    workspace.uninstall();
    await slack.events.settled();
    const before = refused().length;
    toSecond();
    await slack.events.repeat(opened);
    await showHome(scene, otherAdmin);
    expect(refused().slice(before)).toEqual([]);
    expect([...first.errors, ...second.errors]).toEqual([]);
  });

  it('removes and installs again is known anew by the others', async () => {
    await using scene = await open({ isInstalled: true });
    const { first, second, slack, workspace, admin, toFirst, toSecond } = scene;
    const asked = (): number =>
      slack.requests.filter(
        ({ method, args }) => method === 'users.info' && args['user'] === admin.id,
      ).length;
    toSecond();
    await showHome(scene, admin);
    const once = asked();
    await showHome(scene, admin);
    expect(asked()).toBe(once);
    toFirst();
    workspace.uninstall();
    await slack.events.settled();
    await installIn(first, workspace, admin);
    const before = asked();
    toSecond();
    await showHome(scene, admin);
    expect(asked()).toBeGreaterThan(before);
    expect([...first.errors, ...second.errors]).toEqual([]);
  });

  it('installs again makes the others ready whose tokens had all been refused', async () => {
    await using scene = await open({ isInstalled: true });
    const { first, second, slack, workspace, other, admin, otherAdmin, toFirst, toSecond } = scene;
    // Nothing tells that the tokens end.
    slack.app.events = new Set(['app_home_opened']);
    for (const revoked of [workspace, other]) revoked.revoke();
    toSecond();
    for (const user of [admin, otherAdmin]) user.openHome();
    await expect.poll(() => second.isReady()).toBe(false);
    toFirst();
    await installIn(first, workspace, admin);
    expect(second.isReady()).toBe(true);
  });
});
