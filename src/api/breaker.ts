import {
  BrokenCircuitError,
  circuitBreaker,
  CircuitState,
  ConsecutiveBreaker,
  handleAll,
} from 'cockatiel';
import { NotSentError } from './scheduler/not-sent-error.ts';

/** Stops requests to an endpoint that does not answer, and lets one through now and then. */
export interface EndpointBreaker {
  /** Throws as `enter` rejects, and changes nothing. */
  assertClosed(): void;
  /**
   * Resolves when a request may be sent, with the function that takes what became of it. Rejects
   * with a `NotSentError` while the endpoint does not answer.
   */
  enter(): Promise<(became: 'answered' | 'failed' | 'left') => void>;
  /** True while nothing is sent, or only a probe. */
  readonly isOpen: () => boolean;
}

/** Failures in a row after which nothing is sent. */
const FAILURES = 10;
/** Time after which one request is sent to see if it answers again. */
const PROBE_AFTER_MS = 2_000;

const notAnswering = (retryAfterMs: number): NotSentError =>
  new NotSentError('unavailable', 'the service does not answer', { retryAfterMs });

/** @param opened called when nothing is sent any more */
export const createEndpointBreaker = (opened: (error: NotSentError) => void): EndpointBreaker => {
  const policy = circuitBreaker(handleAll, {
    halfOpenAfter: PROBE_AFTER_MS,
    breaker: new ConsecutiveBreaker(FAILURES),
  });
  let probeAtMs = 0;
  policy.onBreak(() => {
    probeAtMs = Date.now() + PROBE_AFTER_MS;
    opened(notAnswering(PROBE_AFTER_MS));
  });
  const assertClosed = (): void => {
    // The library would make others wait for the probe, which may take long.
    if (policy.state === CircuitState.HalfOpen) throw notAnswering(PROBE_AFTER_MS);
    const leftMs = probeAtMs - Date.now();
    if (policy.state === CircuitState.Open && leftMs > 0) throw notAnswering(leftMs);
  };
  return {
    assertClosed,
    isOpen: () => policy.state !== CircuitState.Closed,
    enter: async () => {
      assertClosed();
      const entered = Promise.withResolvers<void>();
      const ended = Promise.withResolvers<void>();
      const watched = policy.execute(async () => {
        entered.resolve();
        await ended.promise;
      });
      watched.catch(entered.reject);
      try {
        await entered.promise;
      } catch (thrown) {
        if (thrown instanceof BrokenCircuitError) throw notAnswering(PROBE_AFTER_MS);
        throw thrown;
      }
      return (became) => {
        // A probe whose asker left tells nothing, so the next one has to.
        const hasFailed =
          became === 'failed' || (became === 'left' && policy.state === CircuitState.HalfOpen);
        if (hasFailed) ended.reject(new Error('failed'));
        else ended.resolve();
      };
    },
  };
};
