import type { HttpServerOptions } from '../inbound/http-server.ts';
import type { Installations, Installed } from './installations.ts';
import { manyWorkspaces } from './many-workspaces.ts';
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
 *
 * @param added takes a workspace that installed the app, or did so again
 */
export const openInstallations = (
  { url, botToken, client }: InstallOptions,
  { installations: store, log }: Pick<Core, 'installations' | 'log'>,
  added: (installed: Installed) => void,
): {
  readonly installations: Installations;
  readonly pages: HttpServerOptions['installations'];
} => {
  if (botToken !== undefined)
    return { installations: oneWorkspace(botToken, url), pages: async () => false };
  if (!client) throw new AppError('config', 'Slack needs SLACK_BOT_TOKEN, or SLACK_CLIENT_ID');
  if (!store)
    throw new AppError(
      'config',
      'ENCRYPTION_KEY must be set for SLACK_CLIENT_ID: it encrypts the tokens of workspaces ("openssl rand -base64 32" makes one)',
    );
  const { id: clientId, secret: clientSecret } = client;
  const many = manyWorkspaces({ store, clientId, clientSecret, apiUrl: url, log, added });
  return { installations: many, pages: many.handle };
};
