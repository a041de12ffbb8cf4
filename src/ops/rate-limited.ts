import type { Metrics } from './metrics.ts';

/** Declares the counter of the requests that a platform refused for now; the result counts one. */
export const declareRateLimited = (metrics: Metrics, platform: string): (() => void) => {
  const limited = metrics.counter({
    name: 'dragoman_platform_rate_limited_total',
    help: 'Requests that a platform refused for now (429).',
    labels: ['platform'],
  });
  return () => limited({ platform });
};
