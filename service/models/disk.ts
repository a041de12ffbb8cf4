import { open, readdir, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { AppError } from '../../src/errors.ts';

/** Formats a size for people: `21 MB`. */
export const megabytes = (bytes: number): string =>
  bytes < 9.5e9
    ? `${bytes < 9.5e6 ? (bytes / 1e6).toFixed(1) : Math.round(bytes / 1e6)} MB`
    : `${Math.round(bytes / 1e9)} GB`;

/** The error of a full disk: an operator's sentence. */
export const diskFull = (folder: string, needed?: number): AppError =>
  new AppError(
    'too-large',
    `The disk of ${folder} is full${needed === undefined ? '' : `: ${megabytes(needed)} more are needed`}. Make room, or set SERVICE_MODELS to a folder on another disk, and run the command again`,
  );

/**
 * Converts what writing a file threw to an operator's sentence, where it is about space.
 *
 * @param needed bytes that are still to be written, where that is known
 */
export const writeError = (error: unknown, folder: string, needed?: number): unknown =>
  ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException | undefined)?.code ?? '')
    ? diskFull(folder, needed)
    : error;

/** Room on the disk of a folder, which need not exist yet. */
export const freeBytesOf = async (folder: string): Promise<number> => {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch (error) {
    const parent = dirname(resolve(folder));
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === folder) throw error;
    return freeBytesOf(parent);
  }
};

/** Throws `AppError` when the disk of `folder` has less than `bytes` left. */
export const demandSpace = async (folder: string, bytes: number): Promise<void> => {
  const freeBytes = await freeBytesOf(folder);
  if (freeBytes < bytes) throw diskFull(folder, bytes - freeBytes);
};

/** Size of all files in a folder, and of those that its links lead to. */
export const folderBytes = async (folder: string): Promise<number> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) =>
      stat(join(parentPath, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
};

/**
 * Waits until the files of a folder are on the disk: where the power is lost after it was renamed, they
 * would be empty.
 */
export const syncFiles = async (folder: string): Promise<void> => {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    await using file = await open(join(entry.parentPath, entry.name), 'r+');
    await file.sync();
  }
};
