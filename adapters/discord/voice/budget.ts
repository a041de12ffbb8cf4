export type Budget = ReturnType<typeof createBudget>;

/** Creates a budget of at most `most` within any `windowMs`. */
export const createBudget = (most: number, windowMs: number, nowMs: () => number) => {
  let taken: number[] = [];
  return {
    /** Takes one from the budget; returns false when it is used up. */
    take: (): boolean => {
      const now = nowMs();
      taken = taken.filter((at) => now - at < windowMs);
      if (taken.length >= most) return false;
      taken.push(now);
      return true;
    },
  };
};
