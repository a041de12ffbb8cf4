import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { createHttpReceiver, createHttpServer } from '../../../adapters/slack/inbound/http.ts';
import type { InstallationStore } from '../../../src/ports/store.ts';
import { startSlackFake, type FakeWorkspace } from '../../fakes/slack/index.ts';
import { createTestCore } from '../discord/support.ts';
import { type Environment, examineAt } from './doctor-examine.ts';
import { fresh } from '../../fakes/opened.ts';
import { listen, serve } from '../../fakes/serve.ts';

let workspace: FakeWorkspace;
const fake = fresh(() => startSlackFake({ limits: 'off' }));
beforeEach(async () => {
  workspace = fake.workspace({ name: 'team' });
});

const examine = (environment: Environment, core = createTestCore(), isAsked = false) =>
  examineAt(fake, environment, core, isAsked);

/** The part of the program that takes Slack's requests, with this secret. */
const serveSlack = async (secret: string, logged: string[] = []) => {
  const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) });
  const server = createHttpServer({
    receiver: createHttpReceiver(secret),
    pages: undefined,
    log,
    now: Date.now,
  });
  return listen(server);
};

const http = (port: number, more: Environment = {}): Environment => ({
  SLACK_BOT_TOKEN: workspace.botToken,
  SLACK_SIGNING_SECRET: fake.app.signingSecret,
  SLACK_PORT: String(port),
  ...more,
});

describe('by HTTP', () => {
  it('all is well with a program that runs and can be reached', async () => {
    await using ours = await serveSlack(fake.app.signingSecret);
    const { found, of } = await examine(http(ours.port, { SLACK_PUBLIC_URL: ours.url }));
    expect(found.filter(({ ok }) => !ok)).toEqual([]);
    expect(of('port')?.detail).toBe(`${ours.url}/slack/events answers`);
    expect(of('address')?.detail).toContain('Event Subscriptions');
    expect(of('create the app')?.detail).toContain('npm run doctor -- slack');
  });

  it('without an address, the doctor says what has to lead where', async () => {
    await using ours = await serveSlack(fake.app.signingSecret);
    const { of, failures } = await examine(http(ours.port));
    expect(failures).toEqual([]);
    expect(of('address')).toMatchObject({
      ok: false,
      detail: expect.stringContaining(`lead to ${ours.url}/slack/events`),
    });
  });

  it('a program that does not run is no failure', async () => {
    const gone = await serveSlack('x');
    await gone[Symbol.asyncDispose]();
    const { of, failures } = await examine(http(gone.port, { SLACK_PUBLIC_URL: gone.url }));
    expect(failures).toEqual([]);
    expect(of('port')).toMatchObject({
      ok: false,
      detail: expect.stringContaining('while Dragoman runs'),
    });
  });

  it('an address that leads nowhere is told while the program runs', async () => {
    await using ours = await serveSlack(fake.app.signingSecret);
    const gone = await serveSlack('x');
    await gone[Symbol.asyncDispose]();
    const { of } = await examine(http(ours.port, { SLACK_PUBLIC_URL: gone.url }));
    expect(of('address')).toMatchObject({
      ok: false,
      detail: expect.stringContaining("can't be reached"),
    });
  });

  it('an address that leads to another program is told', async () => {
    await using ours = await serveSlack(fake.app.signingSecret);
    await using other = await serve((_, response) => void response.writeHead(404).end());
    const address = { SLACK_PUBLIC_URL: other.url };
    const { of } = await examine(http(ours.port, address));
    expect(of('address')).toMatchObject({
      ok: false,
      detail: expect.stringContaining('another program'),
    });
    expect((await examine(http(other.port))).of('port')).toMatchObject({
      ok: false,
      detail: expect.stringContaining('SLACK_PORT'),
    });
  });

  it('a program that has another secret is told, and logs the refusal once', async () => {
    const logged: string[] = [];
    await using ours = await serveSlack('0'.repeat(32), logged);
    const environment = http(ours.port, { SLACK_PUBLIC_URL: ours.url });
    const { of } = await examine(environment);
    expect(of('port')).toMatchObject({ ok: false, detail: expect.stringContaining('refuses') });
    expect(logged.filter((line) => line.includes('SLACK_SIGNING_SECRET'))).toHaveLength(1);
    expect(logged.join('')).not.toContain(fake.app.signingSecret);
  });

  it.each(['xoxb-1', 'short', '0'.repeat(31)])('%s is no signing secret', async (secret) => {
    const { of } = await examine(http(1, { SLACK_SIGNING_SECRET: secret }));
    expect(of('signing secret')).toMatchObject({
      ok: false,
      detail: expect.stringContaining('"App Credentials"'),
    });
  });

  it('the client secret is no signing secret', async () => {
    const secret = '0'.repeat(32);
    const { of } = await examine(
      http(1, {
        SLACK_SIGNING_SECRET: secret,
        SLACK_CLIENT_ID: '1.2',
        SLACK_CLIENT_SECRET: secret,
      }),
    );
    expect(of('signing secret')?.detail).toMatch(/^is the client secret/);
  });
});

describe('with many workspaces', () => {
  const many = (): Environment => ({
    SLACK_CLIENT_ID: fake.app.clientId,
    SLACK_CLIENT_SECRET: fake.app.clientSecret,
    SLACK_SIGNING_SECRET: fake.app.signingSecret,
    SLACK_PORT: '1',
  });
  const storeOf = (kept: Readonly<Record<string, string>>): InstallationStore => ({
    of: async ({ id }) => kept[id],
    all: async () =>
      Object.entries(kept).map(([id, secret]) => ({
        space: { platform: 'slack', id },
        open: () => secret,
      })),
    replace: async () => true,
    put: async () => {},
    remove: async () => {},
    watch: () => () => {},
  });
  const written = (token: string): string =>
    JSON.stringify({
      installation: {
        appId: fake.app.id,
        team: { id: workspace.id },
        bot: { token, id: 'B1', userId: 'U1', scopes: [] },
      },
      url: 'https://team.slack.com/',
      botName: 'dragoman',
    });

  it('a missing ENCRYPTION_KEY is told with how to make one', async () => {
    const { of } = await examine(many());
    expect(of('workspaces')).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/ENCRYPTION_KEY must be set.*openssl/),
    });
  });

  it('where none has the app yet, the page that installs it is named', async () => {
    const core = { ...createTestCore(), installations: storeOf({}) };
    const { of, failures } = await examine(
      { ...many(), SLACK_PUBLIC_URL: 'http://127.0.0.1:1' },
      core,
    );
    expect(failures).toEqual([]);
    expect(of('workspaces')?.detail).toContain('http://127.0.0.1:1/slack/install');
  });

  it('each is looked at with its own token', async () => {
    const stored = { [workspace.id]: written(workspace.botToken) };
    const good = { ...createTestCore(), installations: storeOf(stored) };
    expect((await examine(many(), good)).of('token')).toMatchObject({ ok: true });
    const bad = {
      ...createTestCore(),
      installations: storeOf({ [workspace.id]: written('xoxb-0') }),
    };
    expect((await examine(many(), bad)).of('token')).toMatchObject({
      ok: false,
      detail: expect.stringContaining('/slack/install'),
    });
  });

  it.each([
    [{}, true, 'belong together'],
    [{ SLACK_CLIENT_ID: '1.2' }, false, 'SLACK_CLIENT_ID'],
    [{ SLACK_CLIENT_SECRET: 'wrong' }, false, 'SLACK_CLIENT_SECRET'],
  ])('the client with %j is fine: %s', async (part, ok, said) => {
    const core = { ...createTestCore(), installations: storeOf({}) };
    const { of } = await examine({ ...many(), ...part }, core);
    expect(of('client')).toMatchObject({ ok, detail: expect.stringContaining(said) });
    expect(workspace.state.installation?.active).toBe(true);
  });

  it('with Socket Mode, the doctor checks the page on which they install it', async () => {
    const core = { ...createTestCore(), installations: storeOf({}) };
    const installed = await serve((_, response) => {
      response.writeHead(302, { location: 'https://slack.com/oauth/v2/authorize?client_id=1' });
      response.end();
    });
    const { url: address, port } = installed;
    const environment = {
      ...many(),
      SLACK_PORT: String(port),
      SLACK_SIGNING_SECRET: undefined,
      SLACK_APP_TOKEN: fake.app.appToken,
      SLACK_PUBLIC_URL: address,
    };
    fake.app.socketMode = true;
    const { of, failures } = await examine(environment, core, true);
    expect(failures).toEqual([]);
    expect(of('port')?.detail).toBe(`${address}/slack/install answers`);
    expect(of('address')?.detail).toContain('install the app there');
    expect(of('create the app')?.detail).toContain('socket_mode_enabled:%20true');
    await installed[Symbol.asyncDispose]();
    expect((await examine(environment, core)).of('port')).toMatchObject({
      ok: false,
      detail: expect.stringContaining('while Dragoman runs'),
    });
  });
});
