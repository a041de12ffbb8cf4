import { realClock, type Clock } from '../async/clock.ts';
import { setImmediate } from 'node:timers/promises';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Leases, Tenure, Work } from '../ports/processes.ts';

/** A metric as its owner declares it. Labels have few values: never a person, channel or space. */
export interface MetricDefinition<Label extends string = never> {
  /** Name by the conventions of Prometheus: `dragoman_…`, with the unit, and `_total` for a counter. */
  readonly name: string;
  /** One sentence: what is counted or measured. */
  readonly help: string;
  readonly labels?: readonly Label[];
}

interface CounterDefinition<Label extends string = never> extends MetricDefinition<Label> {
  /** The labels that begin at 0: an alert does not see the first value of what was not there before. */
  readonly known?: readonly Labels<Label>[];
}

export interface HistogramDefinition<Label extends string = never> extends MetricDefinition<Label> {
  /** Upper bounds, in the unit of the name. */
  readonly buckets: readonly number[];
}

type Labels<Label extends string> = Readonly<Record<Label, string>>;

/** Adds to a counter. A counter without labels takes none. */
export type Count<Label extends string> = [Label] extends [never]
  ? (by?: number) => void
  : (labels: Labels<Label>, by?: number) => void;

export type Observe<Label extends string> = [Label] extends [never]
  ? (value: number) => void
  : (value: number, labels: Labels<Label>) => void;

/** A value of a gauge, with the value of its label. */
export interface Sample<Label extends string> {
  readonly labels: Labels<Label>;
  readonly value: number;
}

/** Reads a gauge when the metrics are asked for. Where it rejects or hangs, the gauge is left out. */
export type Read<Label extends string> = () => [Label] extends [never]
  ? Promise<number | undefined> | number | undefined
  : Promise<readonly Sample<Label>[]> | readonly Sample<Label>[];

/**
 * The metrics of one program. Whoever measures declares its metrics here, once or again with the same
 * name. Tests pass a registry of their own.
 */
export interface Metrics {
  counter<Label extends string = never>(definition: CounterDefinition<Label>): Count<Label>;
  histogram<Label extends string = never>(definition: HistogramDefinition<Label>): Observe<Label>;
  gauge<Label extends string = never>(definition: MetricDefinition<Label>, read: Read<Label>): void;
  /** Counts what is counted elsewhere, read when the metrics are asked for. */
  total(definition: MetricDefinition, read: () => number): void;
  readonly mediaType: string;
  /**
   * Resolves with all metrics in the text format of Prometheus; the event loop runs between two of
   * them.
   */
  readonly text: () => Promise<string>;
}

/** Longest wait for a gauge, which may be in a database that hangs. */
const READ_MS = 2_000;

/** @param clock measures the wait for gauges; default: real time */
export const createMetrics = (clock: Pick<Clock, 'after'> = realClock): Metrics => {
  const registry = new Registry();
  const registers = [registry];

  const optionsOf = <Label extends string>(definition: MetricDefinition<Label>) => ({
    name: definition.name,
    help: definition.help,
    labelNames: [...(definition.labels ?? [])],
    registers,
  });
  return {
    counter: <Label extends string = never>(definition: CounterDefinition<Label>) => {
      const counter =
        (registry.getSingleMetric(definition.name) as Counter<Label> | undefined) ??
        new Counter<Label>(optionsOf(definition));
      for (const labels of definition.known ?? []) counter.inc(labels, 0);
      const count = definition.labels
        ? (labels: Labels<Label>, by = 1) => counter.inc(labels, by)
        : (by = 1) => counter.inc(by);
      return count as Count<Label>;
    },
    histogram: <Label extends string = never>(definition: HistogramDefinition<Label>) => {
      const buckets = [...definition.buckets];
      const histogram =
        (registry.getSingleMetric(definition.name) as Histogram<Label> | undefined) ??
        new Histogram<Label>({ ...optionsOf(definition), buckets });
      const observe = definition.labels
        ? (value: number, labels: Labels<Label>) => histogram.observe(labels, value)
        : (value: number) => histogram.observe(value);
      return observe as Observe<Label>;
    },
    gauge: <Label extends string = never>(
      definition: MetricDefinition<Label>,
      read: Read<Label>,
    ) => {
      void new Gauge<Label>({
        ...optionsOf(definition),
        async collect() {
          this.reset();
          // A gauge without labels starts at 0, which nobody has read.
          if (!definition.labels) this.remove();
          let values: number | readonly Sample<Label>[] | undefined;
          const late = Promise.withResolvers<undefined>();
          const cancel = clock.after(READ_MS, () => late.resolve(undefined));
          try {
            values = await Promise.race([read(), late.promise]);
          } catch {
            return;
          } finally {
            cancel();
          }
          if (typeof values === 'number') this.set(values);
          else for (const { labels, value } of values ?? []) this.set(labels, value);
        },
      });
    },
    total: (definition, read) => {
      void new Counter({
        ...optionsOf(definition),
        collect() {
          this.reset();
          this.inc(read());
        },
      });
    },
    mediaType: registry.contentType,
    text: async () => {
      const texts: string[] = [];
      for (const { name } of registry.getMetricsAsArray()) {
        texts.push(await registry.getSingleMetricAsString(name));
        await setImmediate();
      }
      return `${texts.join('\n\n')}\n`;
    },
  };
};

/** Declares the counter of the requests that a platform refused for now; the result counts one. */
export const declareRateLimited = (metrics: Metrics, platform: string): (() => void) => {
  const limited = metrics.counter({
    name: 'dragoman_platform_rate_limited_total',
    help: 'Requests that a platform refused for now (429).',
    labels: ['platform'],
    known: [{ platform }],
  });
  return () => limited({ platform });
};

export const measureLeases = (leases: Leases, metrics: Metrics): Leases => {
  const { renewalMs } = leases;
  let held = 0;
  metrics.gauge(
    { name: 'dragoman_leases_held', help: 'Leases that this process holds.' },
    () => held,
  );
  metrics.gauge(
    {
      name: 'dragoman_lease_renewal_seconds',
      help: 'Time that the database took for the last renewal of leases, or has taken for the one under way.',
    },
    () => (renewalMs?.() ?? 0) / 1_000,
  );
  const lost = metrics.counter({
    name: 'dragoman_leases_lost_total',
    help: 'Leases that ended before their holder gave them up.',
  });

  /** Counts a tenure as held until it is given up, which the result does, or lost. */
  const count = (tenure: Tenure, own?: AbortSignal): (() => void) => {
    const over = new AbortController();
    held += 1;
    const end = (): void => {
      if (over.signal.aborted) return;
      over.abort();
      held -= 1;
    };
    const lose = (): void => {
      // Its holder may end it by the same signal.
      if (!(own?.aborted ?? false)) lost();
      end();
    };
    tenure.signal.addEventListener('abort', lose, { once: true, signal: over.signal });
    return end;
  };

  return {
    ...leases,
    acquire: async (name, signal) => {
      const tenure = await leases.acquire(name, signal);
      const end = count(tenure, signal);
      return {
        ...tenure,
        release: async () => {
          end();
          await tenure.release();
        },
      };
    },
    share: (set, size, begin, options) => {
      const measured = (tenure: Tenure): Work => {
        const end = count(tenure);
        const work = begin(tenure);
        return {
          hear: (message) => work.hear(message),
          [Symbol.asyncDispose]: async () => {
            end();
            await work[Symbol.asyncDispose]();
          },
        };
      };
      return leases.share(set, size, measured, options);
    },
  };
};
