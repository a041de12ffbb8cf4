import type { Agreements } from './agreements.ts';
import type { Leases } from './leases.ts';
import type { Quota } from './quota.ts';

/** What this process and all others on the same database divide among them. */
export interface Processes {
  /** True where no other process can use the database. */
  readonly isAlone: boolean;
  readonly leases: Leases;
  readonly quota: Quota;
  readonly agreements: Agreements;
}
