import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { AppError } from '../../src/errors.ts';

const FILE = fileURLToPath(new URL('./catalogue.json', import.meta.url));

/** Names of models, which are also the names of their folders. */
export const MODEL_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

const catalogueFile = z.strictObject({
  url: z.url({ protocol: /^https$/ }),
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
  /** Seconds that one core works for a second of sound. */
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
export type CatalogueModel = z.infer<typeof catalogueModel>;

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

/** Language through which translation models are joined. */
const PIVOT = 'en';

/** Codes of models by the codes that mean the same. */
const SAME: Readonly<Record<string, string>> = { no: 'nb' };

const primary = (code: string): string => {
  const [language = code] = code.split('-');
  return SAME[language] ?? language;
};

const understands = ({ languages }: CatalogueModel, language: string): boolean =>
  languages.some((one) => primary(one) === primary(language));

/** The first recogniser that understands all the languages; otherwise the one that has the most. */
const chooseRecogniserOf = (
  models: readonly CatalogueModel[],
  languages: readonly string[],
): CatalogueModel | undefined => {
  const known = (model: CatalogueModel): number =>
    languages.filter((language) => understands(model, language)).length;
  return models.filter((model) => known(model) > 0).toSorted((a, b) => known(b) - known(a))[0];
};

/** The first voice of a language; of the very region where one is asked for and there is one. */
const chooseVoiceOf = (
  models: readonly CatalogueModel[],
  language: string,
): CatalogueModel | undefined =>
  models.find((model) => language.includes('-') && model.languages.includes(language)) ??
  models.find((model) => understands(model, language));

/**
 * Chooses models so that the languages can be heard, spoken and translated into each other. The
 * catalogue lists the best first.
 *
 * @param isSmall true for the smallest recogniser in place of the best
 */
export const chooseForLanguages = (
  catalogue: readonly CatalogueModel[],
  languages: readonly string[],
  isSmall = false,
) => {
  const of = (ability: CatalogueModel['ability']): readonly CatalogueModel[] =>
    catalogue.filter((model) => model.ability === ability);
  const chosen = new Set<CatalogueModel>();
  const missing: string[] = [];
  const take = (model: CatalogueModel | undefined, clause: string): void => {
    if (model) chosen.add(model);
    else missing.push(clause);
  };

  const recognisers = of('recognition');
  const recogniser = chooseRecogniserOf(
    isSmall ? recognisers.toReversed() : recognisers,
    languages,
  );
  if (recogniser) chosen.add(recogniser);
  for (const language of languages) {
    if (!recogniser || !understands(recogniser, language))
      missing.push(`recognition of ${language}`);
    take(chooseVoiceOf(of('speech'), language), `a voice for ${language}`);
  }

  const direction = (from: string, to: string): CatalogueModel | undefined =>
    of('translation').find(({ languages: [source, target] }) => source === from && target === to);
  const distinct = [...new Set(languages.map(primary))];
  for (const language of distinct.length > 1 ? distinct : []) {
    if (language === PIVOT) continue;
    take(direction(language, PIVOT), `translation from ${language}`);
    take(direction(PIVOT, language), `translation into ${language}`);
  }
  return {
    models: [...chosen],
    /** Gaps of the catalogue, each as a clause: `a voice for ja`. */
    missing,
  };
};
