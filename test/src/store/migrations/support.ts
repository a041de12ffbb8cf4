import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import { expect } from 'vitest';
import { openSqlite } from '../../../../src/store/sqlite/dialect.ts';

/** The address of a database that only these migrations have seen, with what `fill` puts into it. */
export const databaseAfter = async (
  migrations: Record<string, Migration>,
  fill: (db: Kysely<unknown>) => Promise<void>,
): Promise<string> => {
  const path = join(mkdtempSync(join(tmpdir(), 'dragoman-')), 'x.db');
  const db = new Kysely<unknown>({ dialect: openSqlite(path).dialect });
  const provider = { getMigrations: async () => migrations };
  expect((await new Migrator({ db, provider }).migrateToLatest()).error).toBeUndefined();
  await fill(db);
  await db.destroy();
  return `sqlite:${path}`;
};
