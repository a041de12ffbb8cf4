import { type Metrics, declareRateLimited } from '../../src/ops/metrics.ts';

export interface SlackMetrics {
  /** Counts a request that Slack refused for now. */
  readonly rateLimited: () => void;
  /** Counts a connection. */
  readonly connected: () => void;
}

export const declareSlackMetrics = (metrics: Metrics): SlackMetrics => {
  const connections = metrics.counter({
    name: 'dragoman_slack_connections_total',
    help: 'Connections to Slack, the first one included.',
  });
  return {
    rateLimited: declareRateLimited(metrics, 'slack'),
    connected: () => connections(),
  };
};
