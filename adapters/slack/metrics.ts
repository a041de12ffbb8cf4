import type { Metrics } from '../../src/ops/metrics.ts';

export interface SlackMetrics {
  /** Counts a request that Slack refused for now. */
  readonly rateLimited: () => void;
  /** Counts a connection. */
  readonly connected: () => void;
}

export const declareSlackMetrics = (metrics: Metrics): SlackMetrics => {
  const limited = metrics.counter({
    name: 'dragoman_platform_rate_limited_total',
    help: 'Requests that a platform refused for now (429).',
    labels: ['platform'],
  });
  const connections = metrics.counter({
    name: 'dragoman_slack_connections_total',
    help: 'Connections to Slack, the first one included.',
  });
  return {
    rateLimited: () => limited({ platform: 'slack' }),
    connected: () => connections(),
  };
};
