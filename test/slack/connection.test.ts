import { describe, expect, it } from 'vitest';
import { installIn, openSlackBot, repliesTo, type SlackBot } from './support.ts';

const isAnswering = async (bot: SlackBot): Promise<void> => {
  const at = bot.place();
  expect(await bot.use(at, 'translate good evening to:es', { part: 'es:good' })).toBeTruthy();
};

/** The requests for a connection since then. */
const tries = ({ slack }: SlackBot, from = 0) =>
  slack.requests.slice(from).filter(({ method }) => method === 'apps.connections.open');

const asked = async (bot: SlackBot, count: number, from?: number): Promise<void> =>
  expect.poll(() => tries(bot, from).length).toBeGreaterThanOrEqual(count);

describe('a connection that ends', () => {
  it('is begun again, whether Slack said so or not', async () => {
    await using bot = await openSlackBot('socket');
    for (const end of ['disconnect', 'drop'] as const) {
      const { opened } = bot.slack.sockets;
      bot.slack.sockets[end]();
      await bot.slack.until(() => bot.slack.sockets.opened > opened);
      await isAnswering(bot);
      expect(bot.slack.sockets.connected).toBe(1);
    }
    expect(bot.errors).toEqual([]);
  });

  it('is begun once, however often Slack refused it', async () => {
    await using bot = await openSlackBot('socket');
    bot.slack.sockets.refuse(true);
    bot.slack.sockets.drop();
    await asked(bot, 4);
    expect(bot.isReady()).toBe(false);
    const { opened } = bot.slack.sockets;
    bot.slack.sockets.refuse(false);
    await bot.slack.until(() => bot.slack.sockets.connected === 1);
    await isAnswering(bot);
    expect(bot.slack.sockets.opened).toBe(opened + 1);
  });

  it.each([
    ['whose token was revoked', 'invalid_auth', /SLACK_APP_TOKEN.*invalid_auth/],
    ['whose token has no right to it any more', 'missing_scope', /connections:write/],
    ['while Socket Mode is off', 'socket_mode_not_enabled', /it is off/],
  ])('%s is told with its reason, and begun as soon as Slack takes it', async (_, error, told) => {
    await using bot = await openSlackBot('socket');
    const { app, sockets } = bot.slack;
    const { appToken, appScopes } = app;
    if (error === 'invalid_auth') app.appToken = 'xapp-1-another';
    else if (error === 'missing_scope') app.appScopes = new Set();
    else app.socketMode = false;
    sockets.drop();
    await asked(bot, 4);
    expect(bot.isReady()).toBe(false);
    expect(bot.errors.join('')).toMatch(told);
    Object.assign(app, { appToken, appScopes, socketMode: true });
    await bot.slack.until(() => sockets.connected === 1);
    await isAnswering(bot);
    expect(bot.isReady()).toBe(true);
    expect(bot.logged.join('')).not.toContain(appToken);
  });

  it('leaves nothing when the program stops before it is begun', async () => {
    await using bot = await openSlackBot('socket');
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = bot.slack.requests.length;
    const { opened } = bot.slack.sockets;
    bot.slack.fail('apps.connections.open', { until: promise });
    bot.slack.sockets.drop();
    await asked(bot, 1, before);
    await bot.stop();
    resolve();
    await bot.slack.until(() => bot.slack.sockets.opened > opened);
    await bot.slack.until(() => bot.slack.sockets.connected === 0);
  });

  it('is begun no sooner than Slack asks for', async () => {
    await using bot = await openSlackBot('socket');
    const before = bot.slack.requests.length;
    bot.slack.fail(
      'apps.connections.open',
      { status: 429, headers: { 'retry-after': '30' } },
      { times: 1 },
    );
    bot.slack.sockets.drop();
    await asked(bot, 2, before);
    const [first, second] = tries(bot, before);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(550);
  });
});

describe('a token that Slack refuses', () => {
  it('makes Slack not ready until it is taken again', async () => {
    await using bot = await openSlackBot('socket');
    const at = bot.place();
    await bot.use(at, 'autotranslate reply languages:es');
    expect(bot.isReady()).toBe(true);
    let isRevoked = true;
    bot.slack.fail('chat.postMessage', { error: 'token_revoked' }, { while: () => isRevoked });
    const said = at.channel.say(at.ann, 'This waits for the token');
    await expect.poll(() => bot.isReady()).toBe(false);
    isRevoked = false;
    await bot.slack.until(() => repliesTo(said).length === 1);
    expect(bot.isReady()).toBe(true);
  });

  it('in one of many workspaces leaves Slack ready', async () => {
    await using bot = await openSlackBot('many-socket');
    expect(bot.isReady()).toBe(true);
    const [one, two] = ['one', 'two'].map((name) =>
      bot.slack.workspace({ name, installed: false }),
    );
    for (const workspace of [one, two])
      if (workspace) await installIn(bot, workspace, workspace.user({ isAdmin: true }));
    one?.revoke();
    await expect
      .poll(async () => bot.store.selectFrom('installation').selectAll().execute())
      .toHaveLength(1);
    expect(bot.isReady()).toBe(true);
  });
});

describe('a start', () => {
  it.each([
    ['a token without connections:write', { appScopes: new Set<string>() }, /connections:write/],
    ['a token that Slack does not know', { appToken: 'xapp-1-another' }, /SLACK_APP_TOKEN/],
    ['Socket Mode that is off', { socketMode: false }, /it is off/],
  ])('with %s says so at once', async (_, change, told) => {
    await using bot = await openSlackBot('socket');
    await bot.stop();
    Object.assign(bot.slack.app, change);
    await expect(bot.start()).rejects.toMatchObject({
      code: 'config',
      message: expect.stringMatching(told),
    });
  });
});
