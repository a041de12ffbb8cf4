import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { createAdaptorServer, type WebSocketServerLike } from '@hono/node-server';
import { AppError } from '../../src/errors.ts';
import type { Adapter, Core } from '../../src/adapter.ts';
import { realClock } from '../../src/async/clock.ts';
import { createCachedLook } from '../../src/async/lru.ts';
import { HEAD_LIMITS } from '../../src/http/head-limits.ts';
import { NO_SPACE } from '../../src/model/service.ts';
import { createWebApp, type WebOptions } from './app.ts';
import { type Assets, createAssets } from './assets.ts';
import { createSocketServer, isDictation } from './dictations.ts';
import { TIMES } from './limits.ts';
import { createWebPresence } from './presence.ts';
import { sweepTempFolders } from './temp-store.ts';

/** Time for which the service's status is shared by all who ask. */
const STATUS_LIFE_MS = 1_000;
/** Time after the start at which the page's modules are prepared: a start has other work. */
const WARM_AFTER_MS = 2_000;

const listenFault = (cause: NodeJS.ErrnoException, { host, port }: WebOptions): AppError => {
  const why: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} is in use already: set PORT to another one`,
    EACCES: `port ${port} may not be used by this user: set PORT to one above 1023`,
    EADDRNOTAVAIL: `${host} is not an address of this machine: set HOST to one that is`,
    ENOTFOUND: `${host} is not a known name: set HOST to an address of this machine`,
  };
  const message = why[cause.code ?? ''] ?? `the page cannot be served on ${host}:${port}`;
  return new AppError('config', message, { cause });
};

export const createWebAdapter = (
  options: WebOptions,
  core: Core,
  assets: Assets = createAssets(core.log),
): Adapter => {
  const { host, port } = options;
  const presence = createWebPresence(core, options);
  let listening = false;
  let stopped = false;
  const status = createCachedLook(
    async () => core.services.status(AbortSignal.timeout(TIMES.statusMs), NO_SPACE),
    STATUS_LIFE_MS,
    { nowMs: options.now ?? realClock.nowMs },
  );
  const app = createWebApp({ core, presence, assets, options, status });
  const sockets = createSocketServer();
  const server = createAdaptorServer({
    fetch: app.fetch,
    websocket: { server: sockets as WebSocketServerLike & typeof sockets },
    // Any other upgrade is declined, as HTTP allows: the request is answered as it is.
    serverOptions: { ...HEAD_LIMITS, shouldUpgradeCallback: isDictation },
  });

  const listen = (): Promise<AddressInfo> =>
    new Promise((resolve, reject) => {
      server.once('error', (cause) => reject(listenFault(cause, options)));
      server.once('close', () =>
        reject(new AppError('cancelled', 'the page was stopped while it started')),
      );
      // The name of a host may be found only after the server was closed.
      server.listen(port, host, () =>
        stopped ? server.close() : resolve(server.address() as AddressInfo),
      );
    });

  const warm = async (): Promise<void> => {
    await delay(WARM_AFTER_MS, undefined, { ref: false });
    if (!stopped) await assets.warm();
  };

  return {
    platform: presence.platform,
    start: async () => {
      const address = await listen();
      listening = true;
      await sweepTempFolders(tmpdir());
      warm().catch((error: unknown) => {
        if (!stopped) core.log.warn({ err: error }, 'page modules could not be prepared');
      });
      const name = host.includes(':') ? `[${host}]` : host;
      return { where: `http://${name}:${address.port}/` };
    },
    ready: () => listening,
    [Symbol.asyncDispose]: async () => {
      listening = false;
      stopped = true;
      const closed = new Promise((resolve) => server.close(resolve));
      await assets[Symbol.asyncDispose]();
      await presence[Symbol.asyncDispose]();
      for (const socket of sockets.clients) socket.terminate();
      if ('closeAllConnections' in server) server.closeAllConnections();
      await closed;
    },
  };
};
