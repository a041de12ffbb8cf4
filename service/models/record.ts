import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** File in a model's folder that says where the model came from. */
const RECORD_FILE = 'dragoman-model.json';

/** Facts about an installed model that its files do not tell. */
export const modelRecord = z.object({
  name: z.string(),
  /** Address, folder or archive that it came from. */
  source: z.string(),
  licence: z.string().optional(),
  /** BCP 47 codes; absent where they are not known. */
  languages: z.array(z.string()).optional(),
  gender: z.enum(['Male', 'Female', 'Neutral']).optional(),
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
