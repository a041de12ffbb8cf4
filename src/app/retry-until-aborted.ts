import { backoffMs, type Backoff, realClock, sleep } from '../async/clock.ts';
import { toAppError, type AppError } from '../errors.ts';

const BACKOFF: Backoff = { firstMs: 1_000, longestMs: 60_000 };

export interface RetryUntilAbortedOptions {
  readonly signal: AbortSignal;
  /** Called with each further error. */
  readonly failed: (fault: AppError) => void;
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Retries failed work, with growing waits and no sooner than a fault asks for, until it succeeds, fails
 * permanently or is aborted.
 * Never rejects.
 */
export const retryUntilAborted = async (
  work: () => Promise<void>,
  {
    signal,
    failed,
    sleep: wait = async (ms) => sleep(realClock, ms, signal),
  }: RetryUntilAbortedOptions,
): Promise<void> => {
  let leastMs: number | undefined;
  for (let attempt = 0; ; attempt += 1) {
    await wait(backoffMs(BACKOFF, attempt, leastMs), signal).catch(() => undefined);
    if (signal.aborted) return;
    try {
      await work();
      return;
    } catch (thrown) {
      if (signal.aborted) return;
      const fault = toAppError(thrown);
      leastMs = fault.retryAfterMs;
      failed(fault);
      if (!fault.retryable) return;
    }
  }
};
