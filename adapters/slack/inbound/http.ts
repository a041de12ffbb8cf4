import {
  type BufferedIncomingMessage,
  HTTPModuleFunctions,
  HTTPReceiver,
  type Receiver,
} from '@slack/bolt';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { silentLogger } from '../api.ts';
import { REQUEST_AGE_S, REQUEST_BYTES } from '../limits.ts';
import type { InstallPages } from '../install/many-workspaces.ts';
import { EVENTS_PATH } from '../manifest.ts';
import { MINUTE_MS } from '../../../src/async/clock.ts';
import { toAppError } from '../../../src/errors.ts';
import { HEAD_LIMITS } from '../../../src/http/head-limits.ts';
import type { Log } from '../../../src/telemetry/log.ts';

export interface EventTransportOptions {
  readonly url: string | undefined;
  /** The app-level token of Socket Mode; undefined for HTTP. */
  readonly appToken: string | undefined;
  /** The secret that signs Slack's requests; undefined for Socket Mode. */
  readonly signingSecret: string | undefined;
  readonly host: string;
  readonly port: number;
  /** Every wait for another try is so many times shorter. Default 1. */
  readonly speed?: number;
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

export interface HttpServerOptions {
  /** Undefined where events come by Socket Mode, and only installations by HTTP. */
  readonly receiver: HTTPReceiver | undefined;
  /** Undefined where no workspace can install the app itself. */
  readonly pages: InstallPages | undefined;
  readonly log: Log;
  readonly now: () => number;
}

/** Time in which a request has to arrive whole. */
const REQUEST_MS = 10_000;

export const createHttpReceiver = (signingSecret: string): HTTPReceiver =>
  new HTTPReceiver({
    signingSecret,
    endpoints: EVENTS_PATH,
    bodyLimit: REQUEST_BYTES,
    logger: silentLogger,
    unhandledRequestTimeoutMillis: 2_500,
  });

/**
 * True for a request whose signature is of this moment: Bolt refuses old ones, but not those that
 * somebody signed for later.
 */
const isOfNow = ({ headers }: IncomingMessage, nowMs: number): boolean => {
  const timestamp = Number(headers['x-slack-request-timestamp']);
  return Number.isInteger(timestamp) && Math.abs(nowMs / 1_000 - timestamp) <= REQUEST_AGE_S;
};

const { bufferIncomingMessage, isRawBodyError, parseHTTPRequestBody } = HTTPModuleFunctions;

/** True for a body of `null`, at which Bolt throws where nobody catches it. */
const isNull = (request: BufferedIncomingMessage): boolean => {
  try {
    return parseHTTPRequestBody(request) === null;
  } catch {
    // Bolt refuses what it cannot read.
    return false;
  }
};

/** The path of a request; empty for an address that nothing has. */
const pathOf = ({ url = '/' }: IncomingMessage): string =>
  URL.parse(url, 'http://localhost')?.pathname ?? '';

/** Time between two lines of the log about requests that were refused: anybody can send them. */
const LOG_EVERY_MS = MINUTE_MS;

/** Creates the server for Slack's requests and for the pages of an installation. */
export const createHttpServer = ({ receiver, pages, log, now }: HttpServerOptions): Server => {
  let loggedMs = -Infinity;
  const warn = (fields: object, message: string): void => {
    if (now() - loggedMs < LOG_EVERY_MS) return;
    loggedMs = now();
    log.warn(fields, message);
  };
  /** Lets an operator see that the secret or the clock is wrong: Slack sends, and nothing arrives. */
  const logRefusal = ({ statusCode }: ServerResponse): void => {
    if (statusCode === 401)
      warn(
        {},
        'Slack: a request was refused: its signature is not of SLACK_SIGNING_SECRET, or not of now',
      );
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = pathOf(request);
    if (await pages?.(request, path, response)) return;
    const isEvent = receiver && path === EVENTS_PATH && request.method === 'POST';
    if (!isEvent) return void response.writeHead(404).end();
    response.once('finish', () => logRefusal(response));
    if (!isOfNow(request, now())) return void response.writeHead(401).end();
    const buffered = await bufferIncomingMessage(request, REQUEST_BYTES);
    if (isNull(buffered)) return void response.writeHead(400).end();
    receiver.requestListener(buffered, response);
  };
  return createServer({ ...HEAD_LIMITS, requestTimeout: REQUEST_MS }, (request, response) => {
    answer(request, response).catch((thrown: unknown) => {
      warn({ reason: toAppError(thrown).message }, 'Slack: a request could not be handled');
      const status = isRawBodyError(thrown) ? thrown.statusCode : 500;
      if (!response.headersSent) response.writeHead(status);
      response.end();
    });
  });
};

export const listen = async (server: Server, port: number, host: string): Promise<void> => {
  server.listen(port, host);
  await once(server, 'listening');
};

export const addressOf = (server: Server): string => {
  const { address, port } = server.address() as AddressInfo;
  return `http://${address}:${port}`;
};

export const close = async (server: Server): Promise<void> => {
  server.closeIdleConnections();
  await new Promise((resolve) => server.close(resolve));
};

/**
 * Creates the transport by HTTP: Slack sends requests to an address of this program.
 *
 * @param pages handles the pages of an installation; undefined where no workspace can install the app
 */
export const createHttp = (
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
