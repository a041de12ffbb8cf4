import { mkdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../src/errors.ts';
import { isRunning } from '../../src/process/process-folder.ts';

const LOCK = '.lock';
/** Time between two signs of life of the lock's holder. */
const SIGN_MS = 10_000;
/**
 * Time after the last sign of life after which a lock counts as left: the number of a process that was killed can be
 * another's after a restart, or stay a zombie's in a container.
 */
const LEFT_MS = 60_000;

/** Locks that this process holds: one with its number that is not among them is that of another before it. */
const held = new Set<string>();

const isLeft = async (path: string, holder: number): Promise<boolean> => {
  if (held.has(path)) return false;
  if (!(holder > 0) || holder === process.pid || !isRunning(holder)) return true;
  const signed = await stat(path).catch(() => undefined);
  return signed === undefined || Date.now() - signed.mtimeMs > LEFT_MS;
};

const takeLock = async (path: string): Promise<boolean> =>
  writeFile(path, String(process.pid), { flag: 'wx' }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false;
      throw error;
    },
  );

const lock = async (root: string): Promise<void> => {
  const path = join(root, LOCK);
  await mkdir(root, { recursive: true });
  while (!(await takeLock(path))) {
    const holder = Number(await readFile(path, 'utf8').catch(() => ''));
    if (!(await isLeft(path, holder)))
      throw new AppError(
        'unavailable',
        `Another command (process ${holder}) is changing ${root}. Wait until it is done`,
      );
    await rm(path, { force: true });
  }
};

/**
 * Runs a change of the folder of models, which is created, while no other process changes it. Throws
 * `AppError` while another one does; the lock of a process that has died is taken over.
 */
export const changingModels = async <T>(root: string, change: () => Promise<T>): Promise<T> => {
  try {
    await lock(root);
  } catch (error) {
    if (error instanceof AppError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new AppError('config', `The folder ${root} cannot be written to (${code})`, {
      cause: error,
    });
  }
  const path = join(root, LOCK);
  held.add(path);
  const signs = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, SIGN_MS).unref();
  try {
    return await change();
  } finally {
    clearInterval(signs);
    held.delete(path);
    await rm(path, { force: true });
  }
};
