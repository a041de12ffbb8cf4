import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../../src/errors.ts';
import type { InstalledFolder } from '../../models/installed.ts';

/** Arithmetic that the model's weights were made for (README of firefox-translations-models). */
export type Precision = 'int8shiftAlphaAll' | 'int8shiftAll' | 'float32';

/** One direction of translation, with the paths of its files. */
export interface TranslationModel {
  readonly from: string;
  readonly to: string;
  readonly model: string;
  /** One vocabulary for both languages, or one for each. */
  readonly vocabularies: readonly string[];
  /** Likely translations of each word, which make it faster; models work without. */
  readonly shortlist: string | undefined;
  readonly precision: Precision;
}

const MODEL_FILE = /^model\.([a-z]{2,3})([a-z]{2,3})\..*bin$/;

const precisionOf = (file: string): Precision => {
  if (file.includes('intgemm.alphas')) return 'int8shiftAlphaAll';
  return file.includes('intgemm8') ? 'int8shiftAll' : 'float32';
};

/**
 * Detects the translation model in a folder by the names that Firefox Translations gives its files;
 * undefined for a folder without one. Throws `AppError` (`config`) for an incomplete one.
 */
export const findTranslationModel = async ({
  path,
  record,
}: Pick<InstalledFolder, 'path' | 'record'>): Promise<TranslationModel | undefined> => {
  const files = (await readdir(path)).toSorted();
  const file = files.find((name) => MODEL_FILE.test(name));
  if (file === undefined) return undefined;
  const [, source = '', target = ''] = MODEL_FILE.exec(file) ?? [];
  const [from = source, to = target] = record?.languages ?? [];
  const find = (start: string): string | undefined => {
    const name = files.find((each) => each.startsWith(`${start}.`));
    return name === undefined ? undefined : join(path, name);
  };
  const shared = find('vocab');
  const vocabularies = shared === undefined ? [find('srcvocab'), find('trgvocab')] : [shared];
  if (vocabularies.includes(undefined))
    throw new AppError('config', `${path}: a vocabulary (.spm) is missing`);
  return {
    from,
    to,
    model: join(path, file),
    vocabularies: vocabularies.filter((name) => name !== undefined),
    shortlist: find('lex'),
    precision: precisionOf(file),
  };
};
