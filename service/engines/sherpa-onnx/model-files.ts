import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../../src/errors.ts';

/** The error of a folder that holds no usable model: an operator's sentence. */
export const unusable = (folder: string, what: string): AppError =>
  new AppError('config', `${folder}: ${what}`);

/** Picks the smaller, quantised file when a folder has both. */
export const pickOnnx = (files: readonly string[], part = /(?:)/): string | undefined => {
  const found = files.filter((file) => file.endsWith('.onnx') && part.test(file));
  return found.find((file) => file.includes('int8')) ?? found[0];
};

/** The names in a folder, sorted. Throws `AppError` (`config`) when it is none. */
export const listFiles = async (folder: string): Promise<readonly string[]> => {
  try {
    return (await readdir(folder)).toSorted();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw unusable(
      folder,
      code === 'ENOENT'
        ? 'there is no such folder'
        : code === 'ENOTDIR'
          ? 'it is a file; give the folder that the model is in'
          : `the folder cannot be read (${code})`,
    );
  }
};

/** Throws `AppError` (`config`) for a file without content. */
export const checkContents = async (folder: string, files: readonly string[]): Promise<void> => {
  for (const file of files) {
    const { size } = await stat(join(folder, file));
    if (size === 0) throw unusable(folder, `${file} is empty; was the download cut off?`);
  }
};
