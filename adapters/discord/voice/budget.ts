export interface Budget {
  /** Counts one; false when there were too many lately. */
  take(): boolean;
}

/** Limits a number in any such time. */
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
