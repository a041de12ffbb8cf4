import { randomUUID } from 'node:crypto';
import { AppError } from '../errors.ts';
import { currentTrace, inTrace, traceIdsOf, type TraceContext } from './trace-context.ts';

/** Facts of a span: counts and names of ours, never texts or ids of people. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** A span that has ended. */
export interface SpanRecord {
  readonly name: string;
  readonly kind: 'internal' | 'client' | 'server';
  readonly context: TraceContext;
  /** Id of the span of which it is a part; undefined for the root of a trace. */
  readonly parentId: string | undefined;
  /** Beginning and end, ms since 1970. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: SpanAttributes;
  /** Code of the error that ended it. */
  readonly error: string | undefined;
}

export interface SpanStart {
  readonly name: string;
  /** Default: `internal`. */
  readonly kind?: SpanRecord['kind'];
  /** The span of which it is a part. Default: the current one. */
  readonly parent?: TraceContext | undefined;
  readonly attributes?: SpanAttributes;
}

/** A span under way. It is kept once it has ended, and only then. */
export interface OpenSpan {
  /** The context of what is done within it; undefined outside of any trace. */
  readonly context: TraceContext | undefined;
  /** Ends the span; only the first call counts. */
  end(options?: {
    readonly attributes?: SpanAttributes;
    /** The error that ended it, if it failed. */
    readonly fault?: unknown;
    /** True for the root of its trace, whose ids are those of its parent. */
    readonly isRoot?: boolean;
  }): void;
}

/** Follows work through the program, and through the processes that share it. */
export interface Tracing extends AsyncDisposable {
  /** True when spans are kept. */
  readonly isOn: boolean;
  /** The context of the root of the trace of a thing. */
  readonly contextOf: (...key: readonly string[]) => TraceContext;
  readonly start: (start: SpanStart) => OpenSpan;
}

export interface TracingDeps {
  /** Share of the traces that are kept, 0 to 1; the same ones in every process. */
  readonly share: number;
  /** Keeps a span. Must not throw. */
  readonly record: (span: SpanRecord) => void;
  readonly now?: () => number;
  /** Ends the keeping; what is left is sent before. */
  readonly close: () => Promise<void>;
}

/** Takes 16 random digits of a UUID, which Node makes many of at once. */
const newSpanId = (): string => {
  const digits = randomUUID().replaceAll('-', '');
  return digits.slice(0, 12) + digits.slice(-4);
};

/** Digits of a trace's id that decide whether it is kept, and the number of their values. */
const DECIDING_DIGITS = 8;
const DECIDING_VALUES = 16 ** DECIDING_DIGITS;

const codeOf = (fault: unknown): string => (fault instanceof AppError ? fault.code : 'internal');

export const createTracing = ({ share, record, now = Date.now, close }: TracingDeps): Tracing => ({
  isOn: true,
  contextOf: (...key) => {
    const ids = traceIdsOf(...key);
    const place = Number.parseInt(ids.traceId.slice(0, DECIDING_DIGITS), 16) / DECIDING_VALUES;
    return { ...ids, isSampled: place < share };
  },
  start: ({ name, kind = 'internal', parent = currentTrace(), attributes = {} }) => {
    if (!parent?.isSampled) return { context: parent, end: () => undefined };
    const startMs = now();
    const context = { ...parent, spanId: newSpanId() };
    let isOver = false;
    return {
      context,
      end: ({ attributes: more = {}, fault, isRoot = false } = {}) => {
        if (isOver) return;
        isOver = true;
        record({
          name,
          kind,
          context: isRoot ? parent : context,
          parentId: isRoot ? undefined : parent.spanId,
          startMs,
          endMs: now(),
          attributes: { ...attributes, ...more },
          error: fault === undefined ? undefined : codeOf(fault),
        });
      },
    };
  },
  [Symbol.asyncDispose]: close,
});

/** Tracing that keeps no span. Contexts are there all the same, for the log. */
export const NO_TRACING: Tracing = {
  isOn: false,
  contextOf: (...key) => ({ ...traceIdsOf(...key), isSampled: false }),
  start: ({ parent = currentTrace() }) => ({ context: parent, end: () => undefined }),
  [Symbol.asyncDispose]: async () => undefined,
};

/**
 * Runs work as a span.
 *
 * @param faultIn finds the fault in a result that tells of one
 */
export const traced = async <T>(
  tracing: Tracing,
  start: SpanStart,
  run: () => Promise<T>,
  faultIn: (result: T) => unknown = () => undefined,
): Promise<T> => {
  const span = tracing.start(start);
  try {
    const result = await (span.context ? inTrace(span.context, run) : run());
    span.end({ fault: faultIn(result) });
    return result;
  } catch (thrown) {
    span.end({ fault: thrown });
    throw thrown;
  }
};
