import { WebClient } from '@slack/web-api';
import { clientOptions, readCursorPages } from '../api.ts';
import { fromSlack, isTokenEnded } from '../errors.ts';
import { spaceOf } from '../ids.ts';
import type { Installed } from './installations.ts';
import { AppError } from '../../../src/errors.ts';
import { z } from 'zod';
import {
  readBot,
  withBot,
  type StoredBot,
  type StoredInstallation,
} from './stored-installations.ts';
import { HOUR_MS } from '../../../src/async/clock.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import type { Space } from '../../../src/model/place.ts';
import type { InstallationStore } from '../../../src/ports/store.ts';
import type { Leases } from '../../../src/ports/processes.ts';

/** True while Slack accepts a token. Rejects with an `AppError` where Slack did not say. */
export const isTokenAccepted = async (url: string | undefined, token: string): Promise<boolean> => {
  try {
    await new WebClient(token, clientOptions(url)).auth.test();
    return true;
  } catch (thrown) {
    const fault = fromSlack(thrown, 'auth.test');
    if (isTokenEnded(fault)) return false;
    throw fault;
  }
};

/** Lists the ids of the workspaces that an organisation's token may be used in. */
export const readWorkspaces = async (
  url: string | undefined,
  token: string,
): Promise<readonly string[]> => {
  const client = new WebClient(token, clientOptions(url));
  const ids: string[] = [];
  try {
    const pages = readCursorPages(async (at) => client.auth.teams.list(at));
    for await (const { teams = [] } of pages) ids.push(...teams.flatMap(({ id }) => id ?? []));
    return ids;
  } catch (thrown) {
    throw fromSlack(thrown, 'auth.teams.list');
  }
};

/**
 * Asks Slack whose token it is. Rejects with an `AppError`; `unavailable` for a token that Slack does
 * not accept.
 *
 * @param knownAppId the app's id where it is known already
 */
export const readInstalled = async (
  url: string | undefined,
  token: string,
  knownAppId?: string,
): Promise<Installed> => {
  const client = new WebClient(token, clientOptions(url));
  try {
    const auth = await client.auth.test();
    const { team_id: teamId, user_id: botUserId, bot_id: botId } = auth;
    if (teamId === undefined || botUserId === undefined || botId === undefined)
      throw new AppError('bad-reply', 'Slack did not say whose token it is');
    const appId = knownAppId ?? auth.app_id ?? (await client.bots.info({ bot: botId })).bot?.app_id;
    if (appId === undefined)
      throw new AppError('bad-reply', 'Slack did not say which app a token is of');
    const scopes = auth.response_metadata?.scopes;
    return {
      space: spaceOf(teamId),
      appId,
      botId,
      botUserId,
      botName: auth.user ?? 'dragoman',
      scopes: scopes && new Set(scopes),
      url: auth.url ?? 'https://slack.com/',
    };
  } catch (thrown) {
    throw fromSlack(thrown, 'auth.test');
  }
};

export interface StoredTokensDeps {
  readonly store: Pick<InstallationStore, 'of' | 'replace'>;
  /** Finds what is known in memory of an installation. */
  readonly known: (owner: Space) => StoredInstallation | undefined;
  readonly leases: Pick<Leases, 'acquire'>;
  /** The app's own name and secret. */
  readonly client: { readonly id: string; readonly secret: string };
  readonly apiUrl: string | undefined;
  readonly log: Pick<Log, 'debug'>;
  readonly stopped: AbortSignal;
}

/** Set of the leases under which a process renews the token of an installation. */
const RENEWAL = 'slack-token';
/** Time before a token's end from which it is renewed. */
const RENEWED_BEFORE_MS = 2 * HOUR_MS;

const renewed = z.object({
  access_token: z.string(),
  refresh_token: z.string(),
  /** Time to the end of the token, in seconds. */
  expires_in: z.number(),
});

/** The time from which a token is renewed, ms since 1970; infinite for one without an end. */
const untilMs = ({ refreshToken, expiresAt = Infinity }: StoredBot): number =>
  refreshToken === undefined ? Infinity : expiresAt * 1_000 - RENEWED_BEFORE_MS;

/** Creates the tokens of stored installations, which are renewed before they end. */
export const createStoredTokens = (deps: StoredTokensDeps) => {
  const { store, known, leases, client, apiUrl, log, stopped } = deps;
  /** Tokens that are being read or renewed, by the installation. */
  const asking = new Map<string, Promise<string | undefined>>();
  /** Tokens that were read; one that is not the stored one any more is read anew. */
  const read = new Map<string, { readonly token: string; readonly untilMs: number }>();
  /** Renewed installations that are not stored yet: what renewed them cannot be used again. */
  const unstored = new Map<string, { readonly before: string; readonly after: string }>();

  /** Stores a renewed installation, unless it was replaced or removed. Rejects as the database does. */
  const keep = async (owner: Space): Promise<void> => {
    const renewal = unstored.get(owner.id);
    if (!renewal) return;
    await store.replace(owner, renewal.before, renewal.after);
    unstored.delete(owner.id);
  };

  /** Asks Slack for the next token; undefined where it gave none. */
  const askSlack = async (owner: Space, refreshToken: string): Promise<StoredBot | undefined> => {
    const askedMs = Date.now();
    try {
      const answer = await new WebClient(undefined, clientOptions(apiUrl)).oauth.v2.access({
        client_id: client.id,
        client_secret: client.secret,
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
      });
      const { access_token, refresh_token, expires_in } = renewed.parse(answer);
      return {
        token: access_token,
        refreshToken: refresh_token,
        expiresAt: Math.floor(askedMs / 1_000) + expires_in,
      };
    } catch (thrown) {
      const { message: reason } = fromSlack(thrown, 'oauth.v2.access');
      log.debug({ space: owner.id, reason }, 'Slack: a token was not renewed');
      return undefined;
    }
  };

  /** Renews a token, unless another process did so meanwhile. A refresh token can be used once. */
  const renew = async (owner: Space): Promise<void> => {
    const tenure = await leases.acquire(`${RENEWAL}:${owner.id}`, stopped);
    try {
      await keep(owner);
      const before = await store.of(owner);
      const bot = before === undefined ? undefined : readBot(before);
      if (before === undefined || bot?.refreshToken === undefined) return;
      if (untilMs(bot) > Date.now()) return;
      const next = await askSlack(owner, bot.refreshToken);
      if (!next) return;
      unstored.set(owner.id, { before, after: withBot(before, next) });
      await keep(owner);
    } finally {
      await tenure.release();
    }
  };

  const readStored = async (owner: Space): Promise<StoredBot | undefined> => {
    const written = await store.of(owner);
    return written === undefined ? undefined : readBot(written);
  };

  const ask = async (owner: Space): Promise<string | undefined> => {
    let bot = await readStored(owner);
    if (bot && untilMs(bot) <= Date.now()) {
      await renew(owner);
      // Whatever came of it: the app may have been removed or installed again meanwhile.
      bot = await readStored(owner);
    }
    if (!bot) return undefined;
    read.set(owner.id, { token: bot.token, untilMs: untilMs(bot) });
    return bot.token;
  };

  return {
    /** The token of an installation; undefined where there is none. Rejects where it could not be read. */
    of: async (owner: Space): Promise<string | undefined> => {
      const now = known(owner);
      if (!now) return undefined;
      const held = read.get(owner.id);
      if (held?.token === now.token && held.untilMs > Date.now()) return held.token;
      const running = asking.get(owner.id);
      if (running) return running;
      const asked = ask(owner).finally(() => asking.delete(owner.id));
      asking.set(owner.id, asked);
      return asked;
    },
    /** Takes the news that Slack does not accept a token any more. */
    refused: ({ id }: Space, token: string): void => {
      if (read.get(id)?.token === token) read.delete(id);
    },
    /** Resolves once what was renewed is stored, or cannot be. */
    settled: async (): Promise<void> => {
      await Promise.allSettled(asking.values());
      await Promise.allSettled([...unstored.keys()].map(async (id) => keep(spaceOf(id))));
    },
  };
};
