import { setImmediate } from 'node:timers/promises';
import { Kysely, sql, type Transaction } from 'kysely';
import { z } from 'zod';
import type { Signals } from '../ports/signals.ts';
import { createDiskSync } from './disk.ts';
import { createEmbeddedSignals } from './embedded-signals.ts';
import { migrate } from './migrations/index.ts';
import type { Schema } from './schema.ts';
import { openSqlite } from './sqlite.ts';
import { createWriter, type Writer } from './writer.ts';

const SQLITE_PREFIX = 'sqlite:';

export const databaseUrl = z
  .string()
  .regex(/^sqlite:\S/, 'must be sqlite:PATH, e.g. sqlite:data/dragoman.db')
  .default('sqlite:data/dragoman.db');

/** Read from it as it is; what is written goes through the writer's ways. */
export interface Store extends Kysely<Schema>, Writer {
  readonly signals: Signals<Transaction<Schema>>;
  /** Empties the journal, in which what was deleted can still be read. */
  emptyJournal(): Promise<void>;
}

/** Opens the database of a checked `DATABASE_URL` and brings it up to date. */
export const openStore = async (url: string): Promise<Store> => {
  const { dialect, synced } = openSqlite(url.slice(SQLITE_PREFIX.length));
  const db = new Kysely<Schema>({ dialect });
  await migrate(db);
  // Those who ask for it at the same moment share it. It takes its turn at the one connection: within
  // a transaction SQLite refuses it.
  const emptyJournal = createDiskSync(async () => {
    await setImmediate();
    await sql`PRAGMA wal_checkpoint(TRUNCATE)`.execute(db);
  });
  const signals = createEmbeddedSignals<Transaction<Schema>>();
  return Object.assign(db, createWriter(db, synced, signals.collect), { signals, emptyJournal });
};
