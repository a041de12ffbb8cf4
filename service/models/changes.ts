import { access, constants, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../src/errors.ts';
import { isLocked } from '../../src/sqlite/disk-fault.ts';

/** An empty database, whose lock the system takes from a process that ends, however it does. */
export const LOCK_FILE = '.lock.sqlite';
/** Start of the names of folders that are not whole yet, in the folder of models. */
const STAGING = '.staging-';

/** Takes the lock of a folder, which is created; disposing of the result gives it back. */
const lock = async (root: string): Promise<Disposable> => {
  await mkdir(root, { recursive: true });
  await access(root, constants.W_OK);
  const database = new DatabaseSync(join(root, LOCK_FILE), { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

/**
 * Runs a change of the folder of models, which is created, while no other process changes it; what a
 * change that was killed has left is removed before. Throws `AppError` while another one runs.
 */
export const changingModels = async <T>(root: string, change: () => Promise<T>): Promise<T> => {
  using _ = await lock(root).catch((cause: unknown) => {
    if (isLocked(cause))
      throw new AppError(
        'unavailable',
        `Another command, or the page, is changing ${root}. Wait until it is done`,
      );
    const { code } = cause as NodeJS.ErrnoException;
    throw new AppError('config', `The folder ${root} cannot be written to (${code})`, { cause });
  });
  const left = (await readdir(root)).filter((name) => name.startsWith(STAGING));
  for (const name of left) await rm(join(root, name), { recursive: true });
  return await change();
};

/** Runs `work` with a folder beside the models, out of which it moves what is whole; the folder is removed then. */
export const staging = async <T>(
  root: string,
  work: (folder: string) => Promise<T>,
): Promise<T> => {
  const folder = await mkdtemp(join(root, STAGING));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
