import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createAdaptorServer } from '@hono/node-server';
import { AppError } from '../src/errors.ts';
import type { Log } from '../src/log.ts';
import { createServiceApp } from './app.ts';
import type { EngineConfig } from './config.ts';
import type { EngineLine } from './engine.ts';
import { loadEngines } from './engines.ts';

/** Time that running requests have when the service is closed. */
const DRAIN_MS = 5_000;

export interface ServiceOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Whole keys, prefix included. */
  readonly keys: readonly string[];
  readonly engines: EngineConfig;
  readonly log: Log;
}

export interface Service {
  /** Base address, without a slash at the end. */
  readonly url: string;
  /** Reports every engine there could be; starts those that must run to be asked. */
  engines(): Promise<readonly EngineLine[]>;
  /**
   * True when any engine translates into `to` at this moment: from `from`, or from any language.
   */
  translates(to: string, from?: string): Promise<boolean>;
  /** Takes no more requests, lets the running ones end for a while, then ends all engines. */
  close(): Promise<void>;
}

const listen = async (server: Server, host: string, port: number): Promise<AddressInfo> => {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const reason =
      code === 'EADDRINUSE'
        ? 'the port is taken by another program; choose another with SERVICE_PORT'
        : `the address cannot be used (${code})`;
    throw new AppError('config', `The service cannot listen on ${host}:${port}: ${reason}.`, {
      cause,
    });
  }
  return server.address() as AddressInfo;
};

/** Serves the contract over the engines there are. Throws `AppError` (`config`) if it cannot listen. */
export const startService = async (options: ServiceOptions): Promise<Service> => {
  const { log } = options;
  const engines = await loadEngines({ config: options.engines, log });
  const app = createServiceApp({ keys: options.keys, engines, config: options.engines, log });
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  let address: AddressInfo;
  try {
    address = await listen(server, options.host, options.port);
  } catch (error) {
    await engines[Symbol.asyncDispose]();
    throw error;
  }
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;

  let running = 0;
  const quiet = Promise.withResolvers<void>();
  let closing: Promise<void> | undefined;
  const settle = (): void => {
    if (closing && running === 0) quiet.resolve();
  };
  server.on('request', (_request, response) => {
    running += 1;
    response.once('close', () => {
      running -= 1;
      settle();
    });
  });

  const close = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    const limit = delay(DRAIN_MS, undefined, { ref: false });
    await (running === 0 ? undefined : Promise.race([quiet.promise, limit]));
    // Clients keep connections for later, which would be waited for.
    server.closeAllConnections();
    await closed;
    await engines[Symbol.asyncDispose]();
  };

  return {
    url: `http://${host}:${address.port}`,
    engines: () => engines.report(),
    translates: (to, from) => engines.translates(to, from),
    close: () => (closing ??= close()),
  };
};
