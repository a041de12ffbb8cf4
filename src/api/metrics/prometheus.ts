import { setImmediate } from 'node:timers/promises';
import { Counter, Histogram, Registry } from 'prom-client';
import type { OnCall } from '../call-report.ts';
import { BOUNDS_MS } from './recent-calls.ts';

const SECOND_MS = 1_000;
const BUCKETS_SECONDS = BOUNDS_MS.map((ms) => ms / SECOND_MS);

/**
 * Creates the metrics of Prometheus about calls of the service, since the start of the process. Labels
 * are endpoint, lane and outcome: nothing of spaces, people, texts or keys.
 */
export const createPrometheusMetrics = () => {
  const registry = new Registry();
  const registers = [registry];
  const labelNames = ['endpoint', 'lane'] as const;
  const counter = (name: string, help: string) =>
    new Counter({ name: `dragoman_service_${name}_total`, help, labelNames, registers });
  const times = (name: string, help: string) =>
    new Histogram({
      name: `dragoman_service_${name}_seconds`,
      help,
      labelNames,
      buckets: BUCKETS_SECONDS,
      registers,
    });

  const calls = new Counter({
    name: 'dragoman_service_calls_total',
    help: 'Calls of the service that have ended, by outcome.',
    labelNames: ['endpoint', 'lane', 'outcome'],
    registers,
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

  const onCall: OnCall = ({ endpoint, lane, outcome, attempts, ...report }) => {
    const labels = { endpoint, lane };
    calls.inc({ ...labels, outcome });
    requests.inc(labels, attempts);
    characters.inc(labels, report.characters);
    audio.inc(labels, report.audioSeconds ?? 0);
    tokens.inc(labels, report.tokens ?? 0);
    if (attempts === 0) return;
    waiting.observe(labels, report.waitingMs / SECOND_MS);
    service.observe(labels, report.serviceMs / SECOND_MS);
  };

  return {
    onCall,
    /**
     * Resolves with all of it in the text format of Prometheus, as `registry.metrics` makes it; the
     * event loop runs between two metrics.
     */
    text: async (): Promise<string> => {
      const texts: string[] = [];
      for (const { name } of registry.getMetricsAsArray()) {
        texts.push(await registry.getSingleMetricAsString(name));
        await setImmediate();
      }
      return `${texts.join('\n\n')}\n`;
    },
    mediaType: registry.contentType,
  };
};
