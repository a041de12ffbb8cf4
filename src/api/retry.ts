import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs, type Backoff } from '../async/clock.ts';
import { toAppError, type AppError } from '../errors.ts';
import { NotSentError } from './scheduler/scheduler.ts';
import { isRefusedForNow } from './service-error.ts';

export interface RetryPolicy extends Backoff {
  /** Attempts altogether, the first included. */
  readonly attempts: number;
  /** True for an error after which another attempt is worthwhile. */
  readonly mayRetry: (error: AppError) => boolean;
  /** Takes a retry from what all calls of the key have together; false where none is left. */
  readonly takeRetry: () => boolean;
  readonly random: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

export const DEFAULT_RETRY: RetryPolicy = {
  attempts: 4,
  firstMs: 300,
  longestMs: 10_000,
  mayRetry: ({ retryable }) => retryable,
  takeRetry: () => true,
  random: Math.random,
  sleep: async (ms, signal) => {
    await delay(ms, undefined, { signal });
  },
};

/**
 * The wait before the next attempt. When the server named a time, that time and a little jitter
 * after it, so that waiting callers do not all return at the same moment.
 */
const waitBeforeMs = (policy: RetryPolicy, attempt: number, { retryAfterMs }: AppError): number =>
  retryAfterMs === undefined ? backoffMs(policy, attempt) : retryAfterMs + backoffMs(policy, 0);

/** The deadline of a job, to be disposed of when the job has ended, for its timer would outlive it. */
export interface Deadline extends Disposable {
  /** Signal of the caller or of the deadline, whichever aborts first. */
  readonly signal: AbortSignal;
  readonly endsAtMs: number;
}

/** Starts the deadline of a job, which includes waits between attempts. */
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

/** The number of an attempt, from 0, and whether it repeats one that the service refused (429). */
export interface AttemptNumber {
  readonly number: number;
  readonly wasRefused: boolean;
}

const FIRST: AttemptNumber = { number: 0, wasRefused: false };

/**
 * Waits before the next attempt and resolves with it. Throws the error itself when it is final, when
 * no attempts are left, or when the wait would outlast the deadline.
 */
const waitOrThrow = async (
  policy: RetryPolicy,
  deadline: Deadline,
  { number }: AttemptNumber,
  thrown: unknown,
): Promise<AttemptNumber> => {
  deadline.signal.throwIfAborted();
  const error = toAppError(thrown);
  const next = { number: number + 1, wasRefused: false };
  const endsWithin = (waitMs: number): boolean => performance.now() + waitMs < deadline.endsAtMs;
  // The scheduler makes it wait, and lets others with more urgent requests go first.
  if (isRefusedForNow(error) && endsWithin(error.retryAfterMs ?? 0))
    return { number, wasRefused: true };
  const isUnsent = error instanceof NotSentError;
  const isFinal = isUnsent ? number === 0 || error.code !== 'unavailable' : !policy.mayRetry(error);
  if (isFinal || next.number >= policy.attempts) throw error;
  const waitMs = waitBeforeMs(policy, number, error);
  if (!endsWithin(waitMs) || !(isUnsent || policy.takeRetry())) throw error;
  await policy.sleep(waitMs, deadline.signal);
  return next;
};

/** Repeats `run` on retryable errors. Aborts and time-outs become `AppError`s. */
export const retrying = async <T>(
  policy: RetryPolicy,
  deadline: Deadline,
  run: (attempt: AttemptNumber) => Promise<T>,
): Promise<T> => {
  try {
    for (let attempt = FIRST; ;) {
      try {
        return await run(attempt);
      } catch (error) {
        attempt = await waitOrThrow(policy, deadline, attempt, error);
      }
    }
  } catch (error) {
    throw toAppError(error);
  }
};

/**
 * Repeats a stream of states on retryable errors. Each state replaces the one before: a stream that
 * breaks is started again, so its consumer may see a shorter state after a longer one.
 */
export const retryingStates = async function* <T, R>(
  policy: RetryPolicy,
  deadline: Deadline,
  run: (attempt: AttemptNumber) => AsyncGenerator<T, R, void>,
): AsyncGenerator<T, R, void> {
  try {
    for (let attempt = FIRST; ;) {
      try {
        return yield* run(attempt);
      } catch (error) {
        attempt = await waitOrThrow(policy, deadline, attempt, error);
      }
    }
  } catch (error) {
    throw toAppError(error);
  }
};
