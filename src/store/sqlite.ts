import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { SqliteDialect, type SqliteDatabase } from 'kysely';
import { AppError } from '../errors.ts';

const BUSY_MS = 5_000;

/** WAL keeps readers going while one writes; FULL syncs each commit, so that none is lost. */
const PRAGMAS = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA foreign_keys = ON;
  PRAGMA busy_timeout = ${BUSY_MS};
`;

const values = (parameters: readonly unknown[]): SQLInputValue[] => parameters as SQLInputValue[];

const asKyselyDatabase = (database: DatabaseSync): SqliteDatabase => ({
  close: () => database.close(),
  prepare(sql) {
    const statement = database.prepare(sql);
    return {
      reader: statement.columns().length > 0,
      all: (parameters) => statement.all(...values(parameters)),
      run: (parameters) => statement.run(...values(parameters)),
      iterate: (parameters) => statement.iterate(...values(parameters)),
    };
  },
});

/** @param path a file, whose folder is made when missing, or `:memory:`. */
export const sqliteDialect = (path: string): SqliteDialect => {
  try {
    if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
    const database = new DatabaseSync(path);
    database.exec(PRAGMAS);
    return new SqliteDialect({ database: asKyselyDatabase(database) });
  } catch (cause) {
    throw new AppError(
      'config',
      `the database ${path} cannot be opened; check DATABASE_URL and the folder's permissions`,
      { cause },
    );
  }
};
