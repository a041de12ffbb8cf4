import type { InstallPages } from '../install/pages.ts';
import { EVENTS_PATH } from '../manifest.ts';
import { addressOf, close, createHttpReceiver, createHttpServer, listen } from './http-server.ts';
import { createSocket } from './socket.ts';
import type { EventTransport, EventTransportOptions } from './event-transport.ts';
import type { Log } from '../../../src/telemetry/log.ts';

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
