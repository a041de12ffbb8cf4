/** One row of the table of engines: those that work, and how to add the others. */
export interface EngineReport {
  readonly name: string;
  /** The kinds of work that it does. */
  readonly serves: readonly ('speech' | 'recognition' | 'translation' | 'chat')[];
  readonly ready: boolean;
  /** The features of a ready engine; otherwise the instruction that adds it. */
  readonly detail: string;
}

/**
 * The calls of the service in the last hour, of all spaces together; without lists, calls that nobody
 * waited for, and refusals of keys that spaces brought.
 */
export interface RecentCalls {
  readonly calls: number;
  /** Calls that were sent and failed. */
  readonly failed: number;
  /** Calls that were not sent: too many waited, or the service was not answering. */
  readonly unsent: number;
  /** Bound below which 95 % of the calls waited to be sent. */
  readonly waitedMs: number;
}

export interface ServiceStatus {
  readonly builtIn: boolean;
  readonly reachable: boolean;
  readonly engines: readonly EngineReport[];
  /** Undefined where there were no calls. */
  readonly recent?: RecentCalls | undefined;
}

/** One result of the doctor's checks. */
export interface Finding {
  /** The thing that was looked at, e.g. `Discord: token`. */
  readonly check: string;
  readonly ok: boolean;
  /** The finding, or the remedy. */
  readonly detail: string;
  /** True when its absence is no failure. */
  readonly isOptional?: boolean;
}
