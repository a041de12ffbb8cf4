import { orAborted } from './abort.ts';

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
