/** A lock per key: work for the same key runs in turn, in the order of the calls. */
export interface KeyedMutex {
  /** Waits for the key's lock, which is held until the result is disposed of. */
  take(key: string): Promise<Disposable>;
}

export const createKeyedMutex = (): KeyedMutex => {
  /** The end of the last turn of each key in use. */
  const tails = new Map<string, Promise<void>>();
  return {
    take: async (key) => {
      const before = tails.get(key);
      const { promise, resolve } = Promise.withResolvers<void>();
      tails.set(key, promise);
      await before;
      return {
        [Symbol.dispose]: () => {
          if (tails.get(key) === promise) tails.delete(key);
          resolve();
        },
      };
    },
  };
};
