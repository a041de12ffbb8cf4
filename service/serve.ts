import type { z } from 'zod';
import type { opsSection } from '../src/ops/pages.ts';
import type { Log } from '../src/telemetry/log.ts';
import { makeTables } from '../src/text/tables.ts';
import type { Tracing } from '../src/telemetry/tracing.ts';
import type { EngineConfig, serverSection } from './config.ts';
import { engineNames } from './engine-loader.ts';
import { engineTable } from './engine-report.ts';
import { startService, type Service } from './index.ts';
import { makeKey } from './keys/access.ts';
import { loadPrices } from './keys/prices.ts';
import { openOps } from './ops.ts';

export interface ServeOptions {
  readonly server: z.infer<typeof serverSection>;
  readonly engines: EngineConfig;
  readonly log: Log;
  readonly tracing: Tracing;
  readonly ops: z.infer<typeof opsSection>;
  /** Longest wait for running requests when the program stops. Default: 5 s. */
  readonly drainMs?: number;
}

/** Serves the service at its own address until the program is stopped. */
export const serve = async (
  { server, engines, log, tracing, ops, drainMs }: ServeOptions,
  stopped: Promise<void>,
): Promise<void> => {
  const state = { starting: true, draining: false };
  void stopped.then(() => (state.draining = true));
  let service: Service | void;
  const report = async () => (service ? service.engines() : []);
  await using _ = await openOps(ops, state, report, log);
  const given = server.SERVICE_KEYS ?? [];
  const keys = given.length > 0 ? given : [makeKey()];
  const start = async (): Promise<Service> => {
    await makeTables();
    const prices = await loadPrices(server.SERVICE_PRICES, await engineNames());
    return startService({
      host: server.SERVICE_HOST,
      port: server.SERVICE_PORT,
      keys,
      stored: { database: server.SERVICE_DATABASE, prices },
      rates: { all: server.SERVICE_KEY_RATE, asr: server.SERVICE_ASR_RATE },
      engines,
      log,
      tracing,
      browserOrigins: server.SERVICE_BROWSER_ORIGINS ?? [],
    });
  };
  // What hangs at the start does not delay the stop.
  service = await Promise.race([start(), stopped]);
  if (!service) return;
  state.starting = false;
  console.log(`Speech, translation and chat at ${service.url}`);
  if (given.length === 0)
    console.log(`Key for this run: ${keys[0]}  (set SERVICE_KEYS to keep your own)`);
  const found = await Promise.race([service.engines(), stopped]);
  if (found) console.log(engineTable(found, engines));
  await stopped;
  await service.close(drainMs);
};
