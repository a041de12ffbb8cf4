import { type AppError, toAppError } from '../errors.ts';
import { keyOf } from '../model/place.ts';
import { createEndpointBreaker } from './breaker.ts';
import type { OpenReport } from './call-report.ts';
import type { CallOptions } from './caller.ts';
import type { Deadline } from './retry.ts';
import {
  createRequestScheduler,
  type RequestOutcome,
  type RequestSchedulerDeps,
} from './scheduler/scheduler.ts';
import { isRefusedForNow, ServiceError } from './service-error.ts';

/** The way of every request to one endpoint: through its scheduler, then its breaker. */
export interface Gate {
  /**
   * Resolves when a request may be sent, with the function that takes its end: what it threw, if
   * anything. Rejects with a `NotSentError`, and with the signal's reason.
   */
  enter(
    options: CallOptions,
    deadline: Deadline,
    report: OpenReport,
    isAgain: boolean,
  ): Promise<(thrown?: unknown) => void>;
  /** True while the endpoint does not answer. */
  readonly isOpen: () => boolean;
}

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
export const createGate = ({ refused, opened, ...deps }: GateDeps): Gate => {
  const { clock } = deps;
  const scheduler = createRequestScheduler(deps);
  const breaker = createEndpointBreaker((error) => {
    scheduler.shed(error);
    opened?.();
  }, clock);
  return {
    isOpen: breaker.isOpen,
    enter: async (options, { signal, endsAtMs }, report, isAgain) => {
      const { lane, space } = options;
      const leftMs = endsAtMs - performance.now();
      // A request that could not be sent takes no place.
      breaker.assertClosed();
      const asked = { lane, space: keyOf(space), signal, leftMs, isAgain };
      const permit = await scheduler.admit(asked);
      try {
        const became = breaker.enter();
        const sentMs = clock.nowMs();
        report.sent(permit.waitedMs);
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
