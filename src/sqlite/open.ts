import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AppError } from '../errors.ts';
import { LOADING } from '../process/loading.ts';
import { describeDiskFault, fromDisk, isLocked } from './disk-fault.ts';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';

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

/** Largest file that is rewritten, while nobody writes: 20 MB took 70 ms, and a write waits for 5 s at most. */
export const MOST_REWRITTEN_BYTES = 256 * 1_024 * 1_024;
const BUSY_MS = 5_000;

export interface VacuumOptions {
  /** Largest file that is rewritten. Default: 256 MiB. */
  readonly mostBytes?: number;
  /** Longest wait for a write of somebody else. Default: 5 s. */
  readonly busyMs?: number;
}

/**
 * Rewrites the file of a database in a thread of its own, so that nothing deleted is left in it.
 * `secure_delete` alone leaves copies of rows that were moved when a page was divided. Does nothing
 * for a larger file, or while others keep the lock of writers. Rejects as `fromDisk` says.
 */
export const vacuum = async (
  path: string,
  { mostBytes = MOST_REWRITTEN_BYTES, busyMs = BUSY_MS }: VacuumOptions = {},
): Promise<void> => {
  const { size } = await stat(path);
  if (size > mostBytes) return;
  const worker = new Worker(new URL('./vacuum-worker.ts', import.meta.url), {
    workerData: { path, busyMs },
    execArgv: LOADING,
  });
  try {
    await once(worker, 'exit');
  } catch (thrown) {
    if (!isLocked(thrown)) throw fromDisk(thrown);
  }
};
