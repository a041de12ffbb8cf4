import type { IncomingMessage, ServerResponse } from 'node:http';
import { InstallProvider, type Installation } from '@slack/oauth';
import { INSTALL_PATH, REDIRECT_PATH } from '../manifest.ts';
import { createHmac } from 'node:crypto';
import { clientOptions, silentLogger } from '../api.ts';
import { spaceOf } from '../ids.ts';
import type { Installations, InstallationsListener } from './installations.ts';
import {
  isOrganisation,
  ownerOf as ownerOfQuery,
  createStoredInstallations,
} from './stored-installations.ts';
import {
  createStoredTokens,
  isTokenAccepted,
  readInstalled,
  readWorkspaces,
  type StoredTokensDeps,
} from './tokens.ts';
import { AppError, toAppError } from '../../../src/errors.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import type { Space } from '../../../src/model/place.ts';
import type { InstallationStore } from '../../../src/ports/store.ts';

/** Handles the pages of an installation; false for any other path. */
export type InstallPages = (
  request: IncomingMessage,
  path: string,
  response: ServerResponse,
) => Promise<boolean>;

const NOT_INSTALLED =
  '<!doctype html><title>Not installed</title><h1>Dragoman was not installed.</h1>' +
  `<p><a href="${INSTALL_PATH}">Try again</a></p>`;

/** Creates the address at which an installation begins, and the one to which Slack leads back. */
export const createInstallPages =
  (provider: InstallProvider, scopes: readonly string[]): InstallPages =>
  async (request, path, response) => {
    if (request.method !== 'GET') return false;
    if (path === INSTALL_PATH) {
      await provider.handleInstallPath(request, response, {}, { scopes: [...scopes] });
      return true;
    }
    if (path !== REDIRECT_PATH) return false;
    await provider.handleCallback(request, response, {
      failure: (_error, _options, _request, answer) => {
        answer.writeHead(400, { 'content-type': 'text/html; charset=utf-8' });
        answer.end(NOT_INSTALLED);
      },
    });
    return true;
  };

export interface ManyWorkspacesDeps extends Omit<StoredTokensDeps, 'known'> {
  readonly store: InstallationStore;
  readonly log: Log;
  readonly scopes: readonly string[];
}

/** A workspace's address for consent, at Slack or at the server that stands for it. */
const authorizationUrl = (apiUrl: string | undefined): string =>
  `${apiUrl === undefined ? 'https://slack.com' : new URL(apiUrl).origin}/oauth/v2/authorize`;

/** Set of the leases under which a process changes an installation. */
const CHANGE = 'slack-installation';

export interface ManyWorkspaces extends Installations {
  readonly pages: InstallPages;
}

/**
 * Workspaces that install the app themselves, by OAuth, or whose organisation does so for all of them;
 * the tokens are stored encrypted.
 */
export const manyWorkspaces = (deps: ManyWorkspacesDeps): ManyWorkspaces => {
  const { store, leases, client, apiUrl, log, stopped } = deps;
  let listener: Partial<InstallationsListener> = {};
  const known = createStoredInstallations(store, log);
  const tokens = createStoredTokens({ ...deps, known: known.of });

  /** Changes an installation while no process changes the same one. */
  const inTurn = async <Result>(
    ownerId: string,
    change: () => Promise<Result>,
  ): Promise<Result> => {
    const tenure = await leases.acquire(`${CHANGE}:${ownerId}`, stopped);
    try {
      return await change();
    } finally {
      await tenure.release();
    }
  };

  const ownerOf = (space: Space): Space => {
    const organisation = known.organisationOf(space);
    return organisation === undefined ? space : spaceOf(organisation);
  };

  /** Notes workspaces that use an organisation's installation; resolves with the new ones. */
  const join = async (spaces: readonly Space[], organisationId: string): Promise<Space[]> => {
    if (!known.of(spaceOf(organisationId))) return [];
    const fresh = spaces.filter(
      (space) =>
        !isOrganisation(space) &&
        !known.of(space) &&
        known.organisationOf(space) !== organisationId,
    );
    for (const space of fresh) {
      await listener.adding?.(space);
      await store.put(space, JSON.stringify({ organisation: organisationId }));
    }
    return fresh;
  };

  /** Notes the workspaces that an organisation's token may be used in. */
  const joinAll = async (organisation: Space, token: string): Promise<void> => {
    try {
      const ids = await readWorkspaces(apiUrl, token);
      await join(ids.map(spaceOf), organisation.id);
    } catch (thrown) {
      // They are known as soon as something comes from them.
      const { message: reason } = toAppError(thrown);
      log.warn({ reason }, 'Slack: the workspaces of an organisation could not be listed');
    }
  };

  /** Takes a new installation, or one that replaces another. */
  const install = async (installation: Installation, space: Space): Promise<void> => {
    const { bot } = installation;
    if (!bot) throw new AppError('bad-input', 'Slack gave no bot token');
    const about = await readInstalled(apiUrl, bot.token, installation.appId);
    await listener.adding?.(space);
    const isNew = !known.of(space);
    const { url, botName, appId } = about;
    // Nothing is needed of the person who did it.
    const stored = { ...installation, appId, user: undefined };
    await store.put(
      space,
      JSON.stringify({ installation: stored, url, botName, installedMs: Date.now() }),
    );
    if (isNew) log.info({ space: space.id }, 'Slack: the app was installed');
    if (isOrganisation(space)) await joinAll(space, bot.token);
    if (isOrganisation(space)) listener.added?.(known.workspacesOf(space.id));
    else listener.added?.([space], isNew ? installation.user.id : undefined);
  };

  const storeInstallation = async (installation: Installation): Promise<void> => {
    const space = ownerOfQuery({
      isEnterpriseInstall: installation.isEnterpriseInstall,
      enterpriseId: installation.enterprise?.id,
      teamId: installation.team?.id,
    });
    await inTurn(space.id, async () => install(installation, space));
  };

  const provider = new InstallProvider({
    clientId: client.id,
    clientSecret: client.secret,
    // Always the same for this app, so that any process can finish what another began.
    stateSecret: createHmac('sha256', client.secret).update('state').digest('hex'),
    authorizationUrl: authorizationUrl(apiUrl),
    clientOptions: clientOptions(apiUrl),
    logger: silentLogger,
    // The address leads to Slack at once, as its Marketplace asks of a "Direct Install URL".
    directInstall: true,
    installationStore: {
      storeInstallation,
      // Only the library's `authorize` reads one, which is not used.
      fetchInstallation: async () => {
        throw new AppError('unavailable', 'the app is not installed in this workspace');
      },
    },
  });

  /** True while Slack accepts the token that is stored. Rejects where it could not be read or asked about. */
  const isAlive = async (owner: Space): Promise<boolean> => {
    for (;;) {
      await known.refresh(owner);
      const token = await tokens.of(owner);
      if (token === undefined) return false;
      if (await isTokenAccepted(apiUrl, token)) return true;
      await known.refresh(owner);
      // Otherwise the app was installed anew meanwhile.
      if (known.of(owner)?.token === token) return false;
    }
  };

  const tokenOf = async (space: Space): Promise<string | undefined> => {
    try {
      return await tokens.of(ownerOf(space));
    } catch (thrown) {
      log.warn({ reason: toAppError(thrown).message }, 'Slack: no token of a workspace');
      return undefined;
    }
  };

  return {
    known: (space) => {
      const found = known.of(ownerOf(space));
      return found && { ...found.installed, space };
    },
    ownerOf,
    tokenOf,
    tokenKnown: (space) => known.of(ownerOf(space))?.token,
    tokenRefused: (space, token) => tokens.refused(ownerOf(space), token),
    list: known.workspaces,
    load: known.load,
    watch: (given) => {
      listener = given;
      return known.watch(given.changed);
    },
    joined: async (spaces, organisationId) => {
      // Asked with everything that arrives.
      if (spaces.every((space) => known.organisationOf(space) === organisationId)) return;
      const fresh = await inTurn(organisationId, async () => join(spaces, organisationId));
      if (fresh.length > 0) listener.added?.(fresh);
    },
    parted: async (spaces, organisationId, remove) =>
      inTurn(organisationId, async () => {
        const token = await tokens.of(spaceOf(organisationId));
        const allowed = token === undefined ? [] : await readWorkspaces(apiUrl, token);
        const gone = spaces.filter((space) => !known.of(space) && !allowed.includes(space.id));
        if (gone.length > 0) await remove(gone);
      }),
    ended: async (space, isWhole, remove) => {
      const owner = ownerOf(space);
      await inTurn(owner.id, async () => {
        if (await isAlive(owner)) return;
        const gone = [owner, ...known.workspacesOf(owner.id)];
        await store.remove(owner);
        log.info({ space: owner.id, isWhole }, 'Slack: the app was removed, or its token');
        if (isWhole) await remove(gone);
      });
    },
    settled: tokens.settled,
    pages: createInstallPages(provider, deps.scopes),
  };
};
