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
  const usual = new Set<() => void>();
  const urgent = new Set<() => void>();
  let free = permits;

  const permit = (): Disposable => {
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (!isHeld) return;
        isHeld = false;
        const [admit] = urgent.size > 0 ? urgent : usual;
        if (admit) admit();
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
   * @param hurry aborted when this caller is to go before those that are in no hurry
   */
  const acquire = async (signal?: AbortSignal, hurry?: AbortSignal): Promise<Disposable> => {
    signal?.throwIfAborted();
    const atOnce = tryAcquire();
    if (atOnce) return atOnce;
    if (waiting && usual.size + urgent.size >= waiting.most) throw waiting.full();
    const admitted = Promise.withResolvers<Disposable>();
    const leave = (): boolean => usual.delete(admit) || urgent.delete(admit);
    const admit = (): void => {
      leave();
      admitted.resolve(permit());
    };
    const giveUp = (): void => {
      if (leave()) admitted.reject(signal?.reason);
    };
    const goFirst = (): void => {
      if (usual.delete(admit)) urgent.add(admit);
    };
    (hurry?.aborted ? urgent : usual).add(admit);
    signal?.addEventListener('abort', giveUp, { once: true });
    hurry?.addEventListener('abort', goFirst, { once: true });
    try {
      return await admitted.promise;
    } finally {
      signal?.removeEventListener('abort', giveUp);
      hurry?.removeEventListener('abort', goFirst);
    }
  };

  return {
    acquire,
    tryAcquire,
    /** Runs `work` while it holds a permit. Rejects as `acquire` and `work` do. */
    use: async <T>(
      work: () => Promise<T>,
      signal?: AbortSignal,
      hurry?: AbortSignal,
    ): Promise<T> => {
      using _ = await acquire(signal, hurry);
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
