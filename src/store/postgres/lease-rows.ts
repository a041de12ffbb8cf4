/** Time from a renewal to the end of a lease, by the database's clock. */
export const LEASE_MS = 4_000;

/** Longest statement with which leases are kept, by renewals that overlap. */
export const SLOWEST_MS = 2_300;

/** Time before the end of a lease from which its holder does nothing any more. */
export const MARGIN_MS = 500;

/**
 * Longest wait for an answer at the end of a process, or of its part of a set: where the database does not answer, the leases
 * end by themselves.
 */
export const END_WAIT_MS = 1_000;

/** The database's time, ms since 1970, in SQL: processes' clocks differ. */
export const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/**
 * Condition in SQL of a lease that nobody has: it was released, or it ended. `earliest` and `latest` are parameters, the
 * bounds of the database's time by the clock of the process that asks (`DatabaseClock`): a lease has not ended because the
 * database's clock was set forward, and it has if its end lies further ahead than that of any lease can.
 */
export const isFree = (earliest: string, latest: string): string =>
  `(lease.expires_ms <= least(${NOW_MS}, ${earliest}::bigint)
    OR lease.expires_ms > greatest(${NOW_MS}, ${latest}::bigint) + ${LEASE_MS + SLOWEST_MS})`;

/** Channel on which is told that leases of a set were released, or that its parts have changed. */
export const RELEASED = 'dragoman_released';

/** A lease as the database gives it. */
export interface Granted {
  readonly name: string;
  readonly epoch: number;
}

/** The set of a name: what stands before its colon, with it. */
export const setOf = (name: string): string => name.slice(0, name.indexOf(':') + 1) || name;
