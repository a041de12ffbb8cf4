import { orAborted } from './abort.ts';

/** A lock per key: work for the same key runs in turn, in the order of the calls. */
export interface KeyedMutex {
  /**
   * Waits for the key's lock, which is held until the result is disposed of. Rejects with the
   * signal's reason while it waits.
   */
  take(key: string, signal?: AbortSignal): Promise<Disposable>;
}

export const createKeyedMutex = (): KeyedMutex => {
  /** The end of the last turn of each key in use. */
  const tails = new Map<string, Promise<void>>();
  return {
    take: async (key, signal) => {
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
