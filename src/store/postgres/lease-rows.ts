/** Time from a renewal to the end of a lease, by the database's clock. */
export const LEASE_MS = 4_000;

/** The database's time, ms since 1970, in SQL: processes' clocks differ. */
export const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** A lease as the database gives it. */
export interface Granted {
  readonly name: string;
  readonly epoch: number;
}

/** The set of a name: what stands before its colon, with it. */
export const setOf = (name: string): string => name.slice(0, name.indexOf(':') + 1) || name;
