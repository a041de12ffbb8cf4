import { inTrace, type TraceContext } from '../telemetry/trace-context.ts';
import { NO_TRACING, type Tracing } from '../telemetry/tracing.ts';
import type { Accepted, RowKey } from '../store/inbox/row.ts';

/** The root of the trace of a row, the same in every process. */
export const traceOf = (tracing: Tracing, { ref, purpose }: RowKey): TraceContext =>
  tracing.contextOf(ref.channel.space.platform, ref.channel.id, ref.id, purpose);

/** Calls `run` so that lines that it logs bear the id of a row's trace. */
export const loggingOf = <T>(row: RowKey, run: () => T): T =>
  inTrace(traceOf(NO_TRACING, row), run);

/** Begins the span of an arrival; returns the function that takes what it was. */
export const startAccept = (tracing: Tracing, row: RowKey): ((was: Accepted) => void) => {
  const { platform } = row.ref.channel.space;
  const attributes = { platform };
  const span = tracing.start({ name: 'accept', parent: traceOf(tracing, row), attributes });
  return (was) => {
    if (was !== 'same') span.end({ isRoot: was === 'new', attributes: { was } });
  };
};
