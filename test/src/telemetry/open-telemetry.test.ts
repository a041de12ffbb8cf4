import { trace } from '@opentelemetry/api';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { createServiceClient } from '../../../src/api/client.ts';
import type { RunningCore } from '../../../src/app/core.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import { openStore, type Store } from '../../../src/store/index.ts';
import {
  tracingSection,
  type TracingConfig,
  openTracing,
} from '../../../src/telemetry/open-telemetry.ts';
import { endSpan, NO_TRACING, type Tracing } from '../../../src/telemetry/tracing.ts';
import { startService } from '../../../service/index.ts';
import { watchOf } from '../../fakes/autotranslate.ts';
import { channel, createFakeFeed, type FakeFeed } from '../../fakes/channel-feed.ts';
import { createHastyClock } from '../../fakes/clock.ts';
import { startCollector, type CollectedSpan, type Collector } from '../../fakes/collector.ts';
import { openTestCore } from '../../fakes/open-core.ts';
import { engineConfig, KEY } from '../../service/support.ts';

const HERE = channel('here');

let collector: Collector;
let lines: Record<string, unknown>[];
let feed: FakeFeed;
let store: Store;
const log = createLog('info', {
  write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
});

beforeEach(async () => {
  collector = await startCollector();
  onTestFinished(() => collector[Symbol.asyncDispose]());
  lines = [];
  feed = createFakeFeed();
  store = await openStore('sqlite::memory:');
  onTestFinished(() => store.destroy());
});

const configOf = (part: Record<string, string> = {}): TracingConfig =>
  tracingSection.parse({ OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`, ...part });

/** A process: the core over a service, on the store that all of them share. */
const startProcess = async (tracing: Tracing, baseUrl: string): Promise<RunningCore> => {
  const client = createServiceClient({
    baseUrl,
    key: KEY,
    retry: { random: () => 0, sleep: async () => {} },
    clock: createHastyClock(),
    tracing,
    tellsTrace: true,
  });
  const running = await openTestCore({ client, store, log, tracing });
  running.attach({ platform: feed.platform, ready: () => true });
  return {
    ...running,
    [Symbol.asyncDispose]: async () => {
      await running[Symbol.asyncDispose]();
      await client[Symbol.asyncDispose]();
    },
  };
};

/** The built-in service, which translates into the pseudo-locale. */
const startOwnService = async (tracing: Tracing) => {
  const service = await startService({
    host: '127.0.0.1',
    port: 0,
    keys: [KEY],
    engines: engineConfig(),
    log,
    tracing,
  });
  return { url: service.url, [Symbol.asyncDispose]: () => service.close() };
};

const say = async ({ core }: RunningCore, text: string) => {
  const message = feed.say(HERE, text);
  await core.feedListener.messageChanged(message);
  return message;
};

/** The names of a trace's spans from its root to each, such as `accept > post`. */
const pathsOf = (spans: readonly CollectedSpan[]): string[] => {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const pathOf = ({ name, parentSpanId }: CollectedSpan): string => {
    const parent = parentSpanId === undefined ? undefined : byId.get(parentSpanId);
    if (parentSpanId !== undefined && !parent) return `? > ${name}`;
    return parent ? `${pathOf(parent)} > ${name}` : name;
  };
  return spans.map(pathOf).toSorted();
};

describe('a message', () => {
  it('has one trace from its event to its post, through the built-in service', async () => {
    const tracing = await openTracing(configOf(), log);
    await using service = await startOwnService(tracing);
    await using running = await startProcess(tracing, service.url);
    await running.core.services.watches.set([watchOf(HERE, { languages: ['en-XA'] })]);
    await say(running, 'Where is the station?');
    await running.autoTranslate.idle();
    expect(feed.texts(HERE)).toHaveLength(2);
    await tracing[Symbol.asyncDispose]();
    expect(pathsOf(collector.spans)).toEqual([
      'accept',
      'accept > post',
      'accept > prepare',
      'accept > prepare > call translate',
      'accept > prepare > call translate > serve',
    ]);
    const [traceId, ...others] = new Set(collector.spans.map((span) => span.traceId));
    expect(others).toEqual([]);
    expect(collector.programs).toEqual(new Set(['dragoman']));
    expect(lines.find(({ msg }) => msg === 'request')).toMatchObject({ trace_id: traceId });
    for (const { startTimeUnixNano, endTimeUnixNano } of collector.spans)
      expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
    expect(JSON.stringify(collector.spans)).not.toContain('station');
  });

  it('has the same trace in the process that goes on with it', async () => {
    const one = await openTracing(configOf({ OTEL_SERVICE_NAME: 'one' }), log);
    const other = await openTracing(configOf({ OTEL_SERVICE_NAME: 'other' }), log);
    await using service = await startOwnService(NO_TRACING);
    const first = await startProcess(one, 'http://127.0.0.1:9');
    await first.core.services.watches.set([watchOf(HERE, { languages: ['en-XA'] })]);
    const message = await say(first, 'Where is the station?');
    await first[Symbol.asyncDispose]();
    await one[Symbol.asyncDispose]();
    await using second = await startProcess(other, service.url);
    second.core.feedListener.messagesMissed([{ channel: HERE, newest: message.position }]);
    await second.autoTranslate.idle();
    expect(feed.texts(HERE)).toHaveLength(2);
    await other[Symbol.asyncDispose]();
    expect(collector.programs).toEqual(new Set(['one', 'other']));
    expect(new Set(collector.spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(pathsOf(collector.spans)).toEqual(
      expect.arrayContaining(['accept', 'accept > prepare', 'accept > post']),
    );
    expect(pathsOf(collector.spans).filter((path) => path.includes('?'))).toEqual([]);
  });

  it('has its id in the log, and no spans, where traces are off', async () => {
    const tracing = await openTracing(tracingSection.parse({}), log);
    expect(tracing).toBe(NO_TRACING);
    await using service = await startOwnService(tracing);
    await using running = await startProcess(tracing, service.url);
    await running.core.services.watches.set([watchOf(HERE, { languages: ['en-XA'] })]);
    const { ref } = await say(running, 'Where is the station?');
    await running.autoTranslate.idle();
    const root = tracing.rootOf(HERE.space.platform, HERE.id, ref.id, 'watch');
    const traceId = trace.getSpanContext(root)?.traceId;
    expect(lines.find(({ msg }) => msg === 'request')).toMatchObject({ trace_id: traceId });
    expect(collector.headers).toEqual([]);
  });
});

describe('a span', () => {
  it('has the code of what ended it, and nothing more', async () => {
    const tracing = await openTracing(configOf(), log);
    const root = tracing.rootOf('a');
    for (const fault of [
      new AppError('timeout', 'somebody’s words'),
      new Error('words'),
      undefined,
    ])
      endSpan(tracing.tracer.startSpan('a', {}, root), fault);
    await tracing[Symbol.asyncDispose]();
    expect(collector.spans.map(({ attributes, status }) => [status.code, attributes])).toEqual([
      [2, [{ key: 'error.type', value: { stringValue: 'timeout' } }]],
      [2, [{ key: 'error.type', value: { stringValue: 'internal' } }]],
      [0, []],
    ]);
    expect(JSON.stringify(collector.spans)).not.toContain('words');
  });

  it('is none outside of a trace, and none of a trace that is not sampled', async () => {
    const tracing = await openTracing(configOf(), log);
    tracing.tracer.startSpan('a').end();
    await tracing[Symbol.asyncDispose]();
    const unsampled = await openTracing(configOf({ OTEL_TRACES_SAMPLER_ARG: '0' }), log);
    const root = unsampled.rootOf('a');
    unsampled.startRoot('a', root, {}).end();
    unsampled.tracer.startSpan('b', {}, root).end();
    await unsampled[Symbol.asyncDispose]();
    expect(collector.spans).toEqual([]);
  });
});

describe('the collector', () => {
  const oneSpan = (tracing: Tracing): void => tracing.startRoot('a', tracing.rootOf('x'), {}).end();

  it('is sent the headers that are configured', async () => {
    const OTEL_EXPORTER_OTLP_HEADERS = 'authorization=Bearer abc=, x-team=one';
    const tracing = await openTracing(configOf({ OTEL_EXPORTER_OTLP_HEADERS }), log);
    oneSpan(tracing);
    await tracing[Symbol.asyncDispose]();
    expect(collector.headers).toMatchObject([{ authorization: 'Bearer abc=', 'x-team': 'one' }]);
  });

  it('that refuses delays nothing, and the log says so without its address', async () => {
    collector.status = 400;
    const tracing = await openTracing(configOf(), log);
    oneSpan(tracing);
    await tracing[Symbol.asyncDispose]();
    expect(collector.spans).toEqual([]);
    expect(lines).toMatchObject([{ msg: 'traces could not be sent' }]);
    expect(JSON.stringify(lines)).not.toContain(collector.url);
  });

  it.each(['authorization', 'a=b,c', '=b'])('has no headers such as %s', (headers) => {
    expect(() => configOf({ OTEL_EXPORTER_OTLP_HEADERS: headers })).toThrow('name=value');
  });
});
