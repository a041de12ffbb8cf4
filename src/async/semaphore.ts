/** Lets few do something at the same moment; the others wait in the order in which they came. */
export interface Semaphore {
  use<T>(work: () => Promise<T>): Promise<T>;
}

export const createSemaphore = (count: number): Semaphore => {
  const waiting: (() => void)[] = [];
  let free = count;
  return {
    use: async (work) => {
      if (free > 0) free -= 1;
      else
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
        });
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else free += 1;
      }
    },
  };
};
