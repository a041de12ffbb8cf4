/** Time as a room needs it. */
export interface Clock {
  /** Monotonic. */
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

/** Waits for what is settled by itself, and no longer than to that time. */
export const waitUntil = async (
  { nowMs, after }: Clock,
  latestMs: number,
  settled: Promise<unknown>,
): Promise<void> => {
  const late = Promise.withResolvers<void>();
  const takeBack = after(latestMs - nowMs(), late.resolve);
  await Promise.race([settled, late.promise]).finally(takeBack);
};
