import type { Metrics, Sample } from './metrics.ts';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Clock, MINUTE_MS } from '../async/clock.ts';

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

/** Time between two beats of the heart. */
const BEAT_MS = 1_000;
/** A pause of the event loop from which on a health check fails. */
const STALL_MS = 5_000;
/** Time for which a stall is told after its end: to the requests that came while it lasted. */
const TOLD_MS = 1_000;
/**
 * Time between two samples of the delay, which the samples contain. At 20 ms, a process at rest takes
 * 30 to 40 ms of processor time in 10 s; at 50 ms, 10 to 20.
 */
const RESOLUTION_MS = 50;
const NS_PER_S = 1e9;
const S_PER_MS = 1e-3;

/** The delay's quantiles; 1 is the longest. */
const QUANTILES = [0.5, 0.99, 1] as const;

/** Tells whether the event loop turns. */
export const startHeartbeat = ({ nowMs, after }: Clock) => {
  let lastMs = nowMs();
  let stallEndedMs = Number.NEGATIVE_INFINITY;
  let cancel: () => void;
  const isLate = (): boolean => nowMs() - lastMs >= STALL_MS;
  const beat = (): void => {
    if (isLate()) stallEndedMs = nowMs();
    lastMs = nowMs();
    cancel = after(BEAT_MS, beat);
  };
  beat();
  return {
    /** True during a stall, and just after it, so that a request that waited through it hears of it. */
    isStalled: (): boolean => isLate() || nowMs() - stallEndedMs < TOLD_MS,
    [Symbol.dispose]: (): void => cancel(),
  };
};

/** The delay's part of an interface of Node, in ns. */
type DelayHistogram = Pick<
  ReturnType<typeof monitorEventLoopDelay>,
  'enable' | 'disable' | 'reset' | 'percentile' | 'max' | 'count'
>;

const createDelayHistogram = (): DelayHistogram =>
  monitorEventLoopDelay({ resolution: RESOLUTION_MS });

/**
 * Measures the event loop's delay: the longest values of this minute and the one before, so that what
 * happens between two requests for the metrics is seen by each of several readers.
 */
export const measureEventLoop = (
  metrics: Pick<Metrics, 'gauge'>,
  { after }: Pick<Clock, 'after'>,
  histogram = createDelayHistogram(),
): Disposable => {
  histogram.enable();
  const read = (): readonly number[] =>
    QUANTILES.map((quantile) => {
      if (histogram.count === 0) return 0;
      const ns = quantile === 1 ? histogram.max : histogram.percentile(quantile * 100);
      return Math.max(0, ns / NS_PER_S - RESOLUTION_MS * S_PER_MS);
    });
  let before: readonly number[] = [];
  let cancel: () => void;
  const turn = (): void => {
    cancel = after(MINUTE_MS, () => {
      before = read();
      histogram.reset();
      turn();
    });
  };
  turn();
  metrics.gauge(
    {
      name: 'dragoman_event_loop_delay_seconds',
      help: 'Delay of the event loop in the last one to two minutes, by quantile.',
      labels: ['quantile'],
    },
    () =>
      read().map((value, at): Sample<'quantile'> => ({
        labels: { quantile: String(QUANTILES[at]) },
        value: Math.max(value, before[at] ?? 0),
      })),
  );
  return {
    [Symbol.dispose]: () => {
      cancel();
      histogram.disable();
    },
  };
};
