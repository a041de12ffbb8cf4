import { TABLES } from '../privacy/tables.ts';
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../errors.ts';
import { describeDiskFault, fromDisk } from '../../sqlite/disk-fault.ts';
import { IN_MEMORY, opening } from '../../sqlite/open.ts';

const ofDatabase = (isOfDatabase: boolean): readonly string[] =>
  Object.entries(TABLES)
    .filter(([, table]) => (table.isOfDatabase ?? false) === isOfDatabase)
    .map(([name]) => name);

/** Tables whose rows go into backups and copies. */
export const COPIED_TABLES = ofDatabase(false);

/** Tables of what belongs to one database: they are empty in a backup. SQLite has that of left spaces in memory. */
export const OWN_TABLES = ofDatabase(true).filter((name) => name !== 'left_space');

/** Tables with the epoch of the tenure that has a row: epochs of two databases cannot be compared. */
const CLAIMED_TABLES = ['inbox', 'open_room'] as const;

/** A row by the names of its columns. */
export type TableRow = Readonly<Record<string, string | number | null>>;

/**
 * A row as another database has it: its claim belongs to the database in which it was made.
 *
 * @param table the name of its table
 */
export const withoutClaim = (table: string, row: TableRow): TableRow =>
  CLAIMED_TABLES.some((claimed) => claimed === table) && 'epoch' in row
    ? { ...row, epoch: 0 }
    : row;

/** Makes an empty file that nobody else may read, from its first byte on. */
export const createPrivateFile = (path: string): void =>
  opening(path, 'FILE', () => closeSync(openSync(path, 'wx', 0o600)));

/** Files beside a SQLite database that belong to it. */
const PARTS = ['-wal', '-shm', '-journal'] as const;

/** Removes a file that was being made, with what SQLite keeps beside it. */
export const removeDatabase = (path: string): void => {
  for (const part of ['', ...PARTS]) rmSync(`${path}${part}`, { force: true });
};

const hasTable = (database: DatabaseSync, name: string): boolean =>
  database.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`).get(name) !==
  undefined;

const hasEpoch = (database: DatabaseSync, table: string): boolean =>
  database.prepare(`SELECT 1 FROM pragma_table_info(?) WHERE name = 'epoch'`).get(table) !==
  undefined;

/** The first table that has rows; undefined for an empty database, or none. */
export const findRows = (path: string): string | undefined => {
  if (!existsSync(path)) return undefined;
  using database = new DatabaseSync(path);
  return COPIED_TABLES.find(
    (table) =>
      hasTable(database, table) &&
      database.prepare(`SELECT 1 FROM "${table}" LIMIT 1`).get() !== undefined,
  );
};

/** Throws `config` for a file that is damaged. */
export const demandWhole = (path: string): void => {
  try {
    using database = new DatabaseSync(path, { readOnly: true });
    const [first] = database.prepare('PRAGMA integrity_check(1)').all();
    if (first?.['integrity_check'] === 'ok') return;
  } catch (cause) {
    if (describeDiskFault(cause) === undefined) throw cause;
  }
  throw new AppError('config', `${path} is damaged, or no backup: choose another file`);
};

/**
 * Makes a file of a database as it is at one moment, without pages that are free, which nobody else may read.
 *
 * @param readOnly true for a file that no program works on
 */
export const copyFile = (from: string, to: string, readOnly: boolean): void =>
  opening(to, 'FILE', () => {
    createPrivateFile(to);
    using database = new DatabaseSync(from, { timeout: 5_000, readOnly });
    try {
      database.prepare('VACUUM INTO ?').run(to);
    } catch (thrown) {
      throw fromDisk(thrown);
    }
  });

/** Takes from a file what belongs to the database that it was, and marks it as a backup. */
export const markAsBackup = (path: string): void => {
  using database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = DELETE; PRAGMA secure_delete = ON; BEGIN');
  for (const table of OWN_TABLES)
    if (hasTable(database, table)) database.exec(`DELETE FROM ${table}`);
  for (const table of CLAIMED_TABLES)
    if (hasEpoch(database, table)) database.exec(`UPDATE ${table} SET epoch = 0`);
  if (hasTable(database, 'restoration'))
    database.exec('DELETE FROM restoration; INSERT INTO restoration VALUES (0)');
  database.exec('COMMIT');
};

const sync = (path: string): void => {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
};

/** Writes the journal of a database into its file: it must not be applied to the one that takes its place. */
const emptyJournal = (path: string): void => {
  try {
    using database = new DatabaseSync(path);
    database.exec('PRAGMA journal_mode = DELETE');
  } catch (thrown) {
    if (describeDiskFault(thrown) === undefined) throw thrown;
  }
  for (const part of PARTS) rmSync(`${path}${part}`, { force: true });
};

/** Moves a file that was made to the place where it belongs; what was there is gone. */
export const putInPlace = (made: string, path: string): void => {
  sync(made);
  if (existsSync(path)) opening(path, 'DATABASE_URL', () => emptyJournal(path));
  renameSync(made, path);
  sync(dirname(path));
};

/** Throws `config` for a database in memory, which no other program reaches. */
export const demandFile = (path: string): void => {
  if (path === IN_MEMORY)
    throw new AppError('config', 'a database in memory belongs to one process: name a file');
};
