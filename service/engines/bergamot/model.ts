import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../../src/errors.ts';
import { isLocale } from '../../../src/text/language/language-names.ts';
import type { InstalledFolder } from '../../models/installed.ts';

/** Arithmetic that the model's weights were made for (README of firefox-translations-models). */
type Precision = 'int8shiftAlphaAll' | 'int8shiftAll' | 'float32';

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

/** Language through which two models are joined: those of Firefox all go from it or to it. */
const PIVOT = 'en';

/** Codes of models by the codes that mean the same. */
const SAME: Readonly<Record<string, string>> = { no: 'nb', iw: 'he', in: 'id' };

const localeOf = (code: string): Intl.Locale | undefined =>
  isLocale(code) ? new Intl.Locale(code).maximize() : undefined;

/** The models' code of a language; undefined for the pseudo-locale, which is no language. */
const codeOf = (code: string): string | undefined => {
  const locale = localeOf(code);
  if (!locale || locale.region === 'XA') return undefined;
  return SAME[locale.language] ?? locale.language;
};

/** True for a target in a script that the models do not write: theirs of Chinese is Simplified. */
const isOtherScript = (to: string): boolean => {
  const locale = localeOf(to);
  return locale?.language === 'zh' && locale.script === 'Hant';
};

/** The models that translate from one language to the other: one, or two through English. */
export const findRoute = (
  models: readonly TranslationModel[],
  from: string,
  to: string,
): readonly TranslationModel[] | undefined => {
  const [source, target] = [codeOf(from), codeOf(to)];
  if (source === undefined || target === undefined || source === target || isOtherScript(to))
    return undefined;
  const one = (start: string, end: string): TranslationModel | undefined =>
    models.find((model) => model.from === start && model.to === end);
  const direct = one(source, target);
  if (direct) return [direct];
  const [first, second] = [one(source, PIVOT), one(PIVOT, target)];
  return first && second ? [first, second] : undefined;
};
