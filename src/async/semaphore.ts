/**
 * Permits for a bounded number of holders; waiting callers get theirs in the order of the calls.
 */
export interface Semaphore {
  /**
   * Resolves with a permit, which is held until it is disposed of. Rejects with the signal's
   * reason, and with the bound's error when the queue is full.
   */
  acquire(signal?: AbortSignal): Promise<Disposable>;
  /** Takes a permit if one is free. */
  tryAcquire(): Disposable | undefined;
  /** Runs `work` while it holds a permit. Rejects as `acquire` and `work` do. */
  use<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** The most callers that may wait for a permit, and the error for one more. */
export interface WaitingBound {
  readonly most: number;
  readonly full: () => Error;
}

/**
 * Creates a semaphore.
 *
 * @param waiting bound of the queue. Default: unlimited
 */
export const createSemaphore = (permits: number, waiting?: WaitingBound): Semaphore => {
  const waiters = new Set<() => void>();
  let free = permits;

  const permit = (): Disposable => {
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (!isHeld) return;
        isHeld = false;
        const [next] = waiters;
        if (next) next();
        else free += 1;
      },
    };
  };

  const tryAcquire = (): Disposable | undefined => {
    if (free === 0) return undefined;
    free -= 1;
    return permit();
  };

  const acquire = async (signal?: AbortSignal): Promise<Disposable> => {
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
    waiters.add(admit);
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
    use: async (work, signal) => {
      using _ = await acquire(signal);
      return await work();
    },
  };
};
