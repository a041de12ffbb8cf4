import { type Metrics, declareRateLimited } from '../../src/ops/metrics.ts';

export const declareSlackMetrics = (metrics: Metrics) => {
  const connections = metrics.counter({
    name: 'dragoman_slack_connections_total',
    help: 'Connections to Slack, the first one included.',
  });
  return {
    /** Counts a request that Slack refused for now. */
    rateLimited: declareRateLimited(metrics, 'slack'),
    connected: () => connections(),
  };
};
