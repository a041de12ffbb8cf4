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
