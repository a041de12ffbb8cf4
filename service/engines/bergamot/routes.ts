import type { TranslationModel } from './model.ts';

/** Language through which two models are joined: those of Firefox all go from it or to it. */
const PIVOT = 'en';

/** Codes of models by the codes that mean the same. */
const SAME: Readonly<Record<string, string>> = { no: 'nb', iw: 'he', in: 'id' };

const localeOf = (code: string): Intl.Locale | undefined => {
  try {
    return new Intl.Locale(code).maximize();
  } catch {
    return undefined;
  }
};

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
