/** Work that is under way. */
export interface Running {
  /** Runs work; resolves and rejects as it does. */
  add(work: () => Promise<void>): Promise<void>;
  /** Resolves when all that is under way at the call has ended; what begins later is not waited for. */
  settled(): Promise<void>;
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
    settled: async () => void (await Promise.allSettled(all)),
  };
};
