import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { spaceOf } from '../../../../adapters/slack/ids.ts';
import { manyWorkspaces } from '../../../../adapters/slack/install/many-workspaces.ts';
import { HOUR_MS } from '../../../../src/async/clock.ts';
import { createLog } from '../../../../src/telemetry/log.ts';
import type { InstallationStore } from '../../../../src/ports/store.ts';
import { cipherOf } from '../../../../src/store/secrets/encryption.ts';
import { createInstallationStore } from '../../../../src/store/secrets/installations.ts';
import { makeDatabase, openTestStore } from '../../../fakes/database.ts';
import { serve } from '../../../fakes/serve.ts';
import { installIn } from '../../../slack/support.ts';
import { startSlackFake, type FakeWorkspace } from '../../../fakes/slack/index.ts';

const isRenewal = (args: Readonly<Record<string, unknown>>): boolean =>
  args['grant_type'] === 'refresh_token';

/** What is stored of a workspace that has the app as it has it now. */
const writtenOf = ({ id, state }: FakeWorkspace): string => {
  const { installation } = state;
  if (!installation) throw new Error('the app is not installed');
  const { token, refreshToken, expiresAt = 0, botId, botUser } = installation;
  const bot = { token, refreshToken, id: botId, userId: botUser.id, scopes: [] };
  return JSON.stringify({
    installation: {
      appId: 'A1',
      team: { id },
      bot: { ...bot, expiresAt: Math.floor(expiresAt / 1_000) },
    },
    installedMs: 1,
  });
};

/** A workspace whose token is in its last hour, and two processes on one database. */
const open = async () => {
  const slack = await startSlackFake({ rotatesTokens: true });
  onTestFinished(async () => slack[Symbol.asyncDispose]());
  slack.app.tokenLifeMs = HOUR_MS;
  const workspace = slack.workspace();
  slack.app.tokenLifeMs = 12 * HOUR_MS;
  const database = await makeDatabase();
  const space = spaceOf(workspace.id);
  const stopped = new AbortController();
  onTestFinished(() => stopped.abort());

  /** @param follows false for a process that has not heard of any change yet */
  const openProcess = async ({ follows = true } = {}) => {
    const rows = await openTestStore(database);
    const store = createInstallationStore(rows, cipherOf([new Uint8Array(32)])!);
    /** How often the row of the workspace was read. */
    let reads = 0;
    const counted: InstallationStore = {
      ...store,
      of: async (of) => {
        reads += 1;
        return store.of(of);
      },
    };
    const removed: string[] = [];
    const adding: string[] = [];
    const app = manyWorkspaces({
      scopes: [],
      store: counted,
      leases: rows.leases,
      client: { id: slack.app.clientId, secret: slack.app.clientSecret },
      apiUrl: slack.url,
      log: createLog('silent'),
      stopped: stopped.signal,
    });
    if (follows)
      onTestFinished(
        app.watch({
          adding: async ({ id }) => void adding.push(id),
          added: () => {},
          changed: () => {},
        }),
      );
    const ended = async (): Promise<void> =>
      app.ended(space, true, async (gone) => void removed.push(...gone.map(({ id }) => id)));
    /** Serves the pages of an installation. */
    const servePages = async (): Promise<void> => {
      const server = await serve((request, response) => {
        const { pathname } = new URL(request.url ?? '/', 'http://app');
        void app.pages(request, pathname, response);
      });
      onTestFinished(server[Symbol.asyncDispose]);
      slack.app.requestUrl = `${server.url}/slack/events`;
      slack.app.redirectUrls.add(`${server.url}/slack/oauth_redirect`);
    };
    return { rows, store, app, ended, removed, adding, serve: servePages, reads: () => reads };
  };
  const first = await openProcess();
  await first.store.put(space, writtenOf(workspace));

  /** Holds the next renewal after Slack has done it, or before; resolves once it was asked for. */
  const holdRenewal = (when: 'before' | 'after') => {
    const { promise, resolve } = Promise.withResolvers<void>();
    onTestFinished(() => resolve());
    const effect = when === 'after' ? ({ until: promise, when } as const) : { until: promise };
    slack.fail('oauth.v2.access', effect, { while: isRenewal, times: 1 });
    return resolve;
  };
  const renewals = () => slack.requests.filter(({ args }) => isRenewal(args));
  const storedToken = async (): Promise<string | undefined> => {
    const written = await first.store.of(space);
    return written && (JSON.parse(written) as StoredJson).installation.bot.token;
  };
  return { slack, workspace, space, openProcess, first, holdRenewal, renewals, storedToken };
};

interface StoredJson {
  readonly installation: { readonly bot: { readonly token: string } };
}

describe('a token that is renewed', () => {
  it('is renewed once by two processes that need it at the same time', async () => {
    const { workspace, space, openProcess, first, holdRenewal, renewals, storedToken } =
      await open();
    const second = await openProcess();
    await second.app.load();
    const release = holdRenewal('after');
    const here = first.app.tokenOf(space);
    await expect.poll(() => renewals().length).toBe(1);
    const before = second.reads();
    const there = second.app.tokenOf(space);
    await expect.poll(second.reads).toBeGreaterThan(before);
    release();
    expect(await here).toBe(workspace.botToken);
    expect(await there).toBe(workspace.botToken);
    expect(await storedToken()).toBe(workspace.botToken);
    expect(renewals().map(({ result }) => result)).toEqual(['ok']);
  });

  it('by another process is used where Slack refuses to renew it here', async () => {
    const { workspace, space, first, holdRenewal, renewals } = await open();
    const release = holdRenewal('before');
    const asked = first.app.tokenOf(space);
    await expect.poll(() => renewals().length).toBe(1);
    // A process of an earlier release takes no lease.
    workspace.rotate();
    await first.store.put(space, writtenOf(workspace));
    release();
    expect(await asked).toBe(workspace.botToken);
    expect(renewals().map(({ result }) => result)).toEqual(['invalid_refresh_token']);
  });

  it('is not stored over an installation that took the place of its own meanwhile', async () => {
    const { workspace, space, openProcess, first, holdRenewal, renewals, storedToken } =
      await open();
    const second = await openProcess({ follows: false });
    await second.app.load();
    const release = holdRenewal('after');
    const asked = second.app.tokenOf(space);
    await expect.poll(() => renewals()[0]?.result).toBe('ok');
    workspace.reinstall();
    await first.store.put(space, writtenOf(workspace));
    release();
    expect(await asked).toBe(workspace.botToken);
    expect(await storedToken()).toBe(workspace.botToken);
  });

  it('is neither stored nor used where the app was removed meanwhile', async () => {
    const { space, openProcess, first, holdRenewal, renewals, storedToken } = await open();
    const second = await openProcess({ follows: false });
    await second.app.load();
    const release = holdRenewal('after');
    const asked = second.app.tokenOf(space);
    await expect.poll(() => renewals()[0]?.result).toBe('ok');
    await first.store.remove(space);
    release();
    expect(await asked).toBeUndefined();
    expect(await storedToken()).toBeUndefined();
  });

  it('is stored later where the database could not be written, and not renewed again', async () => {
    const { workspace, space, first, holdRenewal, renewals, storedToken } = await open();
    const release = holdRenewal('after');
    const asked = first.app.tokenOf(space);
    await expect.poll(() => renewals()[0]?.result).toBe('ok');
    await sql`ALTER TABLE installation RENAME TO broken`.execute(first.rows);
    release();
    expect(await asked).toBeUndefined();
    await sql`ALTER TABLE broken RENAME TO installation`.execute(first.rows);
    expect(await storedToken()).not.toBe(workspace.botToken);
    expect(await first.app.tokenOf(space)).toBe(workspace.botToken);
    expect(await storedToken()).toBe(workspace.botToken);
    expect(renewals()).toHaveLength(1);
  });

  it('that could not be stored is stored before the process stops', async () => {
    const { workspace, space, first, holdRenewal, renewals, storedToken } = await open();
    const release = holdRenewal('after');
    const asked = first.app.tokenOf(space);
    await expect.poll(() => renewals()[0]?.result).toBe('ok');
    await sql`ALTER TABLE installation RENAME TO broken`.execute(first.rows);
    release();
    await asked;
    await sql`ALTER TABLE broken RENAME TO installation`.execute(first.rows);
    await first.app.settled();
    expect(await storedToken()).toBe(workspace.botToken);
  });

  it('is stored before the process stops', async () => {
    const { workspace, space, first, holdRenewal, renewals, storedToken } = await open();
    const release = holdRenewal('after');
    void first.app.tokenOf(space);
    await expect.poll(() => renewals()[0]?.result).toBe('ok');
    const settled = first.app.settled();
    release();
    await settled;
    expect(await storedToken()).toBe(workspace.botToken);
  });
});

describe('a word of Slack that the app was removed', () => {
  it('is outdated where another process installed it again, of which this one has not heard', async () => {
    const { workspace, space, openProcess, first, storedToken } = await open();
    const second = await openProcess({ follows: false });
    await first.store.remove(space);
    await second.app.load();
    workspace.reinstall();
    await first.store.put(space, writtenOf(workspace));
    await second.ended();
    expect(second.removed).toEqual([]);
    expect(await storedToken()).toBe(workspace.botToken);
  });

  it('is outdated where another process installs it again while Slack is asked', async () => {
    const { slack, workspace, space, openProcess, first, storedToken } = await open();
    workspace.reinstall();
    await first.store.put(space, writtenOf(workspace));
    const second = await openProcess({ follows: false });
    await second.app.load();
    const { promise, resolve } = Promise.withResolvers<void>();
    slack.fail('auth.test', { until: promise });
    workspace.revoke();
    const ended = second.ended();
    await expect.poll(() => slack.requests.at(-1)?.method).toBe('auth.test');
    workspace.reinstall();
    await first.store.put(space, writtenOf(workspace));
    resolve();
    await ended;
    expect(second.removed).toEqual([]);
    expect(await storedToken()).toBe(workspace.botToken);
  });

  it('is outdated where another process is renewing the token', async () => {
    const { workspace, space, openProcess, first, holdRenewal, renewals, storedToken } =
      await open();
    const second = await openProcess();
    await second.app.load();
    const release = holdRenewal('after');
    const asked = first.app.tokenOf(space);
    await expect.poll(() => renewals()[0]?.result).toBe('ok');
    const before = second.reads();
    const ended = second.ended();
    // Once to know of the change, and once for the token.
    await expect.poll(second.reads).toBeGreaterThan(before + 1);
    release();
    await ended;
    expect(await asked).toBe(workspace.botToken);
    expect(second.removed).toEqual([]);
    expect(await storedToken()).toBe(workspace.botToken);
  });

  it('has everything removed before another process can install it again', async () => {
    const { slack, workspace, space, openProcess, first, storedToken } = await open();
    const second = await openProcess();
    await second.app.load();
    await second.serve();
    const { promise, resolve } = Promise.withResolvers<void>();
    onTestFinished(() => resolve());
    let isRemoving = false;
    workspace.uninstall();
    const ended = first.app.ended(space, true, async () => {
      isRemoving = true;
      await promise;
    });
    await expect.poll(() => isRemoving).toBe(true);
    const installing = installIn({ slack }, workspace, workspace.user({ isAdmin: true }));
    await slack.until(() => slack.requests.some(({ method }) => method === 'oauth.v2.access'));
    // Another workspace installs the app in the time that this one would need.
    const other = slack.workspace({ installed: false });
    await installIn({ slack }, other, other.user({ isAdmin: true }));
    expect(second.adding).toEqual([other.id]);
    resolve();
    await ended;
    expect(await installing).toMatchObject({ status: 200 });
    expect(second.adding).toEqual([other.id, workspace.id]);
    expect(await storedToken()).toBe(workspace.botToken);
  });

  it('removes it where Slack does not accept the token', async () => {
    const { workspace, openProcess, storedToken } = await open();
    const second = await openProcess();
    await second.app.load();
    workspace.uninstall();
    await second.ended();
    expect(second.removed).toEqual([workspace.id]);
    expect(await storedToken()).toBeUndefined();
  });
});
