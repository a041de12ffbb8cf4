import { z } from 'zod';
import { port } from '../config.ts';
import { bearerToken, isSameSecret } from '../http/secrets.ts';
import type { Metrics } from './metrics.ts';
import type { ReadyState } from './readiness.ts';

/** The variables of health, readiness and metrics. */
export const opsSection = z.object({
  OPS_PORT: port
    .optional()
    .describe('Port of its own for /healthz, /readyz and /metrics. Default: off.'),
  OPS_HOST: z.string().default('127.0.0.1').describe('Address to listen on for OPS_PORT.'),
  METRICS_TOKEN: z
    .string()
    .min(16, 'must have at least 16 characters')
    .optional()
    .describe(
      'Access token of /metrics, for Prometheus. Without it, the page’s port has no metrics, and OPS_PORT shows them to all who reach it.',
    ),
});

/** Paths that tell whoever runs the program how it is. */
export const OPS_PATHS = ['/healthz', '/readyz', '/metrics'] as const;

export type OpsPath = (typeof OPS_PATHS)[number];

export interface OpsReply {
  readonly status: 200 | 401 | 404 | 503;
  readonly mediaType: string;
  readonly body: string;
}

interface OpsRequest {
  readonly authorization?: string | undefined;
  /** True on a port that others may reach too: it shows no parts, and without a token no metrics. */
  readonly isPublic: boolean;
  /** Compares a token that was given with the right one; what it throws passes. Default: without a limit. */
  readonly isToken?: (given: string, right: string) => boolean;
}

/** The replies at these paths, on whatever port. */
export type OpsPages = ReturnType<typeof createOpsPages>;

export interface OpsPagesDeps {
  readonly metrics: Pick<Metrics, 'text' | 'mediaType'>;
  /** Token of the metrics. Without one they are for nobody on a public port, and for all on another. */
  readonly metricsToken?: string | undefined;
  /** See `startHeartbeat`. */
  readonly isStalled: () => boolean;
  readonly readiness: () => Promise<ReadyState>;
}

const text = (status: OpsReply['status'], body: string): OpsReply => ({
  status,
  mediaType: 'text/plain; charset=utf-8',
  body,
});

const json = (status: OpsReply['status'], body: object): OpsReply => ({
  status,
  mediaType: 'application/json',
  body: JSON.stringify(body),
});

export const createOpsPages = ({ metrics, metricsToken, isStalled, readiness }: OpsPagesDeps) => ({
  reply: async (
    path: OpsPath,
    { authorization, isPublic, isToken = isSameSecret }: OpsRequest,
  ): Promise<OpsReply> => {
    if (path === '/healthz') return isStalled() ? text(503, 'stalled') : text(200, 'ok');
    if (path === '/readyz') {
      const state = await readiness();
      return json(state.ready ? 200 : 503, isPublic ? { ready: state.ready } : state);
    }
    if (isPublic && metricsToken === undefined) return json(404, { error: 'not found' });
    const given = bearerToken(authorization);
    if (metricsToken !== undefined && (given === undefined || !isToken(given, metricsToken)))
      return json(401, { error: 'METRICS_TOKEN is needed' });
    return { status: 200, mediaType: metrics.mediaType, body: await metrics.text() };
  },
});
