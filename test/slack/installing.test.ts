import { describe, expect, it } from 'vitest';
import { keyOf } from '../../src/model/place.ts';
import { cipherOf } from '../../src/store/secrets/encryption.ts';
import { NAMING } from '../../adapters/slack/manifest.ts';
import { sentence } from '../fakes/sentences.ts';
import { comeBack, installIn, openInstallPage, openSlackBot, repliesTo } from './support.ts';

const tokensIn = async (bot: Awaited<ReturnType<typeof openSlackBot>>) =>
  bot.store.selectFrom('installation').selectAll().execute();

describe('an installation', () => {
  it('cannot be done again with the address to which Slack led back', async () => {
    await using bot = await openSlackBot('many');
    const workspace = bot.slack.workspace({ installed: false });
    const { address, cookie } = await openInstallPage(bot);
    const back = bot.slack.consent(address, workspace, workspace.user({ isAdmin: true }));
    expect(await comeBack(back, cookie)).toMatchObject({ status: 200 });
    const [row] = await tokensIn(bot);
    expect(await comeBack(back, cookie)).toMatchObject({ status: 400 });
    expect(await tokensIn(bot)).toEqual([row]);
  });

  it.each([
    ['of another browser', async (cookie: string) => cookie.replace(/=.*/, '=other')],
    ['that is missing', async () => ''],
  ])('is refused with a cookie %s', async (_, change) => {
    await using bot = await openSlackBot('many');
    const workspace = bot.slack.workspace({ installed: false });
    const { address, cookie } = await openInstallPage(bot);
    const back = bot.slack.consent(address, workspace, workspace.user({ isAdmin: true }));
    expect(await comeBack(back, await change(cookie))).toMatchObject({ status: 400 });
    expect(await tokensIn(bot)).toEqual([]);
    expect(workspace.state.installation).toBeUndefined();
  });

  it.each([
    ['a state that we did not make', { state: 'forged' }],
    ['no state', { state: '' }],
    ['a code that Slack does not know', { code: 'forged' }],
    ['no code', { code: '' }],
  ])('is refused with %s, and says how to go on', async (_, wrong) => {
    await using bot = await openSlackBot('many');
    const workspace = bot.slack.workspace({ installed: false });
    const { address, cookie } = await openInstallPage(bot);
    const back = new URL(bot.slack.consent(address, workspace, workspace.user({ isAdmin: true })));
    for (const [name, value] of Object.entries(wrong))
      if (value === '') back.searchParams.delete(name);
      else back.searchParams.set(name, value);
    const { status, page } = await comeBack(back.href, cookie);
    expect(status).toBe(400);
    expect(page).toContain('/slack/install');
    expect(page).not.toContain('forged');
    expect(await tokensIn(bot)).toEqual([]);
  });

  it('is stored without the person who did it', async () => {
    await using bot = await openSlackBot('many');
    const workspace = bot.slack.workspace({ installed: false });
    const admin = workspace.user({ isAdmin: true });
    await installIn(bot, workspace, admin);
    const [row] = await tokensIn(bot);
    const space = { platform: 'slack', id: workspace.id };
    const written = cipherOf([bot.encryptionKey])?.open(row?.secret ?? '', keyOf(space));
    expect(written).toContain(workspace.id);
    expect(written).not.toContain(admin.id);
  });

  it('brings who did it the first steps, once', async () => {
    await using bot = await openSlackBot('many');
    const workspace = bot.slack.workspace({ installed: false });
    const admin = workspace.user({ isAdmin: true });
    await installIn(bot, workspace, admin);
    const direct = workspace.direct(admin);
    await bot.slack.until(() => direct.posts.length > 0);
    await installIn(bot, workspace, admin);
    const at = bot.place(workspace);
    await bot.use(at, 'translate good evening to:es', { part: 'es:good' });
    expect(direct.posts.map(({ words }) => words)).toEqual([
      expect.stringContaining(
        sentence('slack.installed', { name: 'dragoman' }, 'en', NAMING).replaceAll('`', ''),
      ),
    ]);
  });

  it('brings them buttons that open the panel and the choice of their language, for them alone', async () => {
    await using bot = await openSlackBot('many');
    const workspace = bot.slack.workspace({ installed: false });
    const admin = workspace.user({ isAdmin: true });
    await installIn(bot, workspace, admin);
    const direct = workspace.direct(admin);
    await bot.slack.until(() => direct.posts.length > 0);
    const [welcome] = direct.posts;
    const shows = (press: string) =>
      bot.slack.until(() => JSON.stringify(direct.ephemeralsFor(admin)).includes(press));
    bot.slack.act(admin, welcome!, 'autotranslate open');
    await shows('autotranslate page');
    bot.slack.act(admin, welcome!, 'language pick');
    await shows('language choose');
    expect(direct.posts).toHaveLength(1);
  });

  it('that Slack fails in the middle of leaves nothing half-done, and can be tried again', async () => {
    await using bot = await openSlackBot('many');
    const workspace = bot.slack.workspace({ installed: false });
    const admin = workspace.user({ isAdmin: true });
    bot.slack.fail('auth.test', { status: 503 });
    expect(await installIn(bot, workspace, admin)).toMatchObject({ status: 400 });
    expect(await tokensIn(bot)).toEqual([]);
    bot.slack.heal();
    expect(await installIn(bot, workspace, admin)).toMatchObject({ status: 200 });
    const at = bot.place(workspace);
    expect(await bot.use(at, 'translate good evening to:es', { part: 'es:good' })).toContain('es:');
  });

  it('with fewer scopes than asked for says which one a mode lacks', async () => {
    await using bot = await openSlackBot('many');
    const workspace = bot.slack.workspace({ installed: false });
    const admin = workspace.user({ isAdmin: true });
    const { address, cookie } = await openInstallPage(bot);
    const fewer = new URL(address);
    const scopes = fewer.searchParams.get('scope')?.split(',') ?? [];
    const lacking = 'chat:write.customize';
    fewer.searchParams.set('scope', scopes.filter((scope) => scope !== lacking).join(','));
    const back = bot.slack.consent(fewer.href, workspace, admin);
    expect(await comeBack(back, cookie)).toMatchObject({ status: 200 });
    const at = bot.place(workspace);
    const answer = await bot.use(at, 'autotranslate thread languages:es', { part: 'permission' });
    expect(answer).toContain(lacking);
    await bot.use(at, 'autotranslate reply languages:es');
    const said = at.channel.say(at.ann, 'Good morning to all of you');
    await bot.slack.until(() => repliesTo(said).length === 1);
    expect(bot.errors).toEqual([]);
  });

  it('is served beside Socket Mode, by which events come', async () => {
    await using bot = await openSlackBot('many-socket');
    const workspace = bot.slack.workspace({ installed: false });
    expect(await installIn(bot, workspace, workspace.user({ isAdmin: true }))).toMatchObject({
      status: 200,
    });
    const at = bot.place(workspace);
    await bot.use(at, 'autotranslate reply languages:es');
    const said = at.channel.say(at.ann, 'Good morning to all of you');
    await bot.slack.until(() => repliesTo(said).length === 1);
    const { origin } = new URL(bot.slack.app.requestUrl ?? '');
    const forged = await fetch(`${origin}/slack/events`, { method: 'POST', body: '{}' });
    expect(forged.status).toBe(404);
    await bot.stop();
    await expect(fetch(`${origin}/slack/install`)).rejects.toThrow();
    await bot.start();
    const next = at.channel.say(at.ann, 'Good evening to all of you');
    await bot.slack.until(() => repliesTo(next).length === 1);
    expect(bot.errors).toEqual([]);
  });
});

describe('a token that is renewed', () => {
  /** A bot whose tokens are in their last hour, and so are renewed when they are used. */
  const open = async () => {
    const bot = await openSlackBot('many');
    bot.slack.app.rotatesTokens = true;
    bot.slack.app.tokenLifeMs = 3_600_000;
    const workspace = bot.slack.workspace({ installed: false });
    const admin = workspace.user({ isAdmin: true });
    await installIn(bot, workspace, admin);
    bot.slack.app.tokenLifeMs = 12 * 3_600_000;
    return { bot, workspace, at: bot.place(workspace) };
  };
  const renewals = ({ slack }: Awaited<ReturnType<typeof openSlackBot>>): number =>
    slack.requests.filter(({ args }) => args['grant_type'] === 'refresh_token').length;

  it('is kept, even if nothing else of Slack can be reached', async () => {
    const { bot, at } = await open();
    await using _ = bot;
    bot.slack.fail('auth.test', { status: 503 }, { while: () => true });
    expect(await bot.use(at, 'translate good evening to:es', { part: 'es:good' })).toBeTruthy();
    await bot.stop();
    await bot.start();
    expect(await bot.use(at, 'translate good night to:es', { part: 'es:good n' })).toBeTruthy();
    expect(bot.errors).toEqual([]);
  });

  it('is renewed once for all who need it', async () => {
    const { bot, workspace, at } = await open();
    await using _ = bot;
    const before = renewals(bot);
    const places = [at, ...Array.from({ length: 5 }, () => bot.place(workspace))];
    await Promise.all(
      places.map(async (each) => bot.use(each, 'translate good evening to:es', { part: 'es:' })),
    );
    expect(renewals(bot) - before).toBeLessThanOrEqual(1);
    expect(bot.errors).toEqual([]);
  });

  it('is renewed later where Slack fails at it, and used meanwhile', async () => {
    const { bot, at } = await open();
    await using _ = bot;
    bot.slack.fail(
      'oauth.v2.access',
      { status: 503 },
      { while: (args) => args['grant_type'] === 'refresh_token' },
    );
    expect(await bot.use(at, 'translate good evening to:es', { part: 'es:good' })).toBeTruthy();
    bot.slack.heal();
    expect(await bot.use(at, 'translate good night to:es', { part: 'es:good n' })).toBeTruthy();
    expect(bot.errors).toEqual([]);
  });

  it('is not stored for a workspace that removes the app meanwhile', async () => {
    await using bot = await openSlackBot('many');
    bot.slack.app.rotatesTokens = true;
    bot.slack.app.tokenLifeMs = 3_600_000;
    const workspace = bot.slack.workspace({ installed: false });
    const admin = workspace.user({ isAdmin: true });
    const { promise, resolve } = Promise.withResolvers<void>();
    const isRenewal = (args: Readonly<Record<string, unknown>>): boolean =>
      args['grant_type'] === 'refresh_token';
    bot.slack.fail('oauth.v2.access', { until: promise, when: 'after' }, { while: isRenewal });
    await installIn(bot, workspace, admin);
    await expect.poll(() => renewals(bot)).toBeGreaterThan(0);
    workspace.uninstall();
    resolve();
    await bot.slack.events.settled();
    await expect.poll(async () => tokensIn(bot)).toEqual([]);
    bot.slack.heal();
    await installIn(bot, workspace, admin);
    expect(await tokensIn(bot)).toHaveLength(1);
    expect(bot.errors).toEqual([]);
  });
});
