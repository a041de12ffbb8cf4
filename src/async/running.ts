/** Work that is under way. */
export interface Running {
  /** Runs work; resolves and rejects as it does. */
  add(work: () => Promise<void>): Promise<void>;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

export const createRunning = (): Running => {
  const all = new Set<Promise<void>>();
  return {
    add: async (work) => {
      const own = work();
      all.add(own);
      try {
        await own;
      } finally {
        all.delete(own);
      }
    },
    idle: async () => {
      while (all.size > 0) await Promise.allSettled(all);
    },
  };
};
