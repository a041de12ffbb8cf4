import type { z } from 'zod';
import { realClock } from '../src/async/clock.ts';
import { createMetrics } from '../src/ops/metrics.ts';
import { createOpsPages, type opsSection } from '../src/ops/pages.ts';
import {
  declareProcessMetrics,
  measureEventLoop,
  startHeartbeat,
} from '../src/ops/process-metrics.ts';
import type { ReadyState } from '../src/ops/readiness.ts';
import { startOpsServer } from '../src/ops/server.ts';
import type { Log } from '../src/telemetry/log.ts';
import type { EngineReport } from '../src/model/service.ts';
import { declareEngineMetrics } from './engine-report.ts';

/** Serves health and metrics of a service that runs on its own, where a port for them is set. */
export const openOps = async (
  { OPS_HOST: host, OPS_PORT: port, METRICS_TOKEN: metricsToken }: z.infer<typeof opsSection>,
  state: Pick<ReadyState, 'starting' | 'draining'>,
  engines: () => Promise<readonly EngineReport[]>,
  log: Log,
): Promise<AsyncDisposable> => {
  await using parts = new AsyncDisposableStack();
  if (port === undefined) return parts.move();
  const metrics = createMetrics();
  declareProcessMetrics(metrics);
  declareEngineMetrics(metrics, engines);
  parts.use(measureEventLoop(metrics, realClock));
  const { isStalled } = parts.use(startHeartbeat(realClock));
  const readiness = async (): Promise<ReadyState> => ({
    ...state,
    ready: !state.starting && !state.draining,
    parts: {},
  });
  const pages = createOpsPages({ metrics, metricsToken, isStalled, readiness });
  const { url } = parts.use(await startOpsServer({ host, port, pages, log }));
  console.log(`Dragoman’s health and metrics: ${url}`);
  return parts.move();
};
