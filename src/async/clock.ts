import { orAborted } from './abort.ts';

/** The passing of time; tests give their own. */
export interface Clock {
  /** Monotonic, of no known beginning. */
  readonly nowMs: () => number;
  /** Calls back once; the result takes it back. Keeps no process alive. */
  readonly after: (delayMs: number, run: () => void) => () => void;
}

export const realClock: Clock = {
  nowMs: () => performance.now(),
  after: (delayMs, run) => {
    const timer = setTimeout(run, Math.max(0, delayMs)).unref();
    return () => clearTimeout(timer);
  },
};

/** Waits so long. Rejects with the signal's reason; keeps no process alive. */
export const sleep = async (
  { after }: Pick<Clock, 'after'>,
  delayMs: number,
  signal?: AbortSignal,
): Promise<void> => {
  const over = Promise.withResolvers<void>();
  const takeBack = after(delayMs, over.resolve);
  try {
    await (signal ? orAborted(over.promise, signal) : over.promise);
  } finally {
    takeBack();
  }
};

/** Waits until a promise is settled, and no longer than to that time. Rejects as the promise does. */
export const waitUntil = async (
  { nowMs, after }: Clock,
  latestMs: number,
  settled: Promise<unknown>,
): Promise<void> => {
  const late = Promise.withResolvers<void>();
  const takeBack = after(latestMs - nowMs(), late.resolve);
  await Promise.race([settled, late.promise]).finally(takeBack);
};
