import type { Installations } from './installations.ts';
import { manyWorkspaces, type ManyWorkspacesDeps } from './many-workspaces.ts';
import type { InstallPages } from './pages.ts';
import { oneWorkspace } from './one-workspace.ts';
import type { Core } from '../../../src/adapter.ts';
import { AppError } from '../../../src/errors.ts';

export interface InstallOptions {
  readonly url: string | undefined;
  readonly botToken: string | undefined;
  readonly client: { readonly id: string; readonly secret: string } | undefined;
}

/**
 * Creates the workspaces of the app: the one of a token, or those that install it themselves. Throws
 * `config`.
 */
export const openInstallations = (
  { url, botToken, client }: InstallOptions,
  { installations: store, log, processes }: Pick<Core, 'installations' | 'log' | 'processes'>,
  told: Pick<ManyWorkspacesDeps, 'adding' | 'added' | 'changed' | 'stopped'>,
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
  const { id: clientId, secret: clientSecret } = client;
  const { leases } = processes;
  const many = manyWorkspaces({ store, leases, clientId, clientSecret, apiUrl: url, log, ...told });
  return { installations: many, pages: many.pages };
};
