import { orAborted } from './abort.ts';

/** Work that is under way. */
export interface Running {
  /** Runs work; resolves and rejects as it does. */
  add(work: () => Promise<void>): Promise<void>;
  /** Resolves when all that is under way at the call has ended; what begins later is not waited for. */
  settled(): Promise<void>;
}

export const createRunning = (): Running => {
  const all = new Set<Promise<void>>();
  return {
    add: async (work) => {
      const own = work();
      all.add(own);
      try {
        await own;
      } finally {
        all.delete(own);
      }
    },
    settled: async () => void (await Promise.allSettled(all)),
  };
};

/** Wakes those who wait for a change. */
export interface WakeUp {
  /** Number of calls of `wake` so far. */
  readonly count: number;
  wake(): void;
  /** Resolves at the first call of `wake` after the first `since` ones. Rejects with the signal's reason. */
  wait(since: number, signal: AbortSignal): Promise<void>;
}

export const createWakeUp = (): WakeUp => {
  let count = 0;
  let next = Promise.withResolvers<void>();
  return {
    get count() {
      return count;
    },
    wake: () => {
      count += 1;
      next.resolve();
      next = Promise.withResolvers();
    },
    wait: async (since, signal) => {
      signal.throwIfAborted();
      if (count === since) await orAborted(next.promise, signal);
    },
  };
};
