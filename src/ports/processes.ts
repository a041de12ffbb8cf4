import type { Agreements } from './agreements.ts';
import type { Leases } from './leases.ts';
import type { Quota } from './quota.ts';

/** The ways in which this process shares its work with all others on the same database. */
export interface Processes {
  /** True where no other process can use the database. */
  readonly isAlone: boolean;
  readonly leases: Leases;
  readonly quota: Quota;
  readonly agreements: Agreements;
}
