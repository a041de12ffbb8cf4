import type { HrTime } from '@opentelemetry/api';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { MINUTE_MS } from '../async/time.ts';
import type { Log } from './log.ts';
import type { TracingConfig } from './tracing-config.ts';
import { createTracing, NO_TRACING, type SpanRecord, type Tracing } from './tracing.ts';

/** Longest time of one request to the collector. */
const EXPORT_MS = 3_000;
/** Most spans that wait to be sent; above it, new ones are dropped. */
const MOST_WAITING = 2_048;
const SAMPLED_FLAG = 1;
const MS_PER_S = 1_000;
const NS_PER_MS = 1e6;
const VERSION = '1';

const timeOf = (ms: number): HrTime => [
  Math.floor(ms / MS_PER_S),
  Math.round((ms % MS_PER_S) * NS_PER_MS),
];

/** Loads the packages, which take memory only where spans are sent. */
const loadPackages = async () => {
  const [api, sdk, resources, exporter] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  return { api, sdk, resources, exporter };
};

/** Logs now and then that spans cannot be sent. */
const telling = (exporter: SpanExporter, log: Pick<Log, 'warn'>): SpanExporter => {
  let toldMs = Number.NEGATIVE_INFINITY;
  const isDue = (): boolean => performance.now() - toldMs >= MINUTE_MS;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error && isDue()) {
          toldMs = performance.now();
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
  const { api, sdk, resources, exporter } = await loadPackages();
  const sender = new exporter.OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    timeoutMillis: EXPORT_MS,
    ...(headers ? { headers } : {}),
  });
  const processor = new sdk.BatchSpanProcessor({
    exporter: telling(sender, log),
    maxQueueSize: MOST_WAITING,
    exportTimeoutMillis: EXPORT_MS,
  });
  const kinds = {
    internal: api.SpanKind.INTERNAL,
    client: api.SpanKind.CLIENT,
    server: api.SpanKind.SERVER,
  } as const;
  const shared = {
    resource: resources.resourceFromAttributes({ 'service.name': config.OTEL_SERVICE_NAME }),
    instrumentationScope: { name: 'dragoman', version: VERSION },
    links: [],
    events: [],
    ended: true,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };

  const toSpan = (span: SpanRecord): ReadableSpan => {
    const { context, parentId, error, startMs, endMs } = span;
    const contextOf = (spanId: string) => ({
      traceId: context.traceId,
      spanId,
      traceFlags: SAMPLED_FLAG,
    });
    return {
      ...shared,
      name: span.name,
      kind: kinds[span.kind],
      attributes: { ...span.attributes, ...(error === undefined ? {} : { 'error.type': error }) },
      status: { code: error === undefined ? api.SpanStatusCode.UNSET : api.SpanStatusCode.ERROR },
      spanContext: () => contextOf(context.spanId),
      ...(parentId === undefined ? {} : { parentSpanContext: contextOf(parentId) }),
      startTime: timeOf(startMs),
      endTime: timeOf(endMs),
      duration: timeOf(Math.max(0, endMs - startMs)),
    };
  };

  return createTracing({
    share: config.OTEL_TRACES_SAMPLER_ARG,
    record: (span) => processor.onEnd(toSpan(span)),
    close: async () => processor.shutdown().catch(() => undefined),
  });
};
