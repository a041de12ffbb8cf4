import { open, readdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
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

/** Converts what writing a file threw to an operator's sentence, where it is about space. */
export const writeError = (error: unknown, folder: string): unknown =>
  ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException | undefined)?.code ?? '')
    ? diskFull(folder)
    : error;

/** Throws `AppError` when the disk of `folder` has less than `bytes` left. */
export const demandSpace = async (folder: string, bytes: number): Promise<void> => {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < bytes) throw diskFull(folder, bytes - bavail * bsize);
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
