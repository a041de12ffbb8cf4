import { type ErrorCode, toAppError } from '../errors.ts';
import type { Asker } from '../model/service.ts';
import type { Call, Endpoint } from './caller.ts';
import { NotSentError } from './scheduler/scheduler.ts';
import { ServiceError } from './service-error.ts';
import { SpanKind } from '@opentelemetry/api';
import { endSpan, traceparentOf, type Tracing } from '../telemetry/tracing.ts';

/** Facts and costs of one call; nothing of texts, audio or keys. */
export interface CallReport extends Asker {
  readonly endpoint: Endpoint;
  /** Time for which its requests waited to be sent. */
  readonly waitingMs: number;
  /** Time from sending to the end of the reply, of speech to its beginning; all attempts together. */
  readonly serviceMs: number;
  /** Requests that were sent; 0 where the call ended before. */
  readonly attempts: number;
  /**
   * The code of the error that ended it, or `answered`. What the service refuses a key that a space
   * brought says nothing of the service, so it is apart; a language that was only tried and that no
   * engine has is `unsupported`; a caller with a fallback who waits no longer has cancelled it.
   */
  readonly outcome: ErrorCode | 'answered' | 'own-key-refused';
  /** Code points of the text that was sent. */
  readonly characters: number;
  /** Length of the audio that was sent, where it is known. */
  readonly audioSeconds?: number;
  /** Tokens that the service counted, where its reply says so. */
  readonly tokens?: number;
}

/** Takes the report of each call when it has ended. Must not throw. */
export type OnCall = (report: CallReport) => void;

interface ReportedCall extends Pick<Call, 'endpoint' | 'characters'> {
  readonly options: Asker & Pick<Call['options'], 'audioMs' | 'isTrial' | 'hasFallback'>;
}

/** The report of a call that is under way. */
export type OpenReport = ReturnType<typeof openReport>;

/** Statuses that are about the account of a key: not valid, without credit, without access, too many. */
const ABOUT_ACCOUNT: ReadonlySet<number> = new Set([401, 402, 403, 429]);

const outcomeOf = (
  thrown: unknown,
  { isTrial = false, hasFallback = false }: ReportedCall['options'],
): CallReport['outcome'] => {
  if (thrown === undefined) return 'answered';
  const isOwn = thrown instanceof ServiceError && thrown.isOfOwnKey;
  if (isOwn && ABOUT_ACCOUNT.has(thrown.status)) return 'own-key-refused';
  const { code } = toAppError(thrown);
  const isGivenUp = hasFallback && (code === 'timeout' || thrown instanceof NotSentError);
  if (isGivenUp) return 'cancelled';
  return isTrial && code === 'missing' ? 'unsupported' : code;
};

export const openReport = ({ endpoint, options, characters = 0 }: ReportedCall, onCall: OnCall) => {
  const { lane, space, audioMs: knownMs } = options;
  let waitingMs = 0;
  let serviceMs = 0;
  let attempts = 0;
  let tokens: number | undefined;
  let audioMs = knownMs;
  let isOver = false;
  return {
    sent: (waitedMs: number): void => {
      waitingMs += waitedMs;
      attempts += 1;
    },
    served: (ms: number): void => {
      serviceMs += ms;
    },
    used: (count: number): void => {
      tokens = (tokens ?? 0) + count;
    },
    /** Notes the length of all audio so far. */
    heard: (ms: number): void => {
      audioMs = ms;
    },
    /** Hands the report over; only the first call counts. */
    end: (thrown?: unknown): void => {
      if (isOver) return;
      isOver = true;
      onCall({
        endpoint,
        lane,
        space,
        waitingMs: Math.round(waitingMs),
        serviceMs: Math.round(serviceMs),
        attempts,
        outcome: outcomeOf(thrown, options),
        characters,
        ...(audioMs === undefined ? {} : { audioSeconds: audioMs / 1_000 }),
        ...(tokens === undefined ? {} : { tokens }),
      });
    },
  };
};

/** The report of a call that is a span, too. */
export interface TracedReport extends OpenReport {
  /** Headers that tell the service of which trace its requests are. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface ReportOpenerDeps {
  readonly onCall: OnCall;
  readonly tracing: Tracing;
  /** True when requests tell the service of which trace they are. */
  readonly tellsTrace: boolean;
}

export const createReportOpener =
  ({ tracing, tellsTrace, onCall }: ReportOpenerDeps) =>
  (call: Call): TracedReport => {
    const { endpoint, options } = call;
    const attributes = { lane: options.lane };
    const span = tracing.tracer.startSpan(`call ${endpoint}`, {
      kind: SpanKind.CLIENT,
      attributes,
    });
    let fault: unknown;
    const report = openReport(call, (ended) => {
      onCall(ended);
      const { outcome, attempts, waitingMs } = ended;
      span.setAttributes({ outcome, attempts, waitingMs });
      endSpan(span, fault);
    });
    const traceparent = tellsTrace ? traceparentOf(span) : undefined;
    return {
      ...report,
      headers: traceparent === undefined ? {} : { traceparent },
      end: (thrown) => {
        fault = thrown;
        report.end(thrown);
      },
    };
  };
