import { context, type Context } from '@opentelemetry/api';
import type { Accepted, RowKey } from '../store/inbox/row.ts';
import { NO_TRACING, type Tracing } from '../telemetry/tracing.ts';

/** The root of the trace of a row, the same in every process. */
export const rootOf = (tracing: Tracing, { ref, purpose }: RowKey): Context =>
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
