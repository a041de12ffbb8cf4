import { DatabaseSync } from 'node:sqlite';
import { Kysely, sql } from 'kysely';
import { AppError } from '../../errors.ts';
import { fromDisk } from '../../sqlite/disk-fault.ts';
import { migrate, migrateAs } from '../migrations/index.ts';
import { createColumnTypes, openSingle } from '../postgres/dialect.ts';
import { UNBOUNDED } from '../postgres/connect.ts';
import { openSqlite } from '../sqlite/dialect.ts';
import { demandIdle, type RowSource } from './source.ts';
import {
  createPrivateFile,
  COPIED_TABLES,
  OWN_TABLES,
  withoutClaim,
  type TableRow,
} from './place.ts';
import type { RowProgress } from './status.ts';

export interface FillOptions {
  readonly progress: RowProgress;
  /** Stops the filling, which leaves everything as it was. */
  readonly signal: AbortSignal;
}

type InsertRows = (table: string, rows: readonly TableRow[]) => Promise<void>;

/** Inserts all rows of a source; throws where the source and what was inserted differ in number. */
const insertAll = async (
  source: RowSource,
  insert: InsertRows,
  { progress, signal }: FillOptions,
): Promise<void> => {
  for (const [table, all] of source.tables) {
    let done = 0;
    for await (const rows of source.read(table)) {
      signal.throwIfAborted();
      if (rows.length > 0)
        await insert(
          table,
          rows.map((row) => withoutClaim(table, row)),
        );
      done += rows.length;
      if (done < all) progress(table, done, all);
    }
    if (done !== all)
      throw new AppError('internal', `${table} has ${all} rows, of which ${done} were read`);
    if (all > 0) progress(table, done, all);
  }
};

/** Makes a SQLite file with the schema and the rows of a source, which nobody else may read. */
export const fillSqlite = async (
  path: string,
  source: RowSource,
  options: FillOptions,
): Promise<void> => {
  createPrivateFile(path);
  {
    await using db = new Kysely<unknown>({ dialect: openSqlite(path).dialect });
    await migrateAs(db, source.schema);
  }
  using database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL; BEGIN');
    await insertAll(
      source,
      async (table, rows) => {
        const names = Object.keys(rows[0] ?? {});
        const insert = database.prepare(
          `INSERT INTO "${table}" (${names.map((name) => `"${name}"`).join()})
           VALUES (${names.map(() => '?').join()})`,
        );
        for (const row of rows) insert.run(...names.map((name) => row[name] ?? null));
      },
      options,
    );
    database.exec('COMMIT');
  } catch (thrown) {
    throw fromDisk(thrown);
  }
};

export const notEmpty = (table: string): AppError =>
  new AppError(
    'config',
    `the database is not empty (it has rows in ${table}): choose an empty one, or say --replace to delete what it has`,
  );

/** PostgreSQL's words for a zero byte in a text, which it does not store. */
const hasZeroByte = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  'code' in thrown &&
  (thrown.code === '22P05' || thrown.code === '22021');

/**
 * Replaces the rows of a PostgreSQL database by those of a source, all or none.
 *
 * @param mayReplace false where a database that has rows is refused
 */
export const fillPostgres = async (
  url: string,
  source: RowSource,
  { mayReplace, ...options }: FillOptions & { readonly mayReplace: boolean },
): Promise<void> => {
  await using db = openSingle(url, { bounds: UNBOUNDED });
  await db.transaction().execute(async (within) => {
    await migrate(within.withPlugin(createColumnTypes()));
    await demandIdle(async (text) => (await sql.raw<object>(text).execute(within)).rows);
    for (const table of COPIED_TABLES) {
      const { rows } = await sql`SELECT 1 FROM ${sql.table(table)} LIMIT 1`.execute(within);
      if (rows.length > 0 && !mayReplace) throw notEmpty(table);
    }
    const { rows: left } = await sql`SELECT to_regclass('left_space') AS name`.execute(within);
    const own = (left[0] as { name: string | null }).name === null ? [] : ['left_space'];
    const tables = [...COPIED_TABLES, ...OWN_TABLES, ...own].map((table) => sql.table(table));
    await sql`TRUNCATE ${sql.join(tables)}`.execute(within);
    await insertAll(
      source,
      async (table, rows) => {
        const names = sql.join(Object.keys(rows[0] ?? {}).map((name) => sql.ref(name)));
        try {
          await sql`INSERT INTO ${sql.table(table)} (${names})
            SELECT ${names} FROM json_populate_recordset(NULL::${sql.table(table)}, ${JSON.stringify(rows)}::json)
          `.execute(within);
        } catch (thrown) {
          if (!hasZeroByte(thrown)) throw thrown;
          const message = `a row in ${table} has a zero byte, which PostgreSQL does not store`;
          throw new AppError('config', message, { cause: thrown });
        }
      },
      options,
    );
    // Numbers that the database gives itself go on behind the largest.
    await sql`SELECT setval(pg_get_serial_sequence('delivery', 'number'), max(number))
      FROM delivery HAVING max(number) IS NOT NULL`.execute(within);
  });
};
