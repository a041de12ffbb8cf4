/** Runs what has the same key one after the other, in the order in which it came. */
export interface Turns {
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export const createTurns = (): Turns => {
  const tails = new Map<string, Promise<unknown>>();
  return {
    run: async (key, work) => {
      const before = tails.get(key);
      const turn = (async () => {
        await before?.catch(() => undefined);
        return work();
      })();
      tails.set(key, turn);
      try {
        return await turn;
      } finally {
        if (tails.get(key) === turn) tails.delete(key);
      }
    },
  };
};
