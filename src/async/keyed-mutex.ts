/** Lets work of one key run one after another, in the order in which it came. */
export interface KeyedMutex {
  /** Resolves when it is this caller's turn, which lasts until the result is disposed of. */
  take(key: string): Promise<Disposable>;
}

export const createKeyedMutex = (): KeyedMutex => {
  /** The end of the last turn of each key that is in use. */
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
