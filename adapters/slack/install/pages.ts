import type { IncomingMessage, ServerResponse } from 'node:http';
import type { InstallProvider } from '@slack/oauth';
import { INSTALL_PATH, REDIRECT_PATH } from '../manifest.ts';
import { SCOPES } from '../scopes.ts';

/** Handles the pages of an installation; false for any other path. */
export type InstallPages = (
  request: IncomingMessage,
  path: string,
  response: ServerResponse,
) => Promise<boolean>;

const NOT_INSTALLED =
  '<!doctype html><title>Not installed</title><h1>Dragoman was not installed.</h1>' +
  `<p><a href="${INSTALL_PATH}">Try again</a></p>`;

/** Creates the page on which an installation begins, and the one to which Slack leads back. */
export const createInstallPages =
  (provider: InstallProvider): InstallPages =>
  async (request, path, response) => {
    if (request.method !== 'GET') return false;
    if (path === INSTALL_PATH) {
      await provider.handleInstallPath(request, response, {}, { scopes: Object.keys(SCOPES) });
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
