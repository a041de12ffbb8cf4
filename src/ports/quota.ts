/** A limit on how often something is done. */
export interface QuotaRate {
  readonly perSecond: number;
  /** Most at once, after a pause. */
  readonly burst: number;
}

/**
 * Rates that all processes on one database keep together. Uses of one name are given the same rate
 * everywhere. The name of a space’s rate begins with its key and a space, so that it goes with it.
 */
export interface Quota {
  /**
   * Waits for one use, in the order of this process's calls. Rejects with the signal's reason, and as
   * the database does once that has been away for a minute.
   */
  take(name: string, rate: QuotaRate, signal?: AbortSignal): Promise<void>;
  /** Counts one use at once; false where the rate is used up. Rejects as the database does. */
  tryTake(name: string, rate: QuotaRate): Promise<boolean>;
  /**
   * Gives no use to any process for so long, at most ten seconds, and no burst after it. Rejects as the
   * database does.
   */
  hold(name: string, ms: number): Promise<void>;
}
