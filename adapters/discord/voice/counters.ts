export interface Budget {
  /** Counts one, or says that there were too many lately. */
  take(): boolean;
}

/** So many in any such time. */
export const createBudget = (most: number, windowMs: number, nowMs: () => number): Budget => {
  let taken: number[] = [];
  return {
    take: () => {
      const now = nowMs();
      taken = taken.filter((at) => now - at < windowMs);
      if (taken.length >= most) return false;
      taken.push(now);
      return true;
    },
  };
};
