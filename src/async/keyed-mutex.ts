/** Lets work of one name run one after another. */
export interface KeyedMutex {
  /** Resolves when it is this caller's turn, which lasts until the result is disposed of. */
  take(name: string): Promise<Disposable>;
}

export const createKeyedMutex = (): KeyedMutex => {
  const last = new Map<string, Promise<void>>();
  return {
    take: async (name) => {
      const before = last.get(name);
      const { promise, resolve } = Promise.withResolvers<void>();
      last.set(name, promise);
      await before;
      return {
        [Symbol.dispose]: () => {
          if (last.get(name) === promise) last.delete(name);
          resolve();
        },
      };
    },
  };
};
