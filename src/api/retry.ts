import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs, type Backoff } from '../async/backoff.ts';
import { toAppError, type AppError } from '../errors.ts';

export interface RetryPolicy extends Backoff {
  /** Tries altogether, the first included. */
  readonly attempts: number;
  /** True for an error that is worth another try. */
  readonly retries: (error: AppError) => boolean;
  readonly random: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

export const DEFAULT_RETRY: RetryPolicy = {
  attempts: 4,
  firstMs: 300,
  longestMs: 10_000,
  retries: ({ retryable }) => retryable,
  random: Math.random,
  sleep: async (ms, signal) => {
    await delay(ms, undefined, { signal });
  },
};

/**
 * The wait before the next try. Where the other side named a time, that time and a little jitter after
 * it, so that those who wait do not all come back at the same moment.
 */
const waitBeforeMs = (policy: RetryPolicy, attempt: number, { retryAfterMs }: AppError): number =>
  retryAfterMs === undefined ? backoffMs(policy, attempt) : retryAfterMs + backoffMs(policy, 0);

/** Disposed of when the job has ended: its timer would outlive it. */
export interface Deadline extends Disposable {
  /** The caller's signal or the deadline, whichever comes first. */
  readonly signal: AbortSignal;
  readonly endsAtMs: number;
}

/** Starts the one deadline of a job, waits between tries included. */
export const startDeadline = (caller: AbortSignal, deadlineMs: number): Deadline => {
  const late = new AbortController();
  const end = (): void => late.abort(new DOMException('the deadline has passed', 'TimeoutError'));
  const timer = setTimeout(end, Math.ceil(deadlineMs)).unref();
  return {
    signal: AbortSignal.any([caller, late.signal]),
    endsAtMs: performance.now() + deadlineMs,
    [Symbol.dispose]: () => clearTimeout(timer),
  };
};

/**
 * Waits before the next try, or throws what should reach the caller: the error itself when it is
 * final, when the tries are used up, or when the wait would outlast the deadline.
 */
const waitOrThrow = async (
  policy: RetryPolicy,
  deadline: Deadline,
  attempt: number,
  thrown: unknown,
): Promise<void> => {
  deadline.signal.throwIfAborted();
  const error = toAppError(thrown);
  if (!policy.retries(error) || attempt + 1 >= policy.attempts) throw error;
  const waitMs = waitBeforeMs(policy, attempt, error);
  if (performance.now() + waitMs >= deadline.endsAtMs) throw error;
  await policy.sleep(waitMs, deadline.signal);
};

/** Tries `run` again on retryable errors. Aborts and time-outs become `AppError`s. */
export const retrying = async <T>(
  policy: RetryPolicy,
  deadline: Deadline,
  run: () => Promise<T>,
): Promise<T> => {
  try {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await run();
      } catch (error) {
        await waitOrThrow(policy, deadline, attempt, error);
      }
    }
  } catch (error) {
    throw toAppError(error);
  }
};

/**
 * The same for a stream of states, each of which replaces the one before: a stream that breaks is
 * begun again, so its consumer may see a shorter state after a longer one.
 */
export const retryingStates = async function* <T, R>(
  policy: RetryPolicy,
  deadline: Deadline,
  run: () => AsyncGenerator<T, R, void>,
): AsyncGenerator<T, R, void> {
  try {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return yield* run();
      } catch (error) {
        await waitOrThrow(policy, deadline, attempt, error);
      }
    }
  } catch (error) {
    throw toAppError(error);
  }
};
