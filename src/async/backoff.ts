/** Waits between tries that double from the first to the longest. */
export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
  /** Share of each wait that is used, from 0 to 1. `Math.random`: full jitter. Default: 1. */
  readonly random?: () => number;
}

/**
 * The wait before another try, in milliseconds.
 *
 * @param attempt counts from 0, which gives the first wait
 * @param leastMs shortest wait that the server asked for
 */
export const backoffMs = (
  { firstMs, longestMs, random = () => 1 }: Backoff,
  attempt: number,
  leastMs = 0,
): number => Math.max(leastMs, random() * Math.min(longestMs, firstMs * 2 ** attempt));
