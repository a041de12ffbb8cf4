import { readdir, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readRecord, type ModelRecord } from './record.ts';

/** A folder in the folder of models. */
export interface InstalledFolder {
  readonly name: string;
  /** Absolute path. */
  readonly path: string;
  readonly record: ModelRecord | undefined;
}

/** Lists the installed models by name. Empty when the folder does not exist. */
export const listInstalled = async (root: string): Promise<readonly InstalledFolder[]> => {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  const names = entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .toSorted((a, b) => a.localeCompare(b, 'en'));
  return Promise.all(
    names.map(async (name) => {
      const path = resolve(root, name);
      return { name, path, record: await readRecord(path) };
    }),
  );
};

/** Time at which a model was last put into the folder or taken out of it; 0 without a folder. */
const changedAt = async (root: string): Promise<number> =>
  (await stat(root).catch(() => undefined))?.mtimeMs ?? 0;

/**
 * Returns a function that gives what `inspect` makes of the installed models, anew after each
 * change, so that a model is used as soon as it is installed.
 */
export const followInstalled = <T>(
  root: string,
  inspect: (folders: readonly InstalledFolder[]) => Promise<T>,
): (() => Promise<T>) => {
  let seenAt = -1;
  let current: Promise<T> | undefined;
  return async () => {
    const at = await changedAt(root);
    if (current === undefined || at !== seenAt) {
      seenAt = at;
      current = listInstalled(root).then(inspect);
      current.catch(() => {
        current = undefined;
      });
    }
    return current;
  };
};
