import { backoffMs, DAY_MS, type Backoff } from '../async/clock.ts';
import type { AppError } from '../errors.ts';
import { isBusy } from '../api/service-error.ts';
import { OutageError } from './outages/breaker.ts';
import type { Row } from '../store/inbox/row.ts';

/** Backoff of a row, on top of the retries of each single request. */
export interface RowBackoff extends Backoff {
  /** Tries after which a row is given up. */
  readonly tries: number;
  /** Least time for which a row is tried: the tries of processes that ended count too, but take none. */
  readonly leastMs: number;
}

/**
 * Backoff for preparing: a failing message delays those after it by three minutes, waits by
 * `retryAfterMs` not counted.
 */
export const PREPARING: RowBackoff = {
  firstMs: 5_000,
  longestMs: 60_000,
  tries: 7,
  leastMs: 120_000,
};
/**
 * Backoff for reconciling: an unreachable platform is retried for about half an hour, waits by
 * `retryAfterMs` not counted.
 */
export const RECONCILING: RowBackoff = {
  firstMs: 1_000,
  longestMs: 120_000,
  tries: 20,
  leastMs: 1_000_000,
};
/**
 * Backoff for a channel that is late: only the first message that waits for it is tried. It is given up after all tries
 * where the next one can be posted, and otherwise waits with all the others.
 */
export const LATE: RowBackoff = {
  firstMs: 1_000,
  longestMs: 30_000,
  tries: 20,
  leastMs: 600_000,
};
/** Backoff for what stands of a deleted message, in a partition of its own: its words must go, however long a platform is away. */
export const DELETING: RowBackoff = {
  firstMs: 1_000,
  longestMs: 600_000,
  tries: 20,
  leastMs: DAY_MS,
};
/** Age at which a message is not posted any more in a channel that was late all the time. */
export const TOO_LATE_MS = DAY_MS;
/**
 * Backoff for a message that failed alone and stepped aside: it delays no other, and is given up
 * after a quarter of an hour.
 */
export const ASIDE: RowBackoff = { firstMs: 15_000, longestMs: 600_000, tries: 7, leastMs: 0 };

/** Longest `retryAfterMs` that is respected. */
const LONGEST_STATED_WAIT_MS = 600_000;

/** Jitter of the rows that look if an outage is over, or the service less busy. */
const JITTER_MS = 1_000;

/**
 * Time for which a message waits before its channel is told, and messages of other spaces pass it: the service may be back
 * at once, and a conversation is best read in its order.
 */
export const TAKES_LONG_MS = 10_000;

/** True of a row whose fault is not expected to be over at once. */
export const takesLong = (
  { sinceMs }: Pick<Row, 'sinceMs'>,
  error: AppError,
  nowMs: number,
): boolean => (error instanceof OutageError && error.isRefusal) || nowMs - sinceMs >= TAKES_LONG_MS;

/** True when a row was tried often enough, and long enough, to be given up. */
export const isExhausted = (
  { tries, leastMs }: RowBackoff,
  { attempts, sinceMs }: Pick<Row, 'attempts' | 'sinceMs'>,
  nowMs: number,
): boolean => attempts >= tries && nowMs - sinceMs >= leastMs;

/** The wait before another try of a row that failed, in whole ms, as databases keep times, with jitter. */
export const waitMs = (
  policy: RowBackoff,
  attempts: number,
  error: AppError,
  random: () => number,
): number => {
  const statedMs = Math.min(LONGEST_STATED_WAIT_MS, error.retryAfterMs ?? 0);
  if (error instanceof OutageError || isBusy(error))
    return Math.ceil(statedMs + random() * JITTER_MS);
  const spread = { ...policy, random: () => 0.75 + random() / 2 };
  return Math.ceil(backoffMs(spread, attempts - 1, statedMs));
};
