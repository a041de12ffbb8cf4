import { scopesOf, type ScopeChoice } from '../scopes.ts';
import type { Installations, Installed } from './installations.ts';
import { isTokenAccepted, readInstalled } from './tokens.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import type { Space } from '../../../src/model/place.ts';
import { manyWorkspaces, type InstallPages } from './many-workspaces.ts';
import type { Core } from '../../../src/adapter.ts';
import { AppError } from '../../../src/errors.ts';

/** The one workspace of a configured token. */
const oneWorkspace = (
  token: string,
  apiUrl: string | undefined,
  log: Pick<Log, 'error'>,
): Installations => {
  let installed: Installed | undefined;
  /** True once the app was removed, or its token revoked. */
  let isEnded = false;
  /** The ends that were logged: `true` for that of the installation, `false` for the token's. */
  const logged = new Set<boolean>();
  const isIt = ({ id }: Space): boolean => installed?.space.id === id;
  return {
    load: async () => {
      installed = await readInstalled(apiUrl, token);
      isEnded = false;
    },
    watch: () => () => {},
    known: (space) => (isIt(space) && !isEnded ? installed : undefined),
    tokenOf: async (space) => (isIt(space) && !isEnded ? token : undefined),
    tokenKnown: (space) => (isIt(space) && !isEnded ? token : undefined),
    ownerOf: (space) => space,
    tokenRefused: () => {},
    list: () => (installed && !isEnded ? [installed.space] : []),
    settled: async () => {},
    joined: async () => {},
    parted: async () => {},
    ended: async (space, isWhole, remove) => {
      // Workspaces that have the app too, under tokens that are not used here.
      if (!isIt(space)) return;
      if (await isTokenAccepted(apiUrl, token)) return;
      isEnded = true;
      if (!logged.has(isWhole))
        log.error(
          isWhole
            ? 'Slack: the app was removed from its workspace; install it again, set the new SLACK_BOT_TOKEN and start again'
            : 'Slack: the token was revoked; set a new SLACK_BOT_TOKEN and start again',
        );
      logged.add(isWhole);
      if (isWhole) await remove([space]);
    },
  };
};

export interface InstallOptions extends ScopeChoice {
  readonly url: string | undefined;
  /** The bot token of the one workspace; undefined where workspaces install the app themselves. */
  readonly botToken: string | undefined;
  /** The app's own name and secret; undefined for one workspace. */
  readonly client: { readonly id: string; readonly secret: string } | undefined;
}

/**
 * Creates the workspaces of the app: the one of a token, or those that install it themselves. Throws
 * `config`.
 */
export const openInstallations = (
  { url, botToken, client, ...choice }: InstallOptions,
  { installations: store, log, processes }: Pick<Core, 'installations' | 'log' | 'processes'>,
  stopped: AbortSignal,
): {
  readonly installations: Installations;
  /** Undefined where no workspace can install the app itself. */
  readonly pages: InstallPages | undefined;
} => {
  if (botToken !== undefined)
    return { installations: oneWorkspace(botToken, url, log), pages: undefined };
  if (!client) throw new AppError('config', 'Slack needs SLACK_BOT_TOKEN, or SLACK_CLIENT_ID');
  if (!store)
    throw new AppError(
      'config',
      'ENCRYPTION_KEY must be set for SLACK_CLIENT_ID: it encrypts the tokens of workspaces ("openssl rand -base64 32" makes one)',
    );
  const { leases } = processes;
  const scopes = scopesOf(choice);
  const many = manyWorkspaces({ store, leases, client, apiUrl: url, log, stopped, scopes });
  return { installations: many, pages: many.pages };
};
