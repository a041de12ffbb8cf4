import { hash } from 'node:crypto';
import {
  context,
  INVALID_SPAN_CONTEXT,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Span,
  type SpanOptions,
  type Tracer,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { AppError } from '../errors.ts';

context.setGlobalContextManager(new AsyncLocalStorageContextManager());

/** Follows work through the program, and through the processes that share it. */
export interface Tracing extends AsyncDisposable {
  /** True when spans are sent. */
  readonly isOn: boolean;
  /** Starts spans. Their attributes are counts and names of ours, never texts or ids of people. */
  readonly tracer: Pick<Tracer, 'startSpan'>;
  /** Starts the span at the root of a trace, whose ids are those of a context of `rootOf`. */
  readonly startRoot: (name: string, root: Context, options: SpanOptions) => Span;
  /** The context of the root of the trace of a thing, the same in every process. */
  readonly rootOf: (...key: readonly string[]) => Context;
}

const TRACE_DIGITS = 32;
const SPAN_DIGITS = 16;
/** Digits of a trace's id that decide whether it is sampled, and the number of their values. */
const DECIDING_DIGITS = 8;
const DECIDING_VALUES = 16 ** DECIDING_DIGITS;

/**
 * The context of the root of the trace of a thing, whose ids are derived from what it is known by.
 *
 * @param share share of the traces that are sampled, 0 to 1; the same ones in every process
 */
export const rootContextOf = (share: number, ...key: readonly string[]): Context => {
  const digits = hash('sha256', JSON.stringify(key), 'hex');
  const place = Number.parseInt(digits.slice(0, DECIDING_DIGITS), 16) / DECIDING_VALUES;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId: digits.slice(0, TRACE_DIGITS),
    spanId: digits.slice(TRACE_DIGITS, TRACE_DIGITS + SPAN_DIGITS),
    traceFlags: place < share ? TraceFlags.SAMPLED : TraceFlags.NONE,
  });
};

/** The span that work is a part of, as spans that are not recorded differ in nothing. */
const enclosing = (within: Context): Span =>
  trace.getSpan(within) ?? trace.wrapSpanContext(INVALID_SPAN_CONTEXT);

/** Tracing that sends no span. Contexts are there all the same, for the log. */
export const NO_TRACING: Tracing = {
  isOn: false,
  tracer: { startSpan: (_name, _options, within = context.active()) => enclosing(within) },
  startRoot: (_name, root) => enclosing(root),
  rootOf: (...key) => rootContextOf(0, ...key),
  [Symbol.asyncDispose]: async () => undefined,
};

/** The id of the trace of the work that is under way; undefined outside of any. */
export const currentTraceId = (): string | undefined => {
  const its = trace.getSpanContext(context.active());
  return its && isSpanContextValid(its) ? its.traceId : undefined;
};

/** Ends a span; `fault` is the error that ended it, of which only the code is sent. */
export const endSpan = (span: Span, fault?: unknown): void => {
  if (fault !== undefined) {
    span.setAttribute('error.type', fault instanceof AppError ? fault.code : 'internal');
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
};

/** The `traceparent` header (W3C Trace Context) of requests within a span; undefined outside of any trace. */
export const traceparentOf = (span: Span): string | undefined => {
  const its = span.spanContext();
  if (!isSpanContextValid(its)) return undefined;
  return `00-${its.traceId}-${its.spanId}-${its.traceFlags & TraceFlags.SAMPLED ? '01' : '00'}`;
};

const TRACEPARENT = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/;

/** Reads a `traceparent` header into a context; the root where it is missing or malformed. */
export const parseTraceparent = (header = ''): Context => {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(header) ?? [];
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  const its = { traceId, spanId, traceFlags, isRemote: true };
  return isSpanContextValid(its) ? trace.setSpanContext(ROOT_CONTEXT, its) : ROOT_CONTEXT;
};
