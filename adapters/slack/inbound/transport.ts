import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SocketModeReceiver, type Receiver } from '@slack/bolt';
import { silentLogger } from '../api.ts';
import type { InstallPages } from '../install/pages.ts';
import { EVENTS_PATH, INSTALL_PATH } from '../manifest.ts';
import { createHttpReceiver, createHttpServer } from './http-server.ts';
import { readSafely } from './socket-messages.ts';
import { realClock, sleep } from '../../../src/async/clock.ts';
import { AppError } from '../../../src/errors.ts';
import type { Log } from '../../../src/log.ts';

export interface EventTransportOptions {
  readonly url: string | undefined;
  readonly appToken: string | undefined;
  readonly signingSecret: string | undefined;
  readonly host: string;
  readonly port: number;
}

/** The way by which Slack's events arrive. */
export interface EventTransport {
  readonly receiver: Receiver;
  /** Resolves with where the app can be reached. Rejects with an `AppError`. */
  start(): Promise<string>;
  /** Calls back after each connection: events may have been missed before it. */
  onConnected(connected: () => void): void;
  isConnected(): boolean;
  stop(): Promise<void>;
}

/** Wait before Socket Mode is begun anew after an error that the library gives up at. */
const AGAIN_MS = 5_000;

/** Socket Mode: no address of our own, one connection to Slack. */
const createSocket = (
  { url, appToken = '', host, port }: EventTransportOptions,
  pages: InstallPages | undefined,
  log: Log,
): EventTransport => {
  const receiver = new SocketModeReceiver({
    appToken,
    logger: silentLogger,
    ...(url === undefined ? {} : { installerOptions: { clientOptions: { slackApiUrl: url } } }),
  });
  const { client } = receiver;
  readSafely(client, log);
  const server = pages && createHttpServer({ receiver: undefined, pages, log, now: Date.now });
  const stopped = new AbortController();
  let isConnected = false;
  let isStarted = false;
  client.on('connected', () => {
    isConnected = true;
  });
  for (const state of ['reconnecting', 'disconnecting', 'disconnected', 'close'])
    client.on(state, () => {
      isConnected = false;
    });
  const startAgain = async (): Promise<void> => {
    try {
      await sleep(realClock, AGAIN_MS, stopped.signal);
      await client.start();
    } catch {
      if (!stopped.signal.aborted) await startAgain();
    }
  };
  // The library ends for good after errors of the network too.
  client.on('disconnected', () => {
    if (!isStarted || stopped.signal.aborted) return;
    log.warn('Slack: disconnected; trying again');
    void startAgain();
  });
  return {
    receiver,
    isConnected: () => isConnected,
    onConnected: (connected) => void client.on('connected', connected),
    start: async () => {
      try {
        await client.start();
      } catch (cause) {
        const { message } = cause as Error;
        const reason = /: (?<error>[a-z_]+)$/.exec(message)?.groups?.['error'];
        throw new AppError(
          reason === undefined ? 'unavailable' : 'config',
          `Slack takes no connection${reason === undefined ? '' : `: ${reason}`}`,
          { retryable: reason === undefined },
        );
      }
      isStarted = true;
      if (!server?.listening && server) await listen(server, port, host);
      return server ? `Socket Mode ${addressOf(server)}${INSTALL_PATH}` : 'Socket Mode';
    },
    stop: async () => {
      stopped.abort();
      await client.disconnect();
      if (server?.listening) await close(server);
    },
  };
};

const listen = async (server: Server, port: number, host: string): Promise<void> => {
  server.listen(port, host);
  await once(server, 'listening');
};

const addressOf = (server: Server): string => {
  const { address, port } = server.address() as AddressInfo;
  return `http://${address}:${port}`;
};

const close = async (server: Server): Promise<void> => {
  server.closeIdleConnections();
  await new Promise((resolve) => server.close(resolve));
};

/** HTTP: Slack sends requests to an address of ours. */
const createHttp = (
  { signingSecret = '', host, port }: EventTransportOptions,
  pages: InstallPages | undefined,
  log: Log,
): EventTransport => {
  const receiver = createHttpReceiver(signingSecret);
  const server = createHttpServer({ receiver, pages, log, now: Date.now });
  const connected: (() => void)[] = [];
  return {
    receiver,
    isConnected: () => server.listening,
    onConnected: (call) => void connected.push(call),
    start: async () => {
      await listen(server, port, host);
      for (const call of connected) call();
      return `${addressOf(server)}${EVENTS_PATH}`;
    },
    stop: async () => close(server),
  };
};

/** @param pages handles the pages of an installation; undefined where no workspace can install the app */
export const createEventTransport = (
  options: EventTransportOptions,
  pages: InstallPages | undefined,
  log: Log,
): EventTransport =>
  options.appToken === undefined
    ? createHttp(options, pages, log)
    : createSocket(options, pages, log);
