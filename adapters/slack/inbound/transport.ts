import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SocketModeReceiver, type Receiver } from '@slack/bolt';
import { silentLogger } from '../api.ts';
import { EVENTS_PATH } from '../manifest.ts';
import { createHttpReceiver, createHttpServer, type HttpServerOptions } from './http-server.ts';
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
const createSocket = ({ url, appToken = '' }: EventTransportOptions, log: Log): EventTransport => {
  const receiver = new SocketModeReceiver({
    appToken,
    logger: silentLogger,
    ...(url === undefined ? {} : { installerOptions: { clientOptions: { slackApiUrl: url } } }),
  });
  const { client } = receiver;
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
      return 'Socket Mode';
    },
    stop: async () => {
      stopped.abort();
      await client.disconnect();
    },
  };
};

/** HTTP: Slack sends requests to an address of ours. */
const createHttp = (
  { signingSecret = '', host, port }: EventTransportOptions,
  installations: HttpServerOptions['installations'],
  log: Log,
): EventTransport => {
  const receiver = createHttpReceiver(signingSecret);
  const server = createHttpServer({ receiver, installations, log, now: Date.now });
  const connected: (() => void)[] = [];
  return {
    receiver,
    isConnected: () => server.listening,
    onConnected: (call) => void connected.push(call),
    start: async () => {
      server.listen(port, host);
      await once(server, 'listening');
      for (const call of connected) call();
      const { address, port: bound } = server.address() as AddressInfo;
      return `http://${address}:${bound}${EVENTS_PATH}`;
    },
    stop: async () => {
      server.closeIdleConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

/** @param installations handles the pages of an installation */
export const createEventTransport = (
  options: EventTransportOptions,
  installations: HttpServerOptions['installations'],
  log: Log,
): EventTransport =>
  options.appToken === undefined
    ? createHttp(options, installations, log)
    : createSocket(options, log);
