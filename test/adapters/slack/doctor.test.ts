import { beforeEach, describe, expect, it, test } from 'vitest';
import slack from '../../../adapters/slack/index.ts';
import { OPTIONAL, SCOPES, scopesOf } from '../../../adapters/slack/scopes.ts';
import { parseConfig } from '../../../src/config.ts';
import { isFailure } from '../../../src/ops/doctor.ts';
import { startSlackFake, type FakeChannel, type FakeWorkspace } from '../../fakes/slack/index.ts';
import { createTestCore, type TestCore } from '../discord/support.ts';
import { type Environment, examineAt } from './doctor-examine.ts';
import { fresh } from '../../fakes/opened.ts';

let workspace: FakeWorkspace;
const fake = fresh(() => startSlackFake({ limits: 'off' }));
beforeEach(async () => {
  workspace = fake.workspace({ name: 'team' });
});

const examine = (environment: Environment, core = createTestCore(), isAsked = false) =>
  examineAt(fake, environment, core, isAsked);

const socket = (): Environment => ({
  SLACK_BOT_TOKEN: workspace.botToken,
  SLACK_APP_TOKEN: fake.app.appToken,
});

test('where Slack is off, the doctor says how to switch it on, and links to a new app for who asks for Slack', async () => {
  const { found, failures } = await examine({});
  expect(failures).toEqual([]);
  expect(found).toHaveLength(1);
  expect(found[0]?.detail).toMatch(/^off: set SLACK_BOT_TOKEN .*"npm run doctor -- slack"/);
  expect(found[0]?.detail.length).toBeLessThan(200);
  const asked = await examine({}, createTestCore(), true);
  expect(asked.found[0]?.detail).toMatch(/^off: set SLACK_BOT_TOKEN .*manifest_yaml=/);
});

test.each([
  ['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN', 'xoxb-1'],
  ['SLACK_APP_TOKEN', 'SLACK_BOT_TOKEN', 'xapp-1'],
  ['SLACK_SIGNING_SECRET', 'SLACK_BOT_TOKEN', 'secret'],
])('with %s alone, the doctor asks for %s', async (given, missing, value) => {
  const { found } = await examine({ [given]: value });
  expect(found).toHaveLength(1);
  expect(found[0]).toMatchObject({ ok: false, detail: expect.stringContaining(missing) });
  expect(isFailure(found[0]!)).toBe(true);
});

describe('a token of the wrong kind is named as what it is, and never shown', () => {
  const faultOf = (environment: Environment): string => {
    try {
      parseConfig(environment, { slack: slack.config });
      return '';
    } catch (thrown) {
      return (thrown as Error).message;
    }
  };

  it.each([
    ['SLACK_BOT_TOKEN', 'xoxp-1-secret', 'it is a user token'],
    ['SLACK_BOT_TOKEN', 'xoxe.xoxp-1-secret', 'it is a user token'],
    ['SLACK_BOT_TOKEN', 'xapp-1-secret', 'it is an app-level token'],
    ['SLACK_BOT_TOKEN', 'xoxe-1-secret', 'it is a refresh token'],
    ['SLACK_BOT_TOKEN', 'something-secret', 'which begins with xoxb-\n'],
    ['SLACK_APP_TOKEN', 'xoxb-1-secret', 'it is a bot token'],
  ])('%s: %s', (name, token, said) => {
    const fault = faultOf({ [name]: token });
    expect(fault).toContain(said);
    expect(fault).not.toContain('secret');
  });

  it.each(['xoxb-1-a', 'xoxe.xoxb-1-a'])('%s is a bot token', (token) => {
    expect(faultOf({ SLACK_BOT_TOKEN: token })).toBe('');
  });
});

describe('in Socket Mode', () => {
  it('all is well with an app that has what it needs', async () => {
    const { found, of } = await examine(socket());
    expect(found.filter(({ ok }) => !ok)).toEqual([]);
    expect(of('token')?.detail).toMatch(/^of @dragoman at https:/);
    expect(of('Socket Mode')?.detail).toBe('can be connected');
  });

  it('nothing is changed at Slack, and no token is told', async () => {
    const { found } = await examine(socket());
    const calls = new Set(fake.requests.map(({ method }) => method));
    expect(calls).toEqual(new Set(['auth.test', 'apps.connections.open', 'api.test']));
    const told = JSON.stringify(found);
    for (const secret of [workspace.botToken, fake.app.appToken])
      expect(told).not.toContain(secret);
  });

  it('a token that Slack does not know is told with where to find the right one', async () => {
    const { of } = await examine({ ...socket(), SLACK_BOT_TOKEN: 'xoxb-1-2-3' });
    expect(of('token')).toMatchObject({
      ok: false,
      detail: expect.stringContaining('Bot User OAuth Token'),
    });
  });

  it.each([
    ['token_revoked', 'install the app again'],
    ['account_inactive', 'install the app again'],
    ['token_expired', 'SLACK_CLIENT_ID'],
  ])('a token that ended by %s is told with what to do', async (error, said) => {
    fake.fail('auth.test', { error });
    const { of } = await examine(socket());
    expect(of('token')).toMatchObject({ ok: false, detail: expect.stringContaining(said) });
  });

  it('missing scopes are named with what they are for', async () => {
    const scopes = Object.keys(SCOPES).filter((scope) => !scope.startsWith('files:'));
    workspace = fake.workspace({ scopes });
    const { of, failures } = await examine(socket());
    expect(failures).toEqual(['Slack: scopes']);
    const { detail = '' } = of('scopes') ?? {};
    for (const scope of ['files:read', 'files:write'])
      expect(detail).toContain(`${scope} (${SCOPES[scope]})`);
    expect(detail).toContain(`/apps/${fake.app.id}/oauth`);
    expect(detail).not.toContain('chat:write');
  });

  it('scopes that only pins need are named, and are no failure', async () => {
    const scopes = Object.keys(SCOPES).filter((scope) => !scope.startsWith('pins:'));
    workspace = fake.workspace({ scopes });
    const { of, failures } = await examine(socket());
    expect(failures).toEqual([]);
    expect(of('scopes')).toMatchObject({ ok: false, isOptional: true });
    expect(of('scopes')?.detail).toContain('pins:write');
  });

  it('scopes that were left out by choice are named with what is lost, and are no failure', async () => {
    const choice = { SLACK_WITHOUT: 'files, private-channels', SLACK_NAMES: 'app' };
    workspace = fake.workspace({
      scopes: scopesOf({ without: ['files', 'private-channels'], names: 'app' }),
    });
    const { of, failures } = await examine({ ...socket(), ...choice });
    expect(failures).toEqual([]);
    const { detail = '' } = of('scopes') ?? {};
    for (const left of ['files', 'private-channels'] as const)
      expect(detail).toContain(`without ${left} (no ${OPTIONAL[left].loses})`);
    expect(detail).not.toContain('still has');
    workspace = fake.workspace({ scopes: Object.keys(SCOPES) });
    const spare = await examine({ ...socket(), ...choice });
    expect(spare.of('scopes')?.detail).toContain('It still has chat:write.customize, files:read');
  });

  it('Socket Mode that is off is told with where to switch it on', async () => {
    fake.app.socketMode = false;
    const { of } = await examine(socket());
    expect(of('Socket Mode')).toMatchObject({
      ok: false,
      detail: `it is off: switch it on at https://api.slack.com/apps/${fake.app.id}/socket-mode`,
    });
  });

  it('an app-level token without its scope is told', async () => {
    fake.app.appScopes = new Set();
    const { of } = await examine(socket());
    expect(of('Socket Mode')).toMatchObject({
      ok: false,
      detail: expect.stringContaining('connections:write'),
    });
  });

  it('an app-level token that Slack does not know is told', async () => {
    const { of } = await examine({ ...socket(), SLACK_APP_TOKEN: `xapp-1-${fake.app.id}-1-ab` });
    expect(of('Socket Mode')).toMatchObject({
      ok: false,
      detail: expect.stringContaining('Slack refuses SLACK_APP_TOKEN'),
    });
  });

  it('an app-level token of another app is told', async () => {
    const { of } = await examine({ ...socket(), SLACK_APP_TOKEN: 'xapp-1-A999-1-ab' });
    expect(of('Socket Mode')).toMatchObject({
      ok: false,
      detail: `SLACK_APP_TOKEN is of the app A999, SLACK_BOT_TOKEN of ${fake.app.id}: take both from one app`,
    });
  });

  const watch = (core: TestCore, name: string, bot: boolean): FakeChannel => {
    const made = workspace.channel({ name, bot });
    core.watched.push({
      channel: { space: { platform: 'slack', id: workspace.id }, id: made.id },
      mode: 'mirror',
      languages: ['es'],
      transcribes: false,
      bots: false,
    });
    return made;
  };

  it.each([
    ['full', 3, true, 'not known yet, as there is little of it'],
    ['full', 20, true, 'all'],
    ['limited', 20, false, '15 messages a minute'],
  ] as const)('%s history of %i messages is told as far as it shows', async (...given) => {
    const [history, count, ok, detail] = given;
    const core = createTestCore();
    workspace.state.history = history;
    watch(core, 'outside', false);
    const channel = watch(core, 'inside', true);
    const ann = workspace.user();
    for (let said = 0; said < count; said += 1) channel.say(ann, String(said));
    const { of, failures } = await examine(socket(), core);
    expect(of('history')).toMatchObject({ ok, detail: expect.stringContaining(detail) });
    expect(failures).not.toContain('Slack: history');
  });

  it('a watched channel that the app is not in is told with how to invite it', async () => {
    const core = createTestCore();
    watch(core, 'inside', true);
    watch(core, 'outside', false);
    const { found } = await examine(socket(), core);
    const said = found.filter(({ check }) => check === 'Slack: channel');
    expect(said.map(({ ok }) => ok)).toEqual([true, false]);
    expect(said[1]?.detail).toMatch(/^#outside at .*: needs \/invite @dragoman$/);
  });
});

describe('the clock', () => {
  it.each([
    [0, true],
    [30_000, true],
    [-120_000, false],
    [120_000, false],
  ])('that is %i ms away from Slack’s is fine: %s', async (skewMs, ok) => {
    const date = new Date(Date.now() + skewMs).toUTCString();
    fake.fail('api.test', { status: 200, headers: { date }, body: '{"ok":true}' });
    expect((await examine(socket())).of('clock')).toMatchObject({ ok });
  });

  it('is not known where Slack is not reached', async () => {
    fake.fail('api.test', { reset: 'before' });
    expect((await examine(socket())).of('clock')).toMatchObject({ ok: false });
  });
});
