import { orAborted } from './abort.ts';

/** Creates the record of work that is under way. */
export const createRunning = () => {
  const all = new Set<Promise<unknown>>();
  return {
    /** Runs work; resolves and rejects as it does. */
    add: async <Result>(work: () => Promise<Result>): Promise<Result> => {
      const own = work();
      all.add(own);
      try {
        return await own;
      } finally {
        all.delete(own);
      }
    },
    /** Resolves when all that is under way at the call has ended; what begins later is not waited for. */
    settled: async (): Promise<void> => void (await Promise.allSettled(all)),
  };
};

/** Creates what wakes those who wait for a change. */
export const createWakeUp = () => {
  let count = 0;
  let next = Promise.withResolvers<void>();
  return {
    /** Number of calls of `wake` so far. */
    get count() {
      return count;
    },
    wake: (): void => {
      count += 1;
      next.resolve();
      next = Promise.withResolvers();
    },
    /** Resolves at the first call of `wake` after the first `since` ones. Rejects with the signal's reason. */
    wait: async (since: number, signal: AbortSignal): Promise<void> => {
      signal.throwIfAborted();
      if (count === since) await orAborted(next.promise, signal);
    },
  };
};
