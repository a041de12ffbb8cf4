import type { Metrics } from './metrics.ts';

const MICROSECONDS = 1e-6;

/** Declares the metrics of the process, with the names that Prometheus has for those of all programs. */
export const declareProcessMetrics = (metrics: Metrics): void => {
  const startedS = Math.round(Date.now() / 1_000 - process.uptime());
  metrics.gauge(
    {
      name: 'process_start_time_seconds',
      help: 'Start of the process, in seconds since 1970.',
    },
    () => startedS,
  );
  metrics.gauge({ name: 'process_resident_memory_bytes', help: 'Memory of the process.' }, () =>
    process.memoryUsage.rss(),
  );
  metrics.total(
    { name: 'process_cpu_seconds_total', help: 'Processor time of the process.' },
    () => {
      const { user, system } = process.cpuUsage();
      return (user + system) * MICROSECONDS;
    },
  );
};
