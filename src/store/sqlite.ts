import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { sql, SqliteDialect, type SqliteDatabase, type SqliteStatement } from 'kysely';
import { AppError } from '../errors.ts';

const BUSY_MS = 5_000;

/**
 * WAL keeps readers going while one writes; FULL syncs each commit, so that none is lost; what is
 * deleted is overwritten, so that no words outlive their row.
 */
const PRAGMAS = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA secure_delete = ON;
  PRAGMA foreign_keys = ON;
`;

/** For transactions whose loss with the machine is made good: they wait for no disk. */
export const UNSYNCED = sql`PRAGMA synchronous = NORMAL`;
export const SYNCED = sql`PRAGMA synchronous = FULL`;
/** Empties the journal, in which what was deleted can still be read. */
export const TRUNCATE_JOURNAL = sql`PRAGMA wal_checkpoint(TRUNCATE)`;

const values = (parameters: readonly unknown[]): SQLInputValue[] => parameters as SQLInputValue[];

/** Statements that are kept: preparing one takes longer than running it. */
const MOST_STATEMENTS = 300;

const asKyselyDatabase = (database: DatabaseSync): SqliteDatabase => {
  const prepare = (query: string): SqliteStatement => {
    const statement = database.prepare(query);
    return {
      reader: statement.columns().length > 0,
      all: (parameters) => statement.all(...values(parameters)),
      run: (parameters) => statement.run(...values(parameters)),
      iterate: (parameters) => statement.iterate(...values(parameters)),
    };
  };
  const prepared = new Map<string, SqliteStatement>();
  return {
    close: () => database.close(),
    prepare(query) {
      const statement = prepared.get(query) ?? prepare(query);
      // The one that was not used for longest is the first to go.
      prepared.delete(query);
      prepared.set(query, statement);
      const [oldest] = prepared.keys();
      if (prepared.size > MOST_STATEMENTS && oldest !== undefined) prepared.delete(oldest);
      return statement;
    },
  };
};

/** Level by level: asked for several at once, Node never comes back from folders such as /proc. */
const makeFolder = (folder: string): void => {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
};

/** @param path a file, whose folder is made when missing, or `:memory:`. */
export const sqliteDialect = (path: string): SqliteDialect => {
  try {
    if (path !== ':memory:') makeFolder(dirname(path));
    const database = new DatabaseSync(path, { timeout: BUSY_MS });
    database.exec(PRAGMAS);
    return new SqliteDialect({ database: asKyselyDatabase(database) });
  } catch (cause) {
    const busy = cause instanceof Error && /locked|busy/i.test(cause.message);
    throw new AppError(
      'config',
      busy
        ? `the database ${path} is in use by another program; end it, or choose another DATABASE_URL`
        : `the database ${path} cannot be opened; check DATABASE_URL and that its folder is there and writable`,
      { cause },
    );
  }
};
