import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AppError } from './errors.ts';

/**
 * Imports the default export of each `*.ts` file, or of each folder's `index.ts`, of `folder`, in
 * the order of their names. The one file that is wrong is named in the `AppError` (`config`).
 *
 * @param check tells what is wrong with a default export, or nothing
 */
export const discover = async <T>(
  folder: string,
  check: (value: unknown) => value is T,
  shape: string,
): Promise<readonly T[]> => {
  const entries = (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory() || entry.name.endsWith('.ts'))
    .map((entry) => join(folder, entry.name, entry.isDirectory() ? 'index.ts' : ''))
    .map((path) => path.replace(/\/$/, ''))
    .toSorted();
  const found: T[] = [];
  for (const path of entries) {
    const name = relative(join(folder, '..'), path);
    let module: { default?: unknown };
    try {
      module = (await import(pathToFileURL(path).href)) as { default?: unknown };
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message.split('\n', 1)[0] : 'unknown';
      throw new AppError('config', `${name} cannot be loaded: ${reason}`, { cause });
    }
    if (!check(module.default))
      throw new AppError('config', `${name} has no default export that is ${shape}`);
    found.push(module.default);
  }
  return found;
};
