import { context, trace } from '@opentelemetry/api';
import { endSpan, type Tracing } from '../telemetry/tracing.ts';
import type { PartitionWorkerDeps } from './partition-worker.ts';
import { rootOf } from './traces.ts';

type Work = Pick<PartitionWorkerDeps, 'prepare' | 'reconcile'>;

/** Adds spans to the work on rows. */
export const traceWork = (tracing: Tracing, { prepare, reconcile }: Work): Work => ({
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
