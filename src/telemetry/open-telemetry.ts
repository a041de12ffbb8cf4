import { z } from 'zod';
import { httpUrl } from '../config.ts';
import { ROOT_CONTEXT, trace, TraceFlags, type SpanContext } from '@opentelemetry/api';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { MINUTE_MS } from '../async/clock.ts';
import type { Log } from './log.ts';
import { NO_TRACING, rootContextOf, type Tracing } from './tracing.ts';

/** Reads `name=value,name=value`, as OpenTelemetry writes headers. */
const headerPairs = z.string().transform((text, ctx): Readonly<Record<string, string>> => {
  const pairs = text.split(',').map((pair) => pair.split(/=(.*)/s, 2).map((part) => part.trim()));
  if (pairs.every(([name, value]) => name && value)) return Object.fromEntries(pairs);
  ctx.addIssue('must be name=value pairs, separated by commas');
  return z.NEVER;
});

/** The variables of traces; they are named as everywhere with OpenTelemetry. */
export const tracingSection = z.object({
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl
    .optional()
    .describe('URL of an OpenTelemetry collector for traces, by OTLP over HTTP. Default: off.'),
  OTEL_EXPORTER_OTLP_HEADERS: headerPairs
    .optional()
    .describe('Headers for the collector: name=value, separated by commas.'),
  OTEL_SERVICE_NAME: z.string().default('dragoman').describe('Name of this program in traces.'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number({ error: 'must be a number from 0 to 1' })
    .min(0, 'must be 0 or more')
    .max(1, 'must be 1 or less')
    .default(1)
    .describe('Share of the messages that are traced, 0 to 1.'),
});

export type TracingConfig = z.infer<typeof tracingSection>;

/** Longest time of one request to the collector. */
const EXPORT_MS = 3_000;
/** Most spans that wait to be sent; above it, new ones are dropped. */
const MOST_WAITING = 2_048;
const VERSION = '1';

/** Loads the packages, which take memory only where spans are sent. */
const loadPackages = async () => {
  const [sdk, resources, exporter] = await Promise.all([
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  return { sdk, resources, exporter };
};

/** Logs now and then that spans cannot be sent. */
const warning = (exporter: SpanExporter, log: Pick<Log, 'warn'>): SpanExporter => {
  let warnedMs = Number.NEGATIVE_INFINITY;
  const isDue = (): boolean => performance.now() - warnedMs >= MINUTE_MS;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error && isDue()) {
          warnedMs = performance.now();
          log.warn({ err: result.error }, 'traces could not be sent');
        }
        done(result);
      }),
    shutdown: async () => exporter.shutdown(),
  };
};

/**
 * Opens tracing: with a collector, or else without spans, and then nothing is loaded. Rejects with
 * `config`.
 */
export const openTracing = async (
  config: TracingConfig,
  log: Pick<Log, 'warn'>,
): Promise<Tracing> => {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers } = config;
  if (endpoint === undefined) return NO_TRACING;
  const { sdk, resources, exporter } = await loadPackages();
  const sender = new exporter.OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    timeoutMillis: EXPORT_MS,
    ...(headers ? { headers } : {}),
  });
  const processor = new sdk.BatchSpanProcessor({
    exporter: warning(sender, log),
    maxQueueSize: MOST_WAITING,
    exportTimeoutMillis: EXPORT_MS,
  });
  /** Ids of the next span; undefined: random ones. */
  let rootIds: SpanContext | undefined;
  const random = new sdk.RandomIdGenerator();
  const provider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({ 'service.name': config.OTEL_SERVICE_NAME }),
    spanProcessors: [processor],
    idGenerator: {
      generateTraceId: () => rootIds?.traceId ?? random.generateTraceId(),
      generateSpanId: () => rootIds?.spanId ?? random.generateSpanId(),
    },
    // A span without a trace is not sent; whether a trace is sampled stands in the ids of its root.
    sampler: new sdk.ParentBasedSampler({
      root: {
        shouldSample: () => {
          const isSampled =
            rootIds !== undefined && (rootIds.traceFlags & TraceFlags.SAMPLED) !== 0;
          const { RECORD_AND_SAMPLED, NOT_RECORD } = sdk.SamplingDecision;
          return { decision: isSampled ? RECORD_AND_SAMPLED : NOT_RECORD };
        },
      },
    }),
  });
  const tracer = provider.getTracer('dragoman', VERSION);
  return {
    isOn: true,
    tracer,
    startRoot: (name, root, options) => {
      rootIds = trace.getSpanContext(root);
      try {
        return tracer.startSpan(name, options, ROOT_CONTEXT);
      } finally {
        rootIds = undefined;
      }
    },
    rootOf: (...key) => rootContextOf(config.OTEL_TRACES_SAMPLER_ARG, ...key),
    [Symbol.asyncDispose]: async () => provider.shutdown().catch(() => undefined),
  };
};
