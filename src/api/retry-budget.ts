/** Limits the retries of all calls with one key, so that they never add much to an overload. */
export interface RetryBudget {
  /** Notes a call's first request. */
  called(): void;
  /** Takes one retry; false where none is left. */
  take(): boolean;
}

/** Retries that each call adds: 10 % of all calls. */
const SHARE = 0.1;
/** Retries for small use: at first, and one more in this time. */
const FEW = 10;
const ONE_EVERY_MS = 10_000;
const MOST = 100;

export const createRetryBudget = (nowMs: () => number): RetryBudget => {
  let left = FEW;
  let filledMs = nowMs();
  return {
    called: () => {
      left = Math.min(MOST, left + SHARE);
    },
    take: () => {
      const now = nowMs();
      if (left < FEW) left = Math.min(FEW, left + (now - filledMs) / ONE_EVERY_MS);
      filledMs = now;
      if (left < 1) return false;
      left -= 1;
      return true;
    },
  };
};
