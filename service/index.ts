import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { realClock, waitUntil, type Clock } from '../src/async/clock.ts';
import { AppError } from '../src/errors.ts';
import { HEAD_LIMITS } from '../src/http/head-limits.ts';
import type { Log } from '../src/telemetry/log.ts';
import { NO_TRACING, type Tracing } from '../src/telemetry/tracing.ts';
import { createServiceApp } from './app.ts';
import type { EngineConfig } from './config.ts';
import type { LocalModels } from '../src/model/local-models.ts';
import { loadEngines } from './engine-loader.ts';
import { createAccounts, type KeyRates, type StoredKeysOptions } from './keys/accounts.ts';
import { serveRealtime } from './realtime/upgrade.ts';
import { createSpools, SPOOL_LIMITS } from './speech/spool.ts';
import { translates } from './translation/legs.ts';

/** Longest wait for running requests when the service closes, unless the caller gives another. */
const DRAIN_MS = 5_000;

export interface ServiceOptions {
  readonly host: string;
  /** Port; 0 for any free one. */
  readonly port: number;
  /** Complete API keys of the operator, prefix included. */
  readonly keys: readonly string[];
  /** Keys that the command line creates. Default: none. */
  readonly stored?: StoredKeysOptions;
  /** Rates of keys that have none of their own. Default: none. */
  readonly rates?: KeyRates;
  readonly engines: EngineConfig;
  readonly log: Log;
  /** Default: no spans are kept. */
  readonly tracing?: Tracing;
  /** Origins whose pages may use the service. Default: none. */
  readonly browserOrigins?: readonly string[];
  /** Folder of the engines. Default: `engines`. */
  readonly engineFolder?: URL;
  /** The clock of the end. Default: real time. */
  readonly clock?: Clock;
}

export type Service = Awaited<ReturnType<typeof startService>>;

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

/** Serves the contract with the available engines. Throws `AppError` (`config`) if it cannot listen. */
export const startService = async (options: ServiceOptions) => {
  const { log, clock = realClock } = options;
  await using starting = new AsyncDisposableStack();
  const engines = starting.use(
    await loadEngines({ config: options.engines, log }, options.engineFolder),
  );
  const accounts = starting.use(createAccounts(options));
  const parts = {
    accounts,
    engines,
    config: options.engines,
    spools: createSpools(SPOOL_LIMITS),
    log,
    tracing: options.tracing ?? NO_TRACING,
    browserOrigins: options.browserOrigins ?? [],
  };
  const app = createServiceApp(parts);
  const server = createAdaptorServer({
    fetch: app.fetch,
    // Offers of HTTP/2, such as curl's, are passed over, as without any upgrade.
    serverOptions: {
      ...HEAD_LIMITS,
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
    },
  }) as Server;
  const realtime = serveRealtime(server, parts);
  const address = await listen(server, options.host, options.port);
  const held = starting.move();
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

  let models: Promise<LocalModels & AsyncDisposable> | undefined;
  const loadModels = async (): Promise<LocalModels & AsyncDisposable> => {
    const { createConfiguredModels } = await import('./models/background.ts');
    return createConfiguredModels(options.engines, log);
  };

  const close = async (withinMs = DRAIN_MS): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    await realtime.close();
    if (running > 0) await waitUntil(clock, clock.nowMs() + withinMs, quiet.promise);
    // Clients keep idle connections open, which would delay the close.
    server.closeAllConnections();
    await closed;
    await (await models)?.[Symbol.asyncDispose]();
    await held.disposeAsync();
  };

  return {
    /** Base URL, without a slash at the end. */
    url: `http://${host}:${address.port}`,
    /** Reports every possible engine; starts those that cannot report otherwise. */
    engines: () => engines.report(),
    /** Resolves with the installer of its models, which is loaded on first use. */
    models: (): Promise<LocalModels & AsyncDisposable> => (models ??= loadModels()),
    /** True when there currently is a way into `to`: from `from`, or from any language. */
    translates: (to: string, from?: string): Promise<boolean> => translates(engines, to, from),
    /** Measures what models keep up with on this machine: lines that an operator reads. */
    measure: (signal: AbortSignal) => engines.measure(signal),
    /**
     * Tells whether an engine recognises speech in a language, or any, as it comes: `later` while it does so for as
     * many people as it can, undefined where none does.
     */
    followsSpeech: async (language: string | undefined): Promise<'now' | 'later' | undefined> => {
      const offers = await engines.offers('recognition');
      const stream = offers.find(({ engine }) => engine.stream?.knows(language))?.engine.stream;
      return stream && (stream.isFull?.(language) ? 'later' : 'now');
    },
    /** Names of the engines that translate a pair by themselves at the moment, best first. */
    translators: async (from: string, to: string): Promise<readonly string[]> =>
      (await engines.offers('translation', { from, to }))
        .filter(({ engine }) => engine.translates(from, to))
        .map(({ name }) => name),
    /**
     * Stops accepting requests, lets the running ones end, then stops all engines.
     *
     * @param withinMs longest wait for these. Default: 5 s
     */
    close: (withinMs?: number): Promise<void> => (closing ??= close(withinMs)),
  };
};
