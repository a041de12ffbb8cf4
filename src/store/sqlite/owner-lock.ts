import { realpathSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { IN_MEMORY, opening } from '../../sqlite/open.ts';
import { isLocked } from '../../sqlite/disk-fault.ts';

/** The path of a database without symbolic links: two names of one file are one database. */
export const realPathOf = (path: string): string => {
  if (path === IN_MEMORY) return path;
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
};

/**
 * Takes the lock of the one process that works on a SQLite database; it ends with the process, however that comes.
 * The lock is SQLite's own, on an empty file beside the database, so that others can still read. Throws `config` where
 * another process has it.
 */
export const takeOwnerLock = (path: string): Disposable =>
  opening(path, 'DATABASE_URL', () => {
    const file = new DatabaseSync(path === IN_MEMORY ? path : `${path}-owner`, { timeout: 0 });
    try {
      // Without a file of its own for the journal, nothing but the lock is left behind.
      file.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    } catch (thrown) {
      file.close();
      throw thrown;
    }
    return { [Symbol.dispose]: () => file.close() };
  });

/** Takes the lock as `takeOwnerLock` does; undefined where another process has it. */
export const tryOwnerLock = (path: string): Disposable | undefined => {
  try {
    return takeOwnerLock(path);
  } catch (thrown) {
    if (thrown instanceof Error && isLocked(thrown.cause)) return undefined;
    throw thrown;
  }
};
