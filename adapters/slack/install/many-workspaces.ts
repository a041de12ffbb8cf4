import { createHmac } from 'node:crypto';
import { InstallProvider, type Installation, type InstallationQuery } from '@slack/oauth';
import { clientOptions, silentLogger } from '../api.ts';
import { PLATFORM, spaceOf } from '../ids.ts';
import type { Installations, Installed } from './installations.ts';
import { readInstalled } from './one-workspace.ts';
import { createInstallPages, type InstallPages } from './pages.ts';
import { isOrganisation, ownerOf as ownerOfQuery, pointer, stored, toInstalled } from './stored.ts';
import { isTokenAccepted, readWorkspaces } from './token-check.ts';
import { createKeyedMutex } from '../../../src/async/keyed-mutex.ts';
import { HOUR_MS } from '../../../src/async/time.ts';
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
  /** Takes a space that installs the app, before anything of it is stored. */
  readonly adding: (space: Space) => Promise<void>;
  /** Takes workspaces that have the app, or have it anew. */
  readonly added: (spaces: readonly Space[]) => void;
}

/** A workspace's address for consent, at Slack or at the server that stands for it. */
const authorizationUrl = (apiUrl: string | undefined): string =>
  `${apiUrl === undefined ? 'https://slack.com' : new URL(apiUrl).origin}/oauth/v2/authorize`;

export interface ManyWorkspaces extends Installations {
  readonly pages: InstallPages;
}

/** An installation as it was read; the library renews its tokens and has it stored again. */
type Fetched = Installation & { readonly isFetched?: true };

/** Time before a token's end from which the library renews it. */
const RENEWED_BEFORE_MS = 2 * HOUR_MS;
/** Time for which a token is held in memory: another process may have renewed it. */
const LONGEST_MS = HOUR_MS;

/**
 * Workspaces that install the app themselves, by OAuth, or whose organisation does so for all of them;
 * the tokens are stored encrypted.
 */
export const manyWorkspaces = (deps: ManyWorkspacesDeps): ManyWorkspaces => {
  const { store, clientId, clientSecret, apiUrl, log, adding, added } = deps;
  const all = new Map<string, Installed>();
  /** The organisation whose installation a workspace uses. */
  const organisations = new Map<string, string>();
  /** Tokens that are being read or renewed: a refresh token can be used once. */
  const asking = new Map<string, Promise<string | undefined>>();
  const tokens = new Map<string, { readonly token: string; readonly untilMs: number }>();
  const turns = createKeyedMutex();

  const workspacesOf = (organisationId: string): readonly Space[] =>
    [...organisations].flatMap(([id, owner]) => (owner === organisationId ? [spaceOf(id)] : []));

  const ownerOf = (space: Space): Space => {
    const organisation = all.has(space.id) ? undefined : organisations.get(space.id);
    return organisation === undefined ? space : spaceOf(organisation);
  };

  const fetchInstallation = async (query: InstallationQuery<boolean>): Promise<Fetched> => {
    const written = await store.of(ownerOfQuery(query));
    if (written === undefined)
      throw new AppError('unavailable', 'the app is not installed in this workspace');
    return {
      ...stored.parse(JSON.parse(written)).installation,
      isFetched: true,
    } as unknown as Fetched;
  };

  const put = async (installation: Installation, { url, botName }: Installed): Promise<void> =>
    store.put(
      ownerOfQuery({
        isEnterpriseInstall: installation.isEnterpriseInstall,
        enterpriseId: installation.enterprise?.id,
        teamId: installation.team?.id,
      }),
      // Nothing is needed of the person who did it.
      JSON.stringify({ installation: { ...installation, user: undefined }, url, botName }),
    );

  /** Notes workspaces that use an organisation's installation; resolves with the new ones. */
  const join = async (spaces: readonly Space[], organisationId: string): Promise<Space[]> => {
    if (!all.has(organisationId)) return [];
    const fresh = spaces.filter(
      (space) =>
        !isOrganisation(space) &&
        !all.has(space.id) &&
        organisations.get(space.id) !== organisationId,
    );
    for (const space of fresh) {
      await adding(space);
      await store.put(space, JSON.stringify({ organisation: organisationId }));
      organisations.set(space.id, organisationId);
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
    await adding(space);
    const known = { ...about, space, scopes: new Set(bot.scopes) };
    await put({ ...installation, appId: about.appId }, known);
    tokens.delete(space.id);
    if (!all.has(space.id)) log.info({ space: space.id }, 'Slack: the app was installed');
    all.set(space.id, known);
    if (isOrganisation(space)) await joinAll(space, bot.token);
    added(isOrganisation(space) ? workspacesOf(space.id) : [space]);
  };

  const storeInstallation = async ({ isFetched, ...installation }: Fetched): Promise<void> => {
    const space = ownerOfQuery({
      isEnterpriseInstall: installation.isEnterpriseInstall,
      enterpriseId: installation.enterprise?.id,
      teamId: installation.team?.id,
    });
    const known = all.get(space.id);
    if (!isFetched) {
      using _ = await turns.take(space.id);
      await install(installation, space);
      // Stored at once, as the former refresh token is used up; not where the app was removed meanwhile.
    } else if (known) await put(installation, known);
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
      deleteInstallation: async (query) => store.remove(ownerOfQuery(query)),
    },
  });

  const askToken = async (owner: Space): Promise<string | undefined> => {
    const { id } = owner;
    if ((await store.of(owner)) === undefined) return undefined;
    const found = await provider.authorize(
      isOrganisation(owner)
        ? { isEnterpriseInstall: true, enterpriseId: id, teamId: undefined }
        : { isEnterpriseInstall: false, enterpriseId: undefined, teamId: id },
    );
    const { botToken, botTokenExpiresAt } = found;
    if (botToken === undefined || !all.has(id)) return undefined;
    const endMs = (botTokenExpiresAt ?? Infinity) * 1_000 - RENEWED_BEFORE_MS;
    tokens.set(id, { token: botToken, untilMs: Math.min(endMs, Date.now() + LONGEST_MS) });
    return botToken;
  };

  /** The token of an installation; undefined where there is none. Rejects where it could not be read. */
  const readToken = async (owner: Space): Promise<string | undefined> => {
    if (!all.has(owner.id)) return undefined;
    const held = tokens.get(owner.id);
    if (held && held.untilMs > Date.now()) return held.token;
    const known = asking.get(owner.id);
    if (known) return known;
    const asked = askToken(owner).finally(() => asking.delete(owner.id));
    asking.set(owner.id, asked);
    return asked;
  };

  const tokenOf = async (space: Space): Promise<string | undefined> => {
    try {
      return await readToken(ownerOf(space));
    } catch (thrown) {
      log.warn({ reason: toAppError(thrown).message }, 'Slack: no token of a workspace');
      return undefined;
    }
  };

  return {
    known: (space) => {
      const found = all.get(ownerOf(space).id);
      return found && { ...found, space };
    },
    ownerOf,
    tokenOf,
    tokenRefused: (space, token) => {
      const { id } = ownerOf(space);
      if (tokens.get(id)?.token === token) tokens.delete(id);
    },
    list: () =>
      [...all.values()].flatMap(({ space }) =>
        isOrganisation(space) ? workspacesOf(space.id) : [space],
      ),
    load: async () => {
      for (const space of await store.list(PLATFORM)) {
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
    joined: async (spaces, organisationId) => {
      // Asked with everything that arrives.
      if (spaces.every(({ id }) => organisations.get(id) === organisationId)) return;
      using _ = await turns.take(organisationId);
      const fresh = await join(spaces, organisationId);
      if (fresh.length > 0) added(fresh);
    },
    parted: async (spaces, organisationId, remove) => {
      using _ = await turns.take(organisationId);
      const token = await readToken(spaceOf(organisationId));
      const left = token === undefined ? [] : await readWorkspaces(apiUrl, token);
      const gone = spaces.filter(({ id }) => !all.has(id) && !left.includes(id));
      if (gone.length > 0) await remove(gone);
      for (const { id } of gone) organisations.delete(id);
    },
    ended: async (space, isWhole, remove) => {
      const owner = ownerOf(space);
      using _ = await turns.take(owner.id);
      const token = await readToken(owner);
      if (token !== undefined && (await isTokenAccepted(apiUrl, token))) return;
      const gone = [owner, ...workspacesOf(owner.id)];
      all.delete(owner.id);
      tokens.delete(owner.id);
      await store.remove(owner);
      log.info({ space: owner.id, isWhole }, 'Slack: the app was removed, or its token');
      if (!isWhole) return;
      await remove(gone);
      for (const { id } of gone) organisations.delete(id);
    },
    pages: createInstallPages(provider),
  };
};
