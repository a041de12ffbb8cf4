import type { Clock } from '../async/clock.ts';
import { NotSentError } from './scheduler/not-sent-error.ts';

/** Stops requests to an endpoint that does not answer, and lets one through now and then. */
export interface EndpointBreaker {
  /** Throws a `NotSentError` while the endpoint does not answer, and changes nothing. */
  assertClosed(): void;
  /**
   * Lets a request be sent; returns the function that takes what became of it. Throws as
   * `assertClosed` does.
   */
  enter(): (became: 'answered' | 'failed' | 'left') => void;
  /** True while nothing is sent, or only a probe. */
  readonly isOpen: () => boolean;
}

/** Failures in a row after which nothing is sent. */
const FAILURES = 10;
/** Time after which one request is sent to see if it answers again. */
const PROBE_AFTER_MS = 2_000;

/** A state in which nothing is sent: until a time, or until a probe that is under way has ended. */
type Shut = { readonly untilMs: number } | 'probing';

const notAnswering = (retryAfterMs: number): NotSentError =>
  new NotSentError('unavailable', 'the service does not answer', { retryAfterMs });

/** @param opened called when nothing is sent any more */
export const createEndpointBreaker = (
  opened: (error: NotSentError) => void,
  { nowMs }: Pick<Clock, 'nowMs'>,
): EndpointBreaker => {
  let failures = 0;
  let shut: Shut | undefined;

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
    assertClosed,
    isOpen: () => shut !== undefined,
    enter: () => {
      assertClosed();
      const isProbe = shut !== undefined;
      if (isProbe) shut = 'probing';
      return (became) => {
        if (isProbe) {
          // A probe whose asker left tells nothing, so the next one has to.
          if (became !== 'answered') return open();
          failures = 0;
          shut = undefined;
          return;
        }
        // Who leaves tells nothing, nor does what was sent before it opened.
        if (shut || became === 'left') return;
        failures = became === 'failed' ? failures + 1 : 0;
        if (failures >= FAILURES) open();
      };
    },
  };
};
