import { AsyncLocalStorage } from 'node:async_hooks';
import { hash } from 'node:crypto';

/** The place of work in a trace (W3C Trace Context, "traceparent"). */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** True when the spans of the trace are kept. */
  readonly isSampled: boolean;
}

const current = new AsyncLocalStorage<TraceContext>();

/** The context of the work that is under way; undefined outside of any trace. */
export const currentTrace = (): TraceContext | undefined => current.getStore();

/** Calls `run`, and all that it begins, as a part of a trace. */
export const inTrace = <T>(context: TraceContext, run: () => T): T => current.run(context, run);

const TRACE_DIGITS = 32;
const SPAN_DIGITS = 16;

/**
 * The ids of the trace of a thing, derived from what it is known by, so that every process gives it
 * the same; the span is the trace's root.
 */
export const traceIdsOf = (...key: readonly string[]): Omit<TraceContext, 'isSampled'> => {
  const digits = hash('sha256', JSON.stringify(key), 'hex');
  return {
    traceId: digits.slice(0, TRACE_DIGITS),
    spanId: digits.slice(TRACE_DIGITS, TRACE_DIGITS + SPAN_DIGITS),
  };
};

export const traceparentOf = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;

const TRACEPARENT = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})$/;
const SAMPLED_FLAG = 1;

/** Reads a `traceparent` header; undefined where it is missing or malformed. */
export const parseTraceparent = (header: string | undefined): TraceContext | undefined => {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(header ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED_FLAG) !== 0 };
};
