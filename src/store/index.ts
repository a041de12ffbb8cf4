import { Kysely } from 'kysely';
import { z } from 'zod';
import { migrate } from './migrations/index.ts';
import type { Schema } from './schema.ts';
import { sqliteDialect } from './sqlite.ts';

const SQLITE_PREFIX = 'sqlite:';

export const databaseUrl = z
  .string()
  .regex(/^sqlite:\S/, 'must be sqlite:PATH, e.g. sqlite:data/dragoman.db')
  .default('sqlite:data/dragoman.db');

export type Store = Kysely<Schema>;

/** Opens the database of a checked `DATABASE_URL` and brings it up to date. */
export const openStore = async (url: string): Promise<Store> => {
  const store = new Kysely<Schema>({ dialect: sqliteDialect(url.slice(SQLITE_PREFIX.length)) });
  await migrate(store);
  return store;
};
