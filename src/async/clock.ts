import { orAborted } from './abort.ts';

/** A source of time; tests pass their own. */
export interface Clock {
  /** Monotonic time; its zero is unspecified. */
  readonly nowMs: () => number;
  /** Calls `run` once after the delay. Returns a function that cancels it. Keeps no process alive. */
  readonly after: (delayMs: number, run: () => void) => () => void;
}

export const realClock: Clock = {
  nowMs: () => performance.now(),
  after: (delayMs, run) => {
    const timer = setTimeout(run, Math.max(0, delayMs)).unref();
    return () => clearTimeout(timer);
  },
};

/** Least jump of the wall clock: below it, clocks are read at different moments or slewed. */
const JUMP_MS = 100;

/**
 * Creates the check by how many ms the wall clock was set forward (or back, less than 0) since the last call; 0 for not
 * at all.
 */
export const createJumpCheck = (
  now: () => number,
  { nowMs }: Pick<Clock, 'nowMs'>,
): (() => number) => {
  let aheadMs = now() - nowMs();
  return () => {
    const jumpMs = now() - nowMs() - aheadMs;
    if (Math.abs(jumpMs) < JUMP_MS) return 0;
    aheadMs += jumpMs;
    return jumpMs;
  };
};

/** Time within which a jump of the wall clock is noticed. */
const NOTICED_MS = 1_000;

/** Calls `run` after each jump of the wall clock, until the result is disposed of. */
export const onClockJump = (
  run: () => void,
  { now, clock }: { readonly now: () => number; readonly clock: Clock },
): Disposable => {
  const check = createJumpCheck(now, clock);
  let cancel: (() => void) | undefined;
  const lookLater = (): void => {
    cancel = clock.after(NOTICED_MS, () => {
      if (check() !== 0) run();
      lookLater();
    });
  };
  lookLater();
  return { [Symbol.dispose]: () => cancel?.() };
};

/** Resolves after the delay. Rejects with the signal's reason; keeps no process alive. */
export const sleep = async (
  { after }: Pick<Clock, 'after'>,
  delayMs: number,
  signal?: AbortSignal,
): Promise<void> => {
  const over = Promise.withResolvers<void>();
  const cancel = after(delayMs, over.resolve);
  try {
    await (signal ? orAborted(over.promise, signal) : over.promise);
  } finally {
    cancel();
  }
};

/** Waits until a promise is settled, at most until `latestMs`. Rejects as the promise does. */
export const waitUntil = async (
  { nowMs, after }: Clock,
  latestMs: number,
  settled: Promise<unknown>,
): Promise<void> => {
  const late = Promise.withResolvers<void>();
  const cancel = after(latestMs - nowMs(), late.resolve);
  await Promise.race([settled, late.promise]).finally(cancel);
};

/**
 * Runs work with a signal that is aborted as the given one is, and with the error `late` after the time.
 * Resolves and rejects as the work does.
 */
export const withTimeout = async <T>(
  { after }: Pick<Clock, 'after'>,
  limitMs: number,
  late: () => Error,
  work: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<T> => {
  const stop = new AbortController();
  const cancel = after(limitMs, () => stop.abort(late()));
  try {
    return await work(AbortSignal.any([stop.signal, signal]));
  } finally {
    cancel();
  }
};

const tooLong = (): Error => new DOMException('the work took too long', 'TimeoutError');

/**
 * Runs work as `withTimeout` does, and leaves it where it goes on after that; after the time, it rejects with a `TimeoutError`.
 *
 * @param signal default: one that is never aborted
 */
export const withDeadline = <T>(
  clock: Pick<Clock, 'after'>,
  limitMs: number,
  work: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal = AbortSignal.any([]),
): Promise<T> => withTimeout(clock, limitMs, tooLong, (own) => orAborted(work(own), own), signal);

/** Lengths of time. */
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Waits between tries that double from the first to the longest. */
export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
  /** Share of each wait that is used, from 0 to 1. `Math.random`: full jitter. Default: 1. */
  readonly random?: () => number;
}

/**
 * The wait before another try, in milliseconds.
 *
 * @param attempt counts from 0, which gives the first wait
 * @param leastMs shortest wait that the server asked for
 */
export const backoffMs = (
  { firstMs, longestMs, random = () => 1 }: Backoff,
  attempt: number,
  leastMs = 0,
): number => Math.max(leastMs, random() * Math.min(longestMs, firstMs * 2 ** attempt));
