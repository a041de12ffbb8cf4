import { setTimeout as delay } from 'node:timers/promises';
import { toAppError, type AppError } from '../../src/errors.ts';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

export interface TryAgainOptions {
  /** Calls it off. */
  readonly signal: AbortSignal;
  /** Told of each further fault. */
  readonly failed: (fault: AppError) => void;
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

const wait = async (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { ref: false, signal });

/**
 * Does again what has failed, after longer and longer waits, until it works, no further try could, or
 * it is called off. Never rejects.
 */
export const tryAgain = async (
  work: () => Promise<void>,
  { signal, failed, sleep = wait }: TryAgainOptions,
): Promise<void> => {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    await sleep(waitMs, signal).catch(() => undefined);
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
