import { SocketModeReceiver } from '@slack/bolt';
import { clientOptions } from '../api.ts';
import type { InstallPages } from '../install/pages.ts';
import { INSTALL_PATH } from '../manifest.ts';
import { addressOf, close, createHttpServer, listen } from './http-server.ts';
import { readSafely } from './socket-messages.ts';
import { socketFault } from './socket-fault.ts';
import type { EventTransport, EventTransportOptions } from './event-transport.ts';
import { realClock, sleep } from '../../../src/async/clock.ts';
import { AppError } from '../../../src/errors.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import { retryUntilAborted } from '../../../src/app/retry-until-aborted.ts';

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
  /** True from the first connection on: from then the connection is kept here. */
  let isKept = false;
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
    if (!isKept || isReconnecting || signal.aborted) return;
    log.warn('Slack: disconnected; trying again');
    void reconnect();
  });

  return {
    receiver,
    isConnected: () => isConnected,
    onConnected: (connected) => void client.on('connected', connected),
    start: async () => {
      await open();
      isKept = true;
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
