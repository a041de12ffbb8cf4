import { realClock } from '../async/clock.ts';
import { AppError } from '../errors.ts';
import { createLog, type Log } from '../telemetry/log.ts';
import { isPostgres, pathOf } from './address.ts';
import { openSqliteStore } from './sqlite/store.ts';
import type { Store } from './store.ts';

export { databaseUrl } from './address.ts';
export type { Store } from './store.ts';

export interface StoreOptions {
  readonly log?: Log | undefined;
  /** The number of this start of the machine; undefined where it is not known. */
  readonly bootIdOf?: (() => string | undefined) | undefined;
  /**
   * True for a program that looks at a database while another one may work on it: it changes no schema then. Default:
   * false, for which SQLite refuses a second process.
   */
  readonly isGuest?: boolean | undefined;
  /** Signal that ends the wait for a PostgreSQL that cannot be used for now. Default: nothing is waited for. */
  readonly waiting?: AbortSignal | undefined;
  /** Most connections to PostgreSQL, two at least. Default: 10. */
  readonly connections?: number | undefined;
}

const CONNECTIONS = 10;

/**
 * Opens the database of a `DATABASE_URL` and migrates it to the newest schema. Rejects with
 * `config`, and with `unavailable` for a server that cannot be reached.
 */
export const openStore = async (
  url: string,
  {
    log = createLog('silent'),
    connections = CONNECTIONS,
    bootIdOf,
    isGuest,
    waiting,
  }: StoreOptions = {},
): Promise<Store> => {
  const path = pathOf(url);
  if (path !== undefined) return openSqliteStore(path, { bootIdOf, isGuest });
  if (!isPostgres(url))
    throw new AppError('config', 'DATABASE_URL names no database that is known here');
  const { openPostgresStore } = await import('./postgres/store.ts');
  const open = async (): Promise<Store> => openPostgresStore({ url, connections, log });
  if (!waiting) return open();
  const { openWhenUsable } = await import('./postgres/wait.ts');
  return openWhenUsable(open, { log, clock: realClock, random: Math.random, signal: waiting });
};
