import { pageOf } from '../app-pages.ts';
import { fromSlack, isRefusal, isTokenEnded, SlackError } from '../errors.ts';
import { AppError } from '../../../src/errors.ts';

/** The application of an app-level token, which stands in it. */
export const appOf = (appToken: string): string | undefined =>
  /^xapp-\d+-(?<app>A[A-Z0-9]+)-/.exec(appToken)?.groups?.['app'];

/** Says what to do where Slack refuses Socket Mode; undefined for a fault that may pass by itself. */
export const socketRefusal = (fault: AppError, appId: string | undefined): string | undefined => {
  if (!(fault instanceof SlackError) || fault.slackError === undefined) return undefined;
  if (fault.retryable && !isTokenEnded(fault)) return undefined;
  if (isRefusal(fault, 'socket_mode_not_enabled'))
    return `it is off: switch it on at ${pageOf('socket-mode', appId)}`;
  const remedy = `make a token with connections:write at ${pageOf('general', appId)}, "App-Level Tokens"`;
  return isRefusal(fault, 'missing_scope')
    ? `SLACK_APP_TOKEN may not connect: ${remedy}`
    : `Slack refuses SLACK_APP_TOKEN (${fault.slackError}): ${remedy}`;
};

/**
 * Converts what ended a try to connect by Socket Mode to an `AppError`: `config` where Slack refuses it.
 *
 * @param thrown undefined where Slack ended the connection, of which the library says no more
 */
export const socketFault = (thrown: unknown, appToken: string): AppError => {
  if (thrown === undefined)
    return new AppError('unavailable', 'Slack ended the connection', { retryable: true });
  const fault = fromSlack(thrown, 'apps.connections.open');
  const refusal = socketRefusal(fault, appOf(appToken));
  return refusal === undefined ? fault : new AppError('config', `Socket Mode: ${refusal}`);
};
