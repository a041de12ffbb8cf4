import { context, type Context, trace } from '@opentelemetry/api';
import type { Accepted, RowKey, Row } from '../store/inbox/row.ts';
import { NO_TRACING, type Tracing, endSpan } from '../telemetry/tracing.ts';
import type { Tenure } from '../ports/processes.ts';
import type { Prepared } from './prepare/prepared.ts';

/** The root of the trace of a row, the same in every process. */
const rootOf = (tracing: Tracing, { ref, purpose }: RowKey): Context =>
  tracing.rootOf(ref.channel.space.platform, ref.channel.id, ref.id, purpose);

/** Calls `run` so that lines that it logs bear the id of a row's trace. */
export const loggingOf = <T>(row: RowKey, run: () => T): T =>
  context.with(rootOf(NO_TRACING, row), run);

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

/** Adds spans to the work on rows. */
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
