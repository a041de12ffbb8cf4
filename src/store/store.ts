import type { Kysely, Transaction } from 'kysely';
import type { AppError } from '../errors.ts';
import type { Leases, Quota } from '../ports/processes.ts';
import type { SharedStates, Signals, StorePort } from '../ports/store.ts';
import type { Schema } from './schema.ts';

/** The database: read through Kysely, changed only through `write`. */
export interface Store extends Kysely<Schema>, StorePort<Transaction<Schema>> {
  readonly signals: Signals<Transaction<Schema>>;
  readonly leases: Leases;
  readonly quota: Quota;
  /** Undefined where no other process can use the database. */
  readonly states?: SharedStates | undefined;
  readonly engine: 'sqlite' | 'postgres';
  /**
   * Time up to which messages may have been posted though nothing here says so, ms since 1970: the database came from a
   * backup. Undefined for any other.
   */
  readonly restoredMs: () => number | undefined;
  /**
   * Finds what keeps the database from being written; undefined where nothing does. Writes for it
   * only after a write has failed, or where `anew` is true.
   */
  readonly findFault: (options?: { readonly anew?: boolean }) => Promise<AppError | undefined>;
  /**
   * Has all that waits for the database fail, and all that is asked of it later: nothing that is blocked there keeps the
   * process from ending. Undefined where nothing can be blocked.
   */
  readonly abandon?: () => void;
}
