import { readdir, stat, readFile, writeFile } from 'node:fs/promises';
import { resolve, join } from 'node:path';
import { z } from 'zod';
import { AppError } from '../../src/errors.ts';

/** File in a model's folder that says where the model came from. */
const RECORD_FILE = 'dragoman-model.json';

/** Work of a model on this machine, as it was measured when it was installed. */
const measured = z.object({
  /** Seconds that recognition, or speech, takes for a second of sound. */
  realTimeFactor: z.number().positive().optional(),
  wordsPerSecond: z.number().positive().optional(),
  /** Memory of the process that has the model loaded. */
  memoryBytes: z.number().positive().optional(),
});
export type Measured = z.infer<typeof measured>;

/** Facts about an installed model that its files do not tell. */
const modelRecord = z.object({
  name: z.string(),
  /** Address, folder or archive that it came from. */
  source: z.string(),
  licence: z.string().optional(),
  /** BCP 47 codes; absent where they are not known. */
  languages: z.array(z.string()).optional(),
  gender: z.enum(['Male', 'Female', 'Neutral']).optional(),
  measured: measured.optional(),
  installedAt: z.iso.datetime(),
});
export type ModelRecord = z.infer<typeof modelRecord>;

/** Reads the record of a model; undefined for a folder that was put there by hand. */
export const readRecord = async (folder: string): Promise<ModelRecord | undefined> => {
  try {
    return modelRecord.parse(JSON.parse(await readFile(join(folder, RECORD_FILE), 'utf8')));
  } catch {
    return undefined;
  }
};

export const writeRecord = (folder: string, record: ModelRecord): Promise<void> =>
  writeFile(join(folder, RECORD_FILE), `${JSON.stringify(record, undefined, 2)}\n`);

/** A folder in the folder of models. */
export interface InstalledFolder {
  readonly name: string;
  /** Absolute path. */
  readonly path: string;
  readonly record: ModelRecord | undefined;
}

/** True for the folder of a model of that name, which may have been renamed since it was installed. */
export const isModel = ({ name, record }: InstalledFolder, wanted: string): boolean =>
  name === wanted || record?.name === wanted;

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

/** The findings of an engine in folders, and sentences about what cannot be used. */
export interface Inspected<T> {
  readonly found: readonly T[];
  readonly faults: readonly string[];
}

/**
 * Looks into each folder, of which one that cannot be used leaves the others.
 *
 * @param look resolves with undefined for a folder of another engine; rejects with the fault
 */
export const inspectFolders = async <T, Folder extends { readonly path: string }>(
  folders: readonly Folder[],
  look: (folder: Folder) => Promise<T | undefined>,
): Promise<Inspected<T>> => {
  const found: T[] = [];
  const faults: string[] = [];
  for (const folder of folders)
    try {
      const one = await look(folder);
      if (one !== undefined) found.push(one);
    } catch (thrown) {
      const { code, message } = thrown as NodeJS.ErrnoException;
      const fault = `${folder.path}: it cannot be read (${code ?? message})`;
      faults.push(thrown instanceof AppError ? message : fault);
    }
  return { found, faults };
};

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
    // A folder changes as a model is put into it or taken out; 0 without a folder.
    const at = (await stat(root).catch(() => undefined))?.mtimeMs ?? 0;
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
