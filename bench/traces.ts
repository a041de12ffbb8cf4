import { context, SpanKind, trace, type Context } from '@opentelemetry/api';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { openTracing, tracingSection } from '../src/telemetry/open-telemetry.ts';
import { endSpan, NO_TRACING, traceparentOf, type Tracing } from '../src/telemetry/tracing.ts';
import { comparePair, fixed, printTable, type Result } from './measure.ts';

/**
 * The spans of one message: accepted, prepared with one call of the service, posted. The common way is the SDK's
 * tracer with random ids and no spans where it has no collector. Neither reaches one here.
 */

const MESSAGES = { rounds: 9, calls: 2_000 };
const NOWHERE = 'http://127.0.0.1:9';

let message = 0;

const followed = (tracing: Tracing) => async (): Promise<void> => {
  message += 1;
  const { tracer, startRoot, rootOf } = tracing;
  const root = rootOf('discord', '200000000000000001', String(message), 'watch');
  startRoot('accept', root, { attributes: { platform: 'discord' } }).end();
  const prepare = tracer.startSpan('prepare', { attributes: { attempt: 1 } }, root);
  await context.with(trace.setSpan(root, prepare), async () => {
    const call = tracer.startSpan('call translate', { kind: SpanKind.CLIENT });
    traceparentOf(call);
    await Promise.resolve(message);
    endSpan(call);
  });
  endSpan(prepare);
  tracer.startSpan('post', { attributes: { mirrors: 1 } }, root).end();
};

const common = (provider: { getTracer: TracerProvider['getTracer'] }) => {
  const tracer = provider.getTracer('bot');
  const step = async (
    name: string,
    within: Context,
    run: (inner: Context) => Promise<unknown>,
  ): Promise<void> => {
    const span = tracer.startSpan(name, { attributes: { platform: 'discord' } }, within);
    await run(trace.setSpan(within, span));
    span.end();
  };
  return async (): Promise<void> => {
    message += 1;
    await step('accept', context.active(), async (root) => {
      await step('prepare', root, async (inner) => step('call', inner, async () => message));
      await step('post', root, async () => message);
    });
  };
};

const on = await openTracing(tracingSection.parse({ OTEL_EXPORTER_OTLP_ENDPOINT: NOWHERE }), {
  warn: () => undefined,
});
const processor = new BatchSpanProcessor({
  exporter: { export: (_, done) => done({ code: 0 }), shutdown: async () => undefined },
});
const sdk = new TracerProvider({ spanProcessors: [processor] });
const none = { getTracer: () => trace.getTracer('none') };

const results: Result[] = [];
for (const [what, ours, theirs] of [
  ['a message without a collector', followed(NO_TRACING), common(none)],
  ['a message with a collector', followed(on), common(sdk)],
] as const) {
  const { oursUs, commonUs, ratio } = await comparePair(ours, theirs, MESSAGES);
  results.push({
    what,
    ours: `${fixed(oursUs, 1)} µs`,
    common: `${fixed(commonUs, 1)} µs`,
    ratio: fixed(ratio),
  });
}
printTable('Traces', results);
await sdk.shutdown();
process.exit();
