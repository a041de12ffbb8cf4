import { pageOf, INSTALL_PATH } from '../manifest.ts';
import { fromSlack, isRefusal, isTokenEnded, SlackError } from '../errors.ts';
import { AppError, toAppError } from '../../../src/errors.ts';
import { SocketModeReceiver } from '@slack/bolt';
import type { Log } from '../../../src/telemetry/log.ts';
import { clientOptions } from '../api.ts';
import type { InstallPages } from '../install/many-workspaces.ts';
import {
  addressOf,
  close,
  createHttpServer,
  listen,
  type EventTransport,
  type EventTransportOptions,
} from './http.ts';
import { realClock, sleep } from '../../../src/async/clock.ts';
import { retryUntilAborted } from '../../../src/app/retry-until-aborted.ts';

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

type Client = SocketModeReceiver['client'];

const EVENT = /"event"\s*:/;

/**
 * Gives what has no event one of its own type: the word that events are left out comes without, and
 * the library throws at it (slackapi/node-slack-sdk, issue 2167).
 */
const withEvent = (data: string): string => {
  if (EVENT.test(data) || !data.includes('"events_api"')) return data;
  const envelope = JSON.parse(data) as { payload?: { type?: unknown } };
  const payload = { ...envelope.payload, event: { type: String(envelope.payload?.type) } };
  return JSON.stringify({ ...envelope, payload });
};

/** Has messages of the socket that the library cannot read end nothing but themselves. */
export const readSafely = (client: Client, log: Log): void => {
  const readers = client.listeners('ws_message');
  client.removeAllListeners('ws_message');
  const read = async (data: unknown, isBinary: unknown): Promise<void> => {
    const known = typeof data === 'string' ? withEvent(data) : data;
    for (const reader of readers)
      await (Reflect.apply(reader, client, [known, isBinary]) as unknown);
  };
  client.on('ws_message', (data: unknown, isBinary: unknown) => {
    read(data, isBinary).catch((thrown: unknown) => {
      log.warn({ reason: toAppError(thrown).message }, 'Slack: a message could not be read');
    });
  });
};

/** Longest time from the request for a connection to Slack's hello. */
const HELLO_MS = 30_000;

/** A refusal may end as it began: a token is replaced, Socket Mode is switched on again. */
const retryable = (fault: AppError): AppError =>
  fault.retryable
    ? fault
    : new AppError(fault.code, fault.message, { retryable: true, cause: fault });

/**
 * Creates Socket Mode: no address of our own, one connection to Slack. The library's own reconnection is
 * off, as it ends the process when Slack refuses the app-level token, and hides other refusals.
 */
export const createSocket = (
  { url, appToken = '', host, port, speed = 1 }: EventTransportOptions,
  pages: InstallPages | undefined,
  log: Log,
): EventTransport => {
  const options = clientOptions(url);
  const receiver = new SocketModeReceiver({
    appToken,
    logger: options.logger,
    autoReconnectEnabled: false,
    installerOptions: { clientOptions: options },
  });
  const { client } = receiver;
  readSafely(client, log);
  const server = pages && createHttpServer({ receiver: undefined, pages, log, now: Date.now });
  const stopped = new AbortController();
  const { signal } = stopped;
  let isConnected = false;
  /** True from the first connection on: from then it is opened again here when it ends. */
  let isReopened = false;
  let isReconnecting = false;

  /** Opens a connection. Rejects with an `AppError`. */
  const open = async (): Promise<void> => {
    const cancel = realClock.after(HELLO_MS, () => void client.disconnect());
    try {
      await client.start();
    } catch (thrown) {
      throw socketFault(thrown, appToken);
    } finally {
      cancel();
    }
    if (signal.aborted) await client.disconnect();
    // It may have ended in the meantime, which is told once.
    if (!isConnected) throw socketFault(undefined, appToken);
  };

  const reconnect = async (): Promise<void> => {
    isReconnecting = true;
    await retryUntilAborted(
      async () =>
        open().catch((thrown: unknown) => {
          throw retryable(thrown as AppError);
        }),
      {
        signal,
        failed: ({ code, message }) =>
          log.error({ code, reason: message }, 'Slack: still disconnected'),
        sleep: async (ms) => sleep(realClock, ms / speed, signal),
      },
    );
    isReconnecting = false;
  };

  client.on('connected', () => {
    isConnected = true;
  });
  client.on('disconnecting', () => {
    isConnected = false;
  });
  // A try that fails is told so too.
  client.on('disconnected', () => {
    isConnected = false;
    if (!isReopened || isReconnecting || signal.aborted) return;
    log.warn('Slack: disconnected; trying again');
    void reconnect();
  });

  return {
    receiver,
    isConnected: () => isConnected,
    onConnected: (connected) => void client.on('connected', connected),
    start: async () => {
      await open();
      isReopened = true;
      if (server && !server.listening) await listen(server, port, host);
      return server ? `Socket Mode ${addressOf(server)}${INSTALL_PATH}` : 'Socket Mode';
    },
    stop: async () => {
      stopped.abort();
      await client.disconnect();
      if (server?.listening) await close(server);
    },
  };
};
