import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { AppError } from '../../src/errors.ts';

const FILE = fileURLToPath(new URL('./catalogue.json', import.meta.url));

/** Names of models, which are also the names of their folders. */
export const MODEL_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

const catalogueFile = z.strictObject({
  url: z.url({ protocol: /^https$/ }),
  /** Name of the file, where the address has another. */
  name: z
    .string()
    .regex(/^[\w.-]+$/)
    .optional(),
  bytes: z.int().positive(),
  /** Checksum of the file; absent where no public document states it. */
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
});

const catalogueModel = z.strictObject({
  name: z.string().regex(MODEL_NAME),
  ability: z.enum(['recognition', 'speech', 'translation', 'chat', 'diarisation']),
  title: z.string().min(1),
  /** BCP 47 codes; of a translation model the source and the target. */
  languages: z.array(z.string()).min(1),
  /** Memory of the process that has the model loaded. */
  memoryBytes: z.int().positive().optional(),
  /** Seconds that one core works for a second of sound: an estimate, by published figures or by models of the same kind. */
  realTimeFactor: z.number().positive().optional(),
  /** True for a recogniser that is fed sound as it comes. */
  isStreaming: z.boolean().optional(),
  /** True for a language model that was made to translate, between all its languages. */
  isForTranslation: z.boolean().optional(),
  /** SPDX identifier, or words where there is none. */
  licence: z.string().min(1),
  gender: z.enum(['Male', 'Female']).optional(),
  /** The project's page about the model. */
  page: z.url(),
  files: z.array(catalogueFile).min(1),
});
export type CatalogueModel = z.infer<typeof catalogueModel> & {
  /** The same model as the project lists it, to be taken where a file of a registry's is gone. */
  readonly pinned?: CatalogueModel;
};

const catalogueShape = z.strictObject({ models: z.array(catalogueModel).min(1) });

/** Reads the models that can be installed by name. */
export const loadCatalogue = async (file = FILE): Promise<readonly CatalogueModel[]> => {
  try {
    return catalogueShape.parse(JSON.parse(await readFile(file, 'utf8'))).models;
  } catch (cause) {
    throw new AppError('config', `The catalogue of models, ${file}, cannot be read`, { cause });
  }
};

/** Size of the download. */
export const bytesOf = ({ files }: CatalogueModel): number =>
  files.reduce((sum, { bytes }) => sum + bytes, 0);

/** Codes of models by the codes that mean the same. */
const SAME: Readonly<Record<string, string>> = { no: 'nb' };

/** The primary language of a code, as the names of models have it. */
export const primary = (code: string): string => {
  const [language = code] = code.split('-');
  return SAME[language] ?? language;
};
