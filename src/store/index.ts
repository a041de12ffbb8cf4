import { Kysely, type Transaction } from 'kysely';
import { AppError } from '../errors.ts';
import type { Signals } from '../ports/signals.ts';
import type { StorePort } from '../ports/store.ts';
import { createFaultWatch } from './fault-watch.ts';
import { createStoreWriter } from './writer.ts';
import { createEmbeddedSignals } from './embedded.ts';
import { markLostClaims, readBootId } from './inbox/lost-claims.ts';
import { migrate } from './migrations/index.ts';
import type { Schema } from './schema.ts';
import { guardLeftSpaces } from './left-spaces.ts';
import { openSqlite } from './sqlite.ts';
import { z } from 'zod';

/** The path in a `DATABASE_URL`: a file, or `:memory:`; undefined when it names no supported database. */
const pathOf = (url: string): string | undefined =>
  /^sqlite:(?<path>\S.*)$/.exec(url)?.groups?.['path'];

export const databaseUrl = z
  .string()
  .refine((url) => pathOf(url) !== undefined, {
    error: 'must be sqlite:PATH, e.g. sqlite:data/dragoman.db',
  })
  .default('sqlite:data/dragoman.db');

/** The database: read through Kysely, changed only through `write`. */
export interface Store extends Kysely<Schema>, StorePort<Transaction<Schema>> {
  readonly signals: Signals<Transaction<Schema>>;
  /**
   * Finds what keeps the database from being written; undefined where nothing does. Writes for it
   * only after a write has failed, or where `anew` is true.
   */
  readonly findFault: (options?: { readonly anew?: boolean }) => Promise<AppError | undefined>;
}

/**
 * Opens the database of a `DATABASE_URL` and migrates it to the newest schema. Rejects with
 * `config`.
 *
 * @param bootIdOf the number of this start of the machine; undefined where it is not known
 */
export const openStore = async (url: string, bootIdOf = readBootId): Promise<Store> => {
  const path = pathOf(url);
  if (path === undefined)
    throw new AppError('config', 'DATABASE_URL names no database that is known here');
  const { dialect, synced, vacuumed } = openSqlite(path);
  const db = new Kysely<Schema>({ dialect });
  await migrate(db);
  await guardLeftSpaces(db);
  await markLostClaims(db, bootIdOf());
  const signals = createEmbeddedSignals<Transaction<Schema>>();
  const writer = createStoreWriter(db, synced, signals.collect);
  const { write, findFault } = createFaultWatch(writer);
  return Object.assign(db, writer, { write, signals, checkpoint: vacuumed, findFault });
};
