import { orAborted } from './abort.ts';

/** The most callers that may wait for a permit, and the error for one more. */
export interface WaitingBound {
  readonly most: number;
  readonly full: () => Error;
}

export type Semaphore = ReturnType<typeof createSemaphore>;

/**
 * Creates a semaphore: permits for a bounded number of holders; waiting callers get theirs in the order of the calls.
 *
 * @param waiting bound of the queue. Default: unlimited
 */
export const createSemaphore = (permits: number, waiting?: WaitingBound) => {
  const waiters = new Map<() => void, (() => boolean) | undefined>();
  let free = permits;

  const nextWaiter = (): (() => void) | undefined => {
    for (const [admit, isUrgent] of waiters) if (isUrgent?.()) return admit;
    const [first] = waiters.keys();
    return first;
  };

  const permit = (): Disposable => {
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (!isHeld) return;
        isHeld = false;
        const next = nextWaiter();
        if (next) next();
        else free += 1;
      },
    };
  };

  /** Takes a permit if one is free. */
  const tryAcquire = (): Disposable | undefined => {
    if (free === 0) return undefined;
    free -= 1;
    return permit();
  };

  /**
   * Resolves with a permit, which is held until it is disposed of. Rejects with the signal's
   * reason, and with the bound's error when the queue is full.
   *
   * @param isUrgent asked when a permit is free: true to go before those that are not urgent
   */
  const acquire = async (signal?: AbortSignal, isUrgent?: () => boolean): Promise<Disposable> => {
    signal?.throwIfAborted();
    const atOnce = tryAcquire();
    if (atOnce) return atOnce;
    if (waiting && waiters.size >= waiting.most) throw waiting.full();
    const admitted = Promise.withResolvers<Disposable>();
    const admit = (): void => {
      waiters.delete(admit);
      admitted.resolve(permit());
    };
    const giveUp = (): void => {
      if (waiters.delete(admit)) admitted.reject(signal?.reason);
    };
    waiters.set(admit, isUrgent);
    signal?.addEventListener('abort', giveUp, { once: true });
    try {
      return await admitted.promise;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  };

  return {
    acquire,
    tryAcquire,
    /** Runs `work` while it holds a permit. Rejects as `acquire` and `work` do. */
    use: async <T>(
      work: () => Promise<T>,
      signal?: AbortSignal,
      isUrgent?: () => boolean,
    ): Promise<T> => {
      using _ = await acquire(signal, isUrgent);
      return await work();
    },
  };
};

/** Creates a lock per key: work for the same key runs in turn, in the order of the calls. */
export const createKeyedMutex = () => {
  /** The end of the last turn of each key in use. */
  const tails = new Map<string, Promise<void>>();
  return {
    /**
     * Waits for the key's lock, which is held until the result is disposed of. Rejects with the
     * signal's reason while it waits.
     */
    take: async (key: string, signal?: AbortSignal): Promise<Disposable> => {
      const before = tails.get(key);
      const { promise, resolve } = Promise.withResolvers<void>();
      tails.set(key, promise);
      const end = (): void => {
        if (tails.get(key) === promise) tails.delete(key);
        resolve();
      };
      try {
        await (before && signal ? orAborted(before, signal) : before);
      } catch (thrown) {
        // Those behind it still wait for those before it.
        void before?.then(end);
        throw thrown;
      }
      return { [Symbol.dispose]: end };
    },
  };
};
