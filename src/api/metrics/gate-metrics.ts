import type { Metrics } from '../../ops/metrics.ts';
import type { Endpoint } from '../caller.ts';

/** Takes what the gates of the endpoints meet. */
export interface GateMetrics {
  /** Notes that the service refused a request for now (429). */
  readonly refused: (endpoint: Endpoint) => void;
  /** Notes that nothing more is sent to an endpoint, since it does not answer. */
  readonly opened: (endpoint: Endpoint) => void;
}

/** @param open numbers of open breakers, over all keys */
export const declareGateMetrics = (
  metrics: Metrics,
  open: () => ReadonlyMap<Endpoint, number>,
): GateMetrics => {
  const labels = ['endpoint'] as const;
  const refused = metrics.counter({
    name: 'dragoman_service_refused_total',
    help: 'Requests that the service refused for now (429).',
    labels,
  });
  const opened = metrics.counter({
    name: 'dragoman_service_breaker_opened_total',
    help: 'Times that requests to an endpoint stopped because it did not answer.',
    labels,
  });
  metrics.gauge(
    {
      name: 'dragoman_service_breakers_open',
      help: 'Keys with which an endpoint does not answer, and is asked only now and then.',
      labels,
    },
    () => [...open()].map(([endpoint, value]) => ({ labels: { endpoint }, value })),
  );
  return {
    refused: (endpoint) => refused({ endpoint }),
    opened: (endpoint) => opened({ endpoint }),
  };
};
