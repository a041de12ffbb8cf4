import { traced, type OpenSpan, type Tracing } from '../telemetry/tracing.ts';
import type { PartitionWorkerDeps } from './partition-worker.ts';
import { traceOf } from './traces.ts';

/** Adds spans to the work on rows. */
export const traceWork = (
  tracing: Tracing,
  { prepare, reconcile }: Pick<PartitionWorkerDeps, 'prepare' | 'reconcile'>,
): Pick<PartitionWorkerDeps, 'prepare' | 'reconcile'> => ({
  prepare: (row, options, signal) => {
    const attributes = { attempt: row.attempts };
    return traced(
      tracing,
      { name: 'prepare', parent: traceOf(tracing, row), attributes },
      () => prepare(row, options, signal),
      ({ fault }) => fault,
    );
  },
  reconcile: async (batch, tenure) => {
    const spans = batch.map(({ row, mirrors }): OpenSpan =>
      tracing.start({
        name: 'post',
        parent: traceOf(tracing, row),
        attributes: { mirrors: mirrors.length },
      }),
    );
    try {
      const done = await reconcile(batch, tenure);
      // The others are reconciled again.
      for (const span of spans.slice(0, done)) span.end();
      return done;
    } catch (fault) {
      for (const span of spans) span.end({ fault });
      throw fault;
    }
  },
});
