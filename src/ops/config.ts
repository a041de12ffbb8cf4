import { z } from 'zod';
import { port } from '../config.ts';

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
