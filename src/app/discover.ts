import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AppError } from '../errors.ts';

const nameOf = (path: string): string =>
  basename(path) === 'index.ts' ? basename(join(path, '..')) : basename(path, '.ts');

/**
 * Imports the default export of each `*.ts` file, or of each folder's `index.ts`, of `folder`, in
 * the order of their names. A folder without `index.ts` is passed over. The one file that is wrong is
 * named in the `AppError` (`config`).
 *
 * @param fault tells what is wrong with a default export, given the file's or folder's name
 */
export const discover = async <T>(
  folder: string,
  fault: (value: unknown, name: string) => string | undefined,
): Promise<readonly T[]> => {
  const entries = await readdir(folder, { withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isDirectory() || entry.name.endsWith('.ts'))
    .map(({ parentPath, name }) =>
      name.endsWith('.ts') ? join(parentPath, name) : join(parentPath, name, 'index.ts'),
    )
    .filter((path) => existsSync(path))
    .toSorted();
  const found: T[] = [];
  for (const path of paths) {
    const file = relative(join(folder, '..'), path);
    let value: unknown;
    try {
      ({ default: value } = (await import(pathToFileURL(path).href)) as { default?: unknown });
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message.split('\n', 1)[0] : 'unknown';
      throw new AppError('config', `${file} cannot be loaded: ${reason}`, { cause });
    }
    const wrong = fault(value, nameOf(path));
    if (wrong !== undefined) throw new AppError('config', `${file}: ${wrong}`);
    found.push(value as T);
  }
  return found;
};
