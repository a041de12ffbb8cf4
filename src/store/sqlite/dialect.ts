import { closeSync, fdatasync, openSync } from 'node:fs';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  type Kysely,
  SqliteAdapter,
  SqliteDialect,
  type SqliteDatabase,
  type SqliteStatement,
} from 'kysely';
import { createLru } from '../../async/lru.ts';
import { fromDisk, isLocked } from '../../sqlite/disk-fault.ts';
import { IN_MEMORY, openDatabase, vacuum } from '../../sqlite/open.ts';
import type { Schema } from '../schema.ts';
import { createDiskSync, type Transact } from '../writer.ts';

const BUSY_MS = 5_000;

const inputs = (parameters: readonly unknown[]): SQLInputValue[] => parameters as SQLInputValue[];

/** Most prepared statements that are cached: preparing one takes longer than running it. */
const MOST_STATEMENTS = 300;

/** Runs a call on the database; says what is wrong with its disk where that is the reason. */
const withDiskFaults = <Result>(call: () => Result): Result => {
  try {
    return call();
  } catch (thrown) {
    throw fromDisk(thrown);
  }
};

const asKyselyDatabase = (database: DatabaseSync, close: () => void): SqliteDatabase => {
  const prepare = (query: string): SqliteStatement => {
    const statement = withDiskFaults(() => database.prepare(query));
    return {
      reader: statement.columns().length > 0,
      all: (parameters) => withDiskFaults(() => statement.all(...inputs(parameters))),
      run: (parameters) => withDiskFaults(() => statement.run(...inputs(parameters))),
      iterate: (parameters) => statement.iterate(...inputs(parameters)),
    };
  };
  const prepared = createLru<string, SqliteStatement>(MOST_STATEMENTS);
  /** Rolls back, unless SQLite has done so by itself after a fault such as a full disk. */
  const rollback: SqliteStatement = {
    ...prepare('rollback'),
    run: () => {
      if (database.isTransaction) database.exec('rollback');
      return { changes: 0, lastInsertRowid: 0 };
    },
  };
  /**
   * Takes the lock of writers at once, or fails where another program has it: a wait within SQLite
   * would stop everything else too.
   */
  const begin: SqliteStatement = {
    ...rollback,
    run: () => {
      database.exec('PRAGMA busy_timeout = 0');
      try {
        withDiskFaults(() => database.exec('begin immediate'));
      } finally {
        database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
      }
      return { changes: 0, lastInsertRowid: 0 };
    },
  };
  return {
    close,
    prepare(query) {
      if (query === 'rollback') return rollback;
      if (query === 'begin') return begin;
      const known = prepared.get(query);
      if (known) return known;
      const statement = prepare(query);
      prepared.set(query, statement);
      return statement;
    },
  };
};

const flushFile = promisify(fdatasync);

/** The write-ahead log of a database, which holds commits until they reach the database file. */
const createJournal = (path: string) => {
  let file: number | undefined;
  return {
    flush: async (): Promise<void> => {
      try {
        file ??= openSync(`${path}-wal`, 'r+');
        await flushFile(file);
      } catch (thrown) {
        throw fromDisk(thrown);
      }
    },
    close: (): void => {
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
};

/** SQLite undoes changes of tables as it does those of rows, which Kysely does not make use of by itself. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class TransactionalDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter();
  }
}

/**
 * Opens a SQLite database. Commits are written without a sync, which is done off the event loop.
 *
 * @param path a file, whose folder is made when missing, or `:memory:`
 * @param image first content of `:memory:`, as `serialize` of another one gave it. Default: nothing
 */
export const openSqlite = (path: string, image?: Uint8Array) =>
  openDatabase(path, { variable: 'DATABASE_URL', busyMs: BUSY_MS, image }, (database) => {
    const journal = createJournal(path);
    const close = (): void => {
      journal.close();
      database.close();
    };
    return {
      dialect: new TransactionalDialect({ database: asKyselyDatabase(database, close) }),
      /** Copies the database, as the image of another one. */
      serialize: (): Uint8Array => database.serialize(),
      /** Resolves when everything committed before the call is on disk. */
      synced: path === IN_MEMORY ? async () => undefined : createDiskSync(journal.flush),
      /** Resolves when nothing that was deleted before the call is left in the file. */
      vacuumed: path === IN_MEMORY ? async () => undefined : createDiskSync(() => vacuum(path)),
    };
  });

/** Longest wait for another program's lock, and time between two tries. */
const LOCKED_MS = 5_000;
const LOCKED_AGAIN_MS = 5;

/** Creates the function that runs transactions as soon as no other program has the lock of writers. */
export const createTransact =
  (database: Pick<Kysely<Schema>, 'transaction'>): Transact =>
  async (run) => {
    const startMs = performance.now();
    for (;;)
      try {
        return await database.transaction().execute(run);
      } catch (thrown) {
        if (!isLocked(thrown) || performance.now() - startMs > LOCKED_MS) throw thrown;
        await delay(LOCKED_AGAIN_MS);
      }
  };
