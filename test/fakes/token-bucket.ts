/** A limit on requests: so many at once, and so many a second after that. */
export interface TokenBucket {
  /** Takes a token. Returns 0 when there was one, otherwise the time until there is, ms. */
  take(): number;
  /** Tokens there were so far: what could have been taken at most. */
  allowed(): number;
}

export const createTokenBucket = (
  nowMs: () => number,
  { perSecond, burst }: { readonly perSecond: number; readonly burst: number },
): TokenBucket => {
  const startMs = nowMs();
  let tokens = burst;
  let filledMs = startMs;
  return {
    take: () => {
      const now = nowMs();
      tokens = Math.min(burst, tokens + ((now - filledMs) / 1_000) * perSecond);
      filledMs = now;
      // A wait of whole milliseconds must not be too short by a rounding error.
      if (tokens < 1 - 1e-9) return ((1 - tokens) / perSecond) * 1_000;
      tokens -= 1;
      return 0;
    },
    allowed: () => burst + ((nowMs() - startMs) / 1_000) * perSecond,
  };
};
