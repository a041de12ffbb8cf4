import { Kysely } from 'kysely';
import { z } from 'zod';
import { migrate } from './migrations/index.ts';
import type { Schema } from './schema.ts';
import type { DiskSync } from './disk.ts';
import { openSqlite } from './sqlite.ts';

const SQLITE_PREFIX = 'sqlite:';

export const databaseUrl = z
  .string()
  .regex(/^sqlite:\S/, 'must be sqlite:PATH, e.g. sqlite:data/dragoman.db')
  .default('sqlite:data/dragoman.db');

export interface Store extends Kysely<Schema> {
  /** Resolves when what was committed before the call cannot be lost any more. */
  readonly synced: DiskSync;
}

/** Opens the database of a checked `DATABASE_URL` and brings it up to date. */
export const openStore = async (url: string): Promise<Store> => {
  const { dialect, synced } = openSqlite(url.slice(SQLITE_PREFIX.length));
  const store = Object.assign(new Kysely<Schema>({ dialect }), { synced });
  await migrate(store);
  return store;
};
