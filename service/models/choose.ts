import type { CatalogueModel } from './catalogue.ts';

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

export interface ModelChoice {
  readonly models: readonly CatalogueModel[];
  /** Gaps of the catalogue, each as a clause: `a voice for ja`. */
  readonly missing: readonly string[];
}

export interface ChoiceOptions {
  /** True for the smallest recogniser in place of the best. */
  readonly small?: boolean;
}

/**
 * Chooses models so that the languages can be heard, spoken and translated into each other. The
 * catalogue lists the best first.
 */
export const chooseForLanguages = (
  catalogue: readonly CatalogueModel[],
  languages: readonly string[],
  { small = false }: ChoiceOptions = {},
): ModelChoice => {
  const of = (ability: CatalogueModel['ability']): readonly CatalogueModel[] =>
    catalogue.filter((model) => model.ability === ability);
  const chosen = new Set<CatalogueModel>();
  const missing: string[] = [];
  const take = (model: CatalogueModel | undefined, clause: string): void => {
    if (model) chosen.add(model);
    else missing.push(clause);
  };

  const recognisers = of('recognition');
  const recogniser = chooseRecogniserOf(small ? recognisers.toReversed() : recognisers, languages);
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
  return { models: [...chosen], missing };
};
