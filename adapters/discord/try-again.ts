import { backoffMs, type Backoff } from '../../src/async/backoff.ts';
import { realClock, sleep } from '../../src/async/clock.ts';
import { toAppError, type AppError } from '../../src/errors.ts';

const BACKOFF: Backoff = { firstMs: 1_000, longestMs: 60_000 };

export interface TryAgainOptions {
  /** Calls it off. */
  readonly signal: AbortSignal;
  /** Told of each further fault. */
  readonly failed: (fault: AppError) => void;
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Does again what has failed, after longer and longer waits, until it works, no further try could, or
 * it is called off. Never rejects.
 */
export const tryAgain = async (
  work: () => Promise<void>,
  { signal, failed, sleep: wait = async (ms) => sleep(realClock, ms, signal) }: TryAgainOptions,
): Promise<void> => {
  for (let attempt = 0; ; attempt += 1) {
    await wait(backoffMs(BACKOFF, attempt), signal).catch(() => undefined);
    if (signal.aborted) return;
    try {
      await work();
      return;
    } catch (thrown) {
      if (signal.aborted) return;
      const fault = toAppError(thrown);
      failed(fault);
      if (!fault.retryable) return;
    }
  }
};
