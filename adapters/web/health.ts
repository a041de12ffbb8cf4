import { Hono } from 'hono';
import type { Core } from '../../src/adapter.ts';
import type { ServiceStatus } from '../../src/model/service-status.ts';

export interface HealthDeps {
  readonly platforms: Core['ready'];
  readonly status: () => Promise<ServiceStatus>;
}

/** `/healthz`: the process lives. `/readyz`: people can be served; on every platform; otherwise 503, naming the part. */
export const createHealth = ({ platforms, status }: HealthDeps): Hono => {
  const health = new Hono();
  health.get('/healthz', (c) => c.text('ok'));
  health.get('/readyz', async (c) => {
    const service = await status().then(
      ({ reachable }) => reachable,
      () => false,
    );
    const parts = { ...platforms(), service };
    const ready = Object.values(parts).every(Boolean);
    return c.json({ ready, parts }, ready ? 200 : 503);
  });
  return health;
};
