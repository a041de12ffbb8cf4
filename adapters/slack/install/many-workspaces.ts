import { createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { InstallProvider, type Installation, type InstallationQuery } from '@slack/oauth';
import { z } from 'zod';
import { clientOptions, silentLogger } from '../api.ts';
import { spaceOf } from '../ids.ts';
import { INSTALL_PATH, REDIRECT_PATH } from '../manifest.ts';
import { SCOPES } from '../scopes.ts';
import type { Installations, Installed } from './installations.ts';
import { readInstalled } from './one-workspace.ts';
import { AppError, toAppError } from '../../../src/errors.ts';
import type { Log } from '../../../src/log.ts';
import type { Space } from '../../../src/model/place.ts';
import type { InstallationStore } from '../../../src/ports/installations.ts';

export interface ManyWorkspacesDeps {
  readonly store: InstallationStore;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly apiUrl: string | undefined;
  readonly log: Log;
  /** Takes a workspace that installed the app, or did so again. */
  readonly added: (installed: Installed) => void;
}

/** The stored form of a workspace, or of an organisation that installed the app as a whole. */
const stored = z.looseObject({
  installation: z.looseObject({
    appId: z.string().optional(),
    bot: z
      .looseObject({
        token: z.string(),
        id: z.string(),
        userId: z.string(),
        scopes: z.array(z.string()),
      })
      .optional(),
  }),
  url: z.string().optional(),
  botName: z.string().optional(),
});

/** The stored form of a workspace that uses its organisation's installation. */
const pointer = z.object({ organisation: z.string() });

/** A workspace's address for consent, at Slack or at the server that stands for it. */
const authorizationUrl = (apiUrl: string | undefined): string =>
  `${apiUrl === undefined ? 'https://slack.com' : new URL(apiUrl).origin}/oauth/v2/authorize`;

export interface ManyWorkspaces extends Installations {
  /** Handles the pages of an installation; false for any other page. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;
}

const keyOf = (query: {
  readonly isEnterpriseInstall?: boolean | undefined;
  readonly enterpriseId?: string | undefined;
  readonly teamId?: string | undefined;
}): Space => {
  const id = query.isEnterpriseInstall ? query.enterpriseId : query.teamId;
  if (id === undefined) throw new AppError('bad-input', 'Slack named no workspace');
  return spaceOf(id);
};

const toInstalled = (space: Space, written: string): Installed | undefined => {
  const { installation, url, botName } = stored.parse(JSON.parse(written));
  const { bot, appId } = installation;
  return bot && appId !== undefined
    ? {
        space,
        appId,
        botId: bot.id,
        botUserId: bot.userId,
        botName: botName ?? 'dragoman',
        scopes: new Set(bot.scopes),
        url: url ?? 'https://slack.com/',
      }
    : undefined;
};

/** Workspaces that install the app themselves, by OAuth; their tokens are stored encrypted. */
export const manyWorkspaces = (deps: ManyWorkspacesDeps): ManyWorkspaces => {
  const { store, clientId, clientSecret, apiUrl, log, added } = deps;
  const all = new Map<string, Installed>();
  const organisations = new Map<string, string>();
  /** Tokens that are being read or renewed: a refresh token can be used once. */
  const asking = new Map<string, Promise<string | undefined>>();
  const tokens = new Map<string, { readonly token: string; readonly untilMs: number }>();

  const fetchInstallation = async (query: InstallationQuery<boolean>): Promise<Installation> => {
    const written = await store.of(keyOf(query));
    if (written === undefined)
      throw new AppError('unavailable', 'the app is not installed in this workspace');
    return stored.parse(JSON.parse(written)).installation as unknown as Installation;
  };

  const storeInstallation = async (installation: Installation): Promise<void> => {
    const space = keyOf({
      isEnterpriseInstall: installation.isEnterpriseInstall,
      enterpriseId: installation.enterprise?.id,
      teamId: installation.team?.id,
    });
    const { bot } = installation;
    if (!bot) throw new AppError('bad-input', 'Slack gave no bot token');
    const about = await readInstalled(apiUrl, bot.token);
    const kept = { ...installation, appId: installation.appId ?? about.appId };
    await store.put(
      space,
      JSON.stringify({ installation: kept, url: about.url, botName: about.botName }),
    );
    tokens.delete(space.id);
    const known = { ...about, space, appId: kept.appId, scopes: new Set(bot.scopes) };
    const isNew = !all.has(space.id);
    all.set(space.id, known);
    if (isNew) log.info({ space: space.id }, 'Slack: the app was installed');
    added(known);
  };

  const provider = new InstallProvider({
    clientId,
    clientSecret,
    // Always the same for this app, so that any process can finish what another began.
    stateSecret: createHmac('sha256', clientSecret).update('state').digest('hex'),
    authorizationUrl: authorizationUrl(apiUrl),
    clientOptions: clientOptions(apiUrl),
    logger: silentLogger,
    installationStore: {
      storeInstallation,
      fetchInstallation,
      deleteInstallation: async (query) => store.remove(keyOf(query)),
    },
  });

  const RENEWED_BEFORE_MS = 2 * 3_600_000;
  const LONGEST_MS = 3_600_000;

  const askToken = async (id: string): Promise<string | undefined> => {
    const isOrganisation = id.startsWith('E');
    const found = await provider.authorize(
      isOrganisation
        ? { isEnterpriseInstall: true, enterpriseId: id, teamId: undefined }
        : { isEnterpriseInstall: false, enterpriseId: undefined, teamId: id },
    );
    const { botToken, botTokenExpiresAt } = found;
    if (botToken === undefined) return undefined;
    // The library renews a token from two hours before its end.
    const endMs = (botTokenExpiresAt ?? Infinity) * 1_000 - RENEWED_BEFORE_MS;
    tokens.set(id, { token: botToken, untilMs: Math.min(endMs, Date.now() + LONGEST_MS) });
    return botToken;
  };

  const ownerOf = ({ id }: Space): string => organisations.get(id) ?? id;

  return {
    known: (space) => {
      const found = all.get(ownerOf(space));
      return found && { ...found, space };
    },
    tokenOf: async (space) => {
      const id = ownerOf(space);
      if (!all.has(id)) return undefined;
      const held = tokens.get(id);
      if (held && held.untilMs > Date.now()) return held.token;
      const asked =
        asking.get(id) ??
        askToken(id).catch((thrown: unknown) => {
          log.warn({ reason: toAppError(thrown).message }, 'Slack: no token of a workspace');
          return undefined;
        });
      asking.set(id, asked);
      return asked.finally(() => asking.delete(id));
    },
    tokenRefused: (space, token) => {
      const id = ownerOf(space);
      if (tokens.get(id)?.token === token) tokens.delete(id);
    },
    list: () => [...all.values()].map(({ space }) => space),
    load: async () => {
      for (const space of await store.list('slack')) {
        const written = await store.of(space);
        if (written === undefined) continue;
        const organisation = pointer.safeParse(JSON.parse(written)).data?.organisation;
        if (organisation !== undefined) {
          organisations.set(space.id, organisation);
          continue;
        }
        const installed = toInstalled(space, written);
        if (installed) all.set(space.id, installed);
      }
    },
    joined: async (space, organisationId) => {
      if (organisations.get(space.id) === organisationId || all.has(space.id)) return;
      if (!all.has(organisationId)) return;
      organisations.set(space.id, organisationId);
      await store.put(space, JSON.stringify({ organisation: organisationId }));
    },
    remove: async (space) => {
      const written = [
        space.id,
        ...[...organisations].flatMap(([id, owner]) => (owner === space.id ? [id] : [])),
      ];
      for (const id of written) {
        all.delete(id);
        tokens.delete(id);
        organisations.delete(id);
        await store.remove(spaceOf(id));
      }
    },
    handle: async (request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://localhost');
      if (request.method !== 'GET') return false;
      if (pathname === INSTALL_PATH) {
        await provider.handleInstallPath(request, response, {}, { scopes: Object.keys(SCOPES) });
        return true;
      }
      if (pathname !== REDIRECT_PATH) return false;
      await provider.handleCallback(request, response, {
        failure: (_error, _options, _request, answer) => {
          answer.writeHead(400, { 'content-type': 'text/html; charset=utf-8' });
          answer.end(
            '<!doctype html><title>Not installed</title><h1>Dragoman was not installed.</h1>' +
              `<p><a href="${INSTALL_PATH}">Try again</a></p>`,
          );
        },
      });
      return true;
    },
  };
};
