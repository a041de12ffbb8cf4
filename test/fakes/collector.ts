import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { serve } from './serve.ts';

const id = (digits: number) => z.string().regex(new RegExp(`^(?!0+$)[\\da-f]{${digits}}$`));
const time = z.string().regex(/^\d{19}$/);

const value = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ intValue: z.number() }),
  z.strictObject({ boolValue: z.boolean() }),
]);

const attribute = z.object({ key: z.string(), value });

/** A span as OTLP writes it in JSON (opentelemetry-proto, "trace.proto"). */
const span = z.object({
  traceId: id(32),
  spanId: id(16),
  parentSpanId: id(16).optional(),
  name: z.string().min(1),
  kind: z.number().min(1).max(5),
  startTimeUnixNano: time,
  endTimeUnixNano: time,
  attributes: z.array(attribute),
  status: z.object({ code: z.number() }),
});

const body = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(attribute) }),
      scopeSpans: z.array(
        z.object({ scope: z.object({ name: z.string() }), spans: z.array(span) }),
      ),
    }),
  ),
});

export type CollectedSpan = z.infer<typeof span>;

export interface Collector extends AsyncDisposable {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** Names of the programs that sent spans. */
  readonly programs: ReadonlySet<string>;
  /** Headers of each request. */
  readonly headers: readonly Readonly<Record<string, unknown>>[];
  /** Status of the next replies. Default: 200. */
  status: number;
}

/** A collector of OpenTelemetry on loopback, which takes only what is right in form. */
export const startCollector = async (): Promise<Collector> => {
  const spans: CollectedSpan[] = [];
  const programs = new Set<string>();
  const headers: Record<string, unknown>[] = [];
  const server = await serve((request, response) => {
    void (async () => {
      const sent = await text(request);
      headers.push(request.headers);
      const isTraces = request.method === 'POST' && request.url === '/v1/traces';
      const isJson = request.headers['content-type'] === 'application/json';
      if (collector.status !== 200 || !isTraces || !isJson) {
        response.writeHead(isTraces && isJson ? collector.status : 400).end();
        return;
      }
      const parsed = body.safeParse(JSON.parse(sent));
      if (!parsed.success) {
        response.writeHead(400).end(parsed.error.message);
        return;
      }
      for (const { resource, scopeSpans } of parsed.data.resourceSpans) {
        for (const { key, value: named } of resource.attributes)
          if (key === 'service.name' && 'stringValue' in named) programs.add(named.stringValue);
        spans.push(...scopeSpans.flatMap((scope) => scope.spans));
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    })();
  });
  const collector: Collector = {
    ...server,
    spans,
    programs,
    headers,
    status: 200,
  };
  return collector;
};
