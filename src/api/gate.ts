import { type AppError, toAppError } from '../errors.ts';
import { keyOf } from '../model/place.ts';
import type { OpenReport } from './call-report.ts';
import type { CallOptions } from './caller.ts';
import type { Deadline } from './retry.ts';
import {
  createRequestScheduler,
  type RequestOutcome,
  type RequestSchedulerDeps,
  NotSentError,
} from './scheduler/scheduler.ts';
import { isRefusedForNow, ServiceError } from './service-error.ts';
import type { Clock } from '../async/clock.ts';

/** Stops requests to an endpoint that does not answer, and lets one through now and then. */
export type EndpointBreaker = ReturnType<typeof createEndpointBreaker>;

/** Failures in a row after which nothing is sent. */
const FAILURES = 10;
/** Most of them that a space's own requests can be the reason of, so that none shuts out the others. */
const MOST_OF_SPACE = FAILURES / 2;
/** Time after which one request is sent to see if it answers again. */
const PROBE_AFTER_MS = 2_000;

/**
 * The end of a request: `failed` says that the service fails, `broke` that it failed at this request
 * (500), of which its text may be the reason.
 */
type End = 'answered' | 'failed' | 'broke' | 'left';

/** A state in which nothing is sent: until a time, or until a probe that is under way has ended. */
type Shut = { readonly untilMs: number } | 'probing';

const notAnswering = (retryAfterMs: number): NotSentError =>
  new NotSentError('unavailable', 'the service does not answer', { retryAfterMs });

/** @param opened called when nothing is sent any more */
export const createEndpointBreaker = (
  opened: (error: NotSentError) => void,
  { nowMs }: Pick<Clock, 'nowMs'>,
) => {
  let failures = 0;
  /** Numbers of requests that broke since the last answer, by space. */
  const broken = new Map<string, number>();
  let shut: Shut | undefined;

  const counted = (): number =>
    [...broken.values()].reduce((sum, count) => sum + Math.min(MOST_OF_SPACE, count), failures);
  const reset = (): void => {
    failures = 0;
    broken.clear();
  };

  const open = (): void => {
    shut = { untilMs: nowMs() + PROBE_AFTER_MS };
    opened(notAnswering(PROBE_AFTER_MS));
  };
  const assertClosed = (): void => {
    // Others do not wait for the probe, which may take long.
    if (shut === 'probing') throw notAnswering(PROBE_AFTER_MS);
    const leftMs = shut ? shut.untilMs - nowMs() : 0;
    if (leftMs > 0) throw notAnswering(leftMs);
  };
  return {
    /** Throws a `NotSentError` while the endpoint does not answer, and changes nothing. */
    assertClosed,
    /** True while nothing is sent, or only a probe. */
    isOpen: (): boolean => shut !== undefined,
    /**
     * Lets a request of a space be sent; returns the function that takes what became of it. Throws as
     * `assertClosed` does.
     */
    enter: (space: string): ((became: End) => void) => {
      assertClosed();
      const isProbe = shut !== undefined;
      if (isProbe) shut = 'probing';
      return (became) => {
        if (isProbe) {
          // A probe whose asker left tells nothing, so the next one has to.
          if (became !== 'answered') return open();
          reset();
          shut = undefined;
          return;
        }
        // Who leaves tells nothing, nor does what was sent before it opened.
        if (shut || became === 'left') return;
        if (became === 'answered') return reset();
        if (became === 'failed') failures += 1;
        else broken.set(space, (broken.get(space) ?? 0) + 1);
        if (counted() >= FAILURES) open();
      };
    },
  };
};

/** The way of every request to one endpoint: through its scheduler, then its breaker. */
export type Gate = ReturnType<typeof createGate>;

/** Statuses of 500 and above that may be about one request: an internal error, not implemented. */
const BROKE = new Set([500, 501]);

/** True for an error which says that the service fails, whoever asks for whatever. */
const isFailure = (error: AppError, hasFallback: boolean): boolean => {
  if (error instanceof ServiceError) return error.status >= 500;
  // Those who have another way set deadlines that a good service may miss.
  if (error.code === 'timeout') return !hasFallback;
  return error.code === 'unavailable';
};

const outcomeOf = (thrown: unknown, { hasFallback = false }: CallOptions): RequestOutcome => {
  if (thrown === undefined) return { kind: 'answered' };
  const error = toAppError(thrown);
  if (isRefusedForNow(error)) return { kind: 'refused', retryAfterMs: error.retryAfterMs };
  if (error instanceof ServiceError && BROKE.has(error.status)) return { kind: 'broke' };
  if (isFailure(error, hasFallback)) return { kind: 'failed' };
  // Other refusals are answers; an abort tells nothing of the service.
  return {
    kind: error instanceof ServiceError || error.code === 'bad-reply' ? 'answered' : 'left',
  };
};

export interface GateDeps extends RequestSchedulerDeps {
  /** Called when the service refuses a request for now. */
  readonly refused?: () => void;
  /** Called when the endpoint does not answer any more. */
  readonly opened?: () => void;
}

/** Creates the gate of one endpoint with one key. */
export const createGate = ({ refused, opened, ...deps }: GateDeps) => {
  const { clock } = deps;
  const scheduler = createRequestScheduler(deps);
  const breaker = createEndpointBreaker((error) => {
    scheduler.shed(error);
    opened?.();
  }, clock);
  return {
    /** True while the endpoint does not answer. */
    isOpen: breaker.isOpen,
    /**
     * Resolves when a request may be sent, with the function that takes its end: what it threw, if
     * anything. Rejects with a `NotSentError`, and with the signal's reason.
     */
    enter: async (
      options: CallOptions,
      { signal, endsAtMs }: Deadline,
      report: OpenReport,
      wasRefused: boolean,
    ): Promise<(thrown?: unknown) => void> => {
      const { lane } = options;
      const space = keyOf(options.space);
      const leftMs = endsAtMs - performance.now();
      // A request that could not be sent takes no place.
      breaker.assertClosed();
      options.underWay?.(false);
      const asked = { lane, space, signal, leftMs, wasRefused };
      const permit = await scheduler.admit(asked);
      try {
        const became = breaker.enter(space);
        const sentMs = clock.nowMs();
        report.sent(permit.waitedMs);
        options.underWay?.(true);
        let isOver = false;
        return (thrown) => {
          if (isOver) return;
          isOver = true;
          report.served(clock.nowMs() - sentMs);
          const outcome = outcomeOf(thrown, options);
          if (outcome.kind === 'refused') refused?.();
          became(outcome.kind === 'refused' ? 'answered' : outcome.kind);
          permit.settle(outcome);
        };
      } catch (thrown) {
        permit.settle({ kind: 'left' });
        throw thrown;
      }
    },
  };
};
