/** Waits between tries that double from the first to the longest. */
export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
  /** The share of the span that is waited, asked once a wait. `Math.random`: full jitter. Default: all of it. */
  readonly random?: () => number;
}

/**
 * The wait before another try.
 *
 * @param attempt counts from 0, which gives the first wait
 * @param toldMs what the other side asked to wait, at least
 */
export const backoffMs = (
  { firstMs, longestMs, random = () => 1 }: Backoff,
  attempt: number,
  toldMs = 0,
): number => Math.max(toldMs, random() * Math.min(longestMs, firstMs * 2 ** attempt));
