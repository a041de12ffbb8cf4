import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AppError } from '../errors.ts';
import { describeDiskFault } from './disk-fault.ts';

/**
 * WAL lets readers continue during a write. NORMAL commits without a sync, which survives the end of
 * the process, however it comes. Deleted data is overwritten, so that no text outlives its row.
 */
const PRAGMAS = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA secure_delete = ON;
  PRAGMA foreign_keys = ON;
`;

/** Path of a database that is kept in memory only. */
export const IN_MEMORY = ':memory:';

/** Makes a folder level by level: Node's recursive `mkdir` hangs in folders such as /proc. */
export const makeFolder = (folder: string): void => {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
};

/** Makes a missing file that its owner alone can read; SQLite's other files of the database get the same mode. */
const makeFile = (path: string): void => {
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
};

export interface OpenOptions {
  /** Variable that holds the path, which errors name. */
  readonly variable: string;
  /** Longest wait for the lock of another program. */
  readonly busyMs: number;
  /** First content of a database in memory, as SQLite serializes it. Default: nothing. */
  readonly image?: Uint8Array | undefined;
}

/**
 * Opens files of a database. Throws `AppError` (`config`) where they cannot be used, with what an operator can do.
 *
 * @param path a file, whose folder is made when missing, or `IN_MEMORY`
 */
export const opening = <Opened>(path: string, variable: string, open: () => Opened): Opened => {
  try {
    if (path !== IN_MEMORY) makeFolder(dirname(path));
    return open();
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    const busy = cause instanceof Error && /locked|busy/i.test(cause.message);
    const fault = describeDiskFault(cause);
    const reason = fault
      ? `cannot be used, ${fault}`
      : `cannot be opened; check ${variable} and that its folder is there and writable`;
    throw new AppError(
      'config',
      busy
        ? `the database ${path} is in use by another program; end it, or choose another ${variable}`
        : `the database ${path} ${reason}`,
      { cause },
    );
  }
};

/**
 * Opens a SQLite database, and prepares it with `prepare`. Throws `AppError` (`config`) for one that
 * cannot be used.
 *
 * @param path a file, whose folder is made when missing, or `IN_MEMORY`
 */
export const openDatabase = <Prepared>(
  path: string,
  { variable, busyMs, image }: OpenOptions,
  prepare: (database: DatabaseSync) => Prepared,
): Prepared =>
  opening(path, variable, () => {
    if (path !== IN_MEMORY) makeFile(path);
    const database = new DatabaseSync(path, { timeout: busyMs });
    try {
      if (image) database.deserialize(image);
      database.exec(PRAGMAS);
      return prepare(database);
    } catch (thrown) {
      database.close();
      throw thrown;
    }
  });
