import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError } from '../errors.ts';
import { HEAD_LIMITS } from '../http/head-limits.ts';
import type { Log } from '../telemetry/log.ts';
import { OPS_PATHS, type OpsPages, type OpsPath } from './pages.ts';

/** Most connections at once: probes and readers of metrics are few. */
const MOST_CONNECTIONS = 64;

const REQUEST_MS = 10_000;

export interface OpsServerOptions {
  readonly host: string;
  /** Port; 0 for any free one. */
  readonly port: number;
  readonly pages: OpsPages;
  readonly log: Pick<Log, 'error'>;
}

const isOpsPath = (path: string): path is OpsPath =>
  (OPS_PATHS as readonly string[]).includes(path);

const FAULTS: Readonly<Record<string, (options: OpsServerOptions) => string>> = {
  EADDRINUSE: ({ port }) => `port ${port} is in use already: set OPS_PORT to another one`,
  EACCES: ({ port }) => `port ${port} may not be used by this user: set OPS_PORT to one above 1023`,
};

const listenFault = (cause: unknown, options: OpsServerOptions): AppError => {
  const { code = '' } = cause as NodeJS.ErrnoException;
  const message =
    FAULTS[code]?.(options) ??
    `${options.host} cannot be listened on (${code}): set OPS_HOST to an address of this machine`;
  return new AppError('config', message, { cause });
};

/** Serves health, readiness and metrics on a port of their own. Rejects with `config` if it cannot listen. */
export const startOpsServer = async (options: OpsServerOptions) => {
  const { host, port, pages, log } = options;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [path = ''] = (request.url ?? '').split('?');
    if (!isOpsPath(path)) {
      response.writeHead(404).end();
      return;
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end();
      return;
    }
    const { authorization } = request.headers;
    const { status, mediaType, body } = await pages.reply(path, { authorization, isPublic: false });
    response.writeHead(status, { 'content-type': mediaType, 'cache-control': 'no-store' });
    response.end(request.method === 'HEAD' ? '' : body);
  };

  const server = createServer(
    { ...HEAD_LIMITS, requestTimeout: REQUEST_MS },
    (request, response) => {
      answer(request, response).catch((err: unknown) => {
        log.error({ err }, 'a request for health or metrics failed');
        response.destroy();
      });
    },
  );
  server.maxConnections = MOST_CONNECTIONS;
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw listenFault(cause, options);
  }
  const { address, family, port: taken } = server.address() as AddressInfo;
  return {
    /** Base URL, without a slash at the end. */
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`,
    [Symbol.asyncDispose]: async (): Promise<void> => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};
