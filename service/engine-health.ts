import { backoffMs, type Backoff } from '../src/async/backoff.ts';
import { realClock, type Clock } from '../src/async/clock.ts';

/** Time until a failed engine is tried again; it doubles with each further failure. */
const PAUSES: Backoff = { firstMs: 2_000, longestMs: 60_000 };

/** Memory of an engine's failures, for one ability. */
export interface EngineHealth {
  /**
   * True when a call may go to the engine: it works, or its pause is over. Then this call is the only
   * try until it succeeds or the next pause is over.
   */
  mayTry(): boolean;
  succeeded(): void;
  /** @param waitMs time that the engine itself asked to wait */
  failed(waitMs?: number): void;
}

export const createEngineHealth = (clock: Pick<Clock, 'nowMs'> = realClock): EngineHealth => {
  let failures = 0;
  let tryAgainAtMs = -Infinity;
  return {
    mayTry: () => {
      if (failures === 0) return true;
      if (clock.nowMs() < tryAgainAtMs) return false;
      tryAgainAtMs = clock.nowMs() + backoffMs(PAUSES, failures - 1);
      return true;
    },
    succeeded: () => {
      failures = 0;
    },
    failed: (waitMs = 0) => {
      failures += 1;
      tryAgainAtMs = clock.nowMs() + backoffMs(PAUSES, failures - 1, waitMs);
    },
  };
};
