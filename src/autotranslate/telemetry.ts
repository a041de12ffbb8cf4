import { createCachedLook } from '../async/lru.ts';
import type { Metrics } from '../ops/metrics.ts';
import type { Store } from '../store/index.ts';
import type { Outcome, Accepted, RowKey, Row } from '../store/inbox/row.ts';
import { waitingWork } from '../store/inbox/backlog.ts';
import { context, type Context, trace } from '@opentelemetry/api';
import type { Log } from '../telemetry/log.ts';
import { NO_TRACING, type Tracing, endSpan } from '../telemetry/tracing.ts';
import type { Tenure } from '../ports/processes.ts';
import type { Prepared } from './prepare/prepared.ts';

const OUTCOMES: readonly Outcome['state'][] = ['posted', 'skipped', 'dead'];
const MS = 1_000;
/** Time for which a look at the inbox counts. */
const LOOK_LIFE_MS = 5_000;
/** Upper bounds in seconds: from a translation at once to one after an outage. */
const BUCKETS = [0.25, 0.5, 1, 1.5, 2, 3, 5, 10, 20, 30, 60, 120, 300, 900, 3_600];

/** Takes what becomes of messages in channels with auto-translate. */
export interface MessageMetrics {
  /** @param sinceMs time since which the message had no outcome, ms since 1970 */
  readonly settled: (platform: string, state: Outcome['state'], sinceMs: number) => void;
  /** Begins to count the outcomes of a platform. */
  readonly attached: (platform: string) => void;
}

export interface MessageMetricsDeps {
  readonly metrics: Metrics;
  readonly store: Store;
  readonly now: () => number;
}

export const declareMessageMetrics = (deps: MessageMetricsDeps): MessageMetrics => {
  const { metrics, store, now } = deps;
  const look = createCachedLook(() => waitingWork(store), LOOK_LIFE_MS, { nowMs: now });
  metrics.gauge(
    {
      name: 'dragoman_inbox_waiting_messages',
      help: 'Messages in the database that wait for an outcome, up to 5000. Edits in a pause don’t count.',
    },
    async () => (await look()).count,
  );
  metrics.gauge(
    {
      name: 'dragoman_inbox_oldest_waiting_seconds',
      help: 'Age of the message in the database that has waited longest for an outcome. Edits in a pause don’t count.',
    },
    async () => {
      const { oldestMs } = await look();
      return oldestMs === undefined ? 0 : Math.max(0, now() - oldestMs) / MS;
    },
  );
  const outcomes = metrics.counter({
    name: 'dragoman_messages_total',
    help: 'Messages that have an outcome: posted, skipped or dead.',
    labels: ['platform', 'outcome'],
  });
  const eventToPost = metrics.histogram({
    name: 'dragoman_event_to_post_seconds',
    help: 'Time from the event of a message to the end of its posts.',
    labels: ['platform'],
    buckets: BUCKETS,
  });
  return {
    attached: (platform) => {
      for (const outcome of OUTCOMES) outcomes({ platform, outcome }, 0);
    },
    settled: (platform, state, sinceMs) => {
      outcomes({ platform, outcome: state });
      if (state === 'posted') eventToPost(Math.max(0, now() - sinceMs) / MS, { platform });
    },
  };
};

/** The root of the trace of a row, the same in every process. */
const rootOf = (tracing: Tracing, { ref, purpose }: RowKey): Context =>
  tracing.rootOf(ref.channel.space.platform, ref.channel.id, ref.id, purpose);

/** Calls `run` so that lines that it logs bear the id of a row's trace. */
export const loggingOf = <T>(row: RowKey, run: () => T): T =>
  context.with(rootOf(NO_TRACING, row), run);

/** Logs why a message is not translated, for who looks for it: ids and the reason alone. */
export const logSkip = (log: Pick<Log, 'debug'>, row: RowKey, reason: string): void =>
  loggingOf(row, () => {
    const { ref, purpose } = row;
    const { platform } = ref.channel.space;
    log.debug({ platform, channel: ref.channel.id, message: ref.id, purpose, reason }, 'skipped');
  });

/** Begins the span of an arrival; returns the function that takes what it was. */
export const startAccept = (tracing: Tracing, row: RowKey): ((was: Accepted) => void) => {
  if (!tracing.isOn) return () => undefined;
  const startTime = Date.now();
  return (was) => {
    if (was === 'same') return;
    const root = rootOf(tracing, row);
    const options = { startTime, attributes: { platform: row.ref.channel.space.platform, was } };
    const { tracer, startRoot } = tracing;
    if (was === 'new') startRoot('accept', root, options).end();
    else tracer.startSpan('accept', options, root).end();
  };
};

/** The two steps of the work on rows. */
export interface RowWork {
  /** Prepares a row. Rejects with a retryable `AppError`; other faults are part of the result. */
  readonly prepare: (
    row: Row,
    options: { readonly isLast: boolean; readonly tenure: Tenure },
    signal: AbortSignal,
  ) => Promise<Prepared>;
  /** Reconciles prepared rows; see `createReconcile`. */
  readonly reconcile: (batch: readonly Prepared[], tenure: Tenure) => Promise<number>;
}

export const traceWork = (tracing: Tracing, { prepare, reconcile }: RowWork): RowWork => ({
  prepare: async (row, options, signal) => {
    const root = rootOf(tracing, row);
    const attributes = { attempt: row.attempts };
    const span = tracing.tracer.startSpan('prepare', { attributes }, root);
    try {
      const within = trace.setSpan(root, span);
      const prepared = await context.with(within, () => prepare(row, options, signal));
      endSpan(span, prepared.fault);
      return prepared;
    } catch (fault) {
      endSpan(span, fault);
      throw fault;
    }
  },
  reconcile: async (batch, tenure) => {
    const spans = batch.map(({ row, mirrors }) => {
      const attributes = { mirrors: mirrors.length };
      return tracing.tracer.startSpan('post', { attributes }, rootOf(tracing, row));
    });
    try {
      const done = await reconcile(batch, tenure);
      // The others are reconciled again.
      for (const span of spans.slice(0, done)) span.end();
      return done;
    } catch (fault) {
      for (const span of spans) endSpan(span, fault);
      throw fault;
    }
  },
});
