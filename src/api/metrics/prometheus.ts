import type { Metrics } from '../../ops/metrics.ts';
import type { OnCall } from '../call-report.ts';
import { BOUNDS_MS } from './recent-calls.ts';

const SECOND_MS = 1_000;
const BUCKETS_SECONDS = BOUNDS_MS.map((ms) => ms / SECOND_MS);

/**
 * Declares the metrics of calls of the service; returns the function that adds a call to them. Labels
 * are endpoint, lane and outcome: nothing of spaces, people, texts or keys.
 */
export const declareCallMetrics = (metrics: Metrics): OnCall => {
  const labels = ['endpoint', 'lane'] as const;
  const counter = (name: string, help: string) =>
    metrics.counter({ name: `dragoman_service_${name}_total`, help, labels });
  const times = (name: string, help: string) =>
    metrics.histogram({
      name: `dragoman_service_${name}_seconds`,
      help,
      labels,
      buckets: BUCKETS_SECONDS,
    });

  const calls = metrics.counter({
    name: 'dragoman_service_calls_total',
    help: 'Calls of the service that have ended, by outcome.',
    labels: ['endpoint', 'lane', 'outcome'],
  });
  const requests = counter('requests', 'Requests that were sent to the service.');
  const characters = counter('characters', 'Code points of text that was sent.');
  const audio = counter('audio_seconds', 'Seconds of audio that was sent.');
  const tokens = counter('tokens', 'Tokens that the service counted.');
  const waiting = times('waiting', 'Time for which the requests of a call waited to be sent.');
  const service = times(
    'call',
    'Time from sending to the end of the reply, of speech to its start.',
  );

  return ({ endpoint, lane, outcome, attempts, ...report }) => {
    const of = { endpoint, lane };
    calls({ ...of, outcome });
    requests(of, attempts);
    characters(of, report.characters);
    audio(of, report.audioSeconds ?? 0);
    tokens(of, report.tokens ?? 0);
    if (attempts === 0) return;
    waiting(report.waitingMs / SECOND_MS, of);
    service(report.serviceMs / SECOND_MS, of);
  };
};
