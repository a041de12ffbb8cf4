import { languageOf, SAME_CODE } from '../../../src/text/language/language-names.ts';

/** The one code of a language that has several: `tl` for `fil`, `jv` for `jw`, `no` for `nb`. */
const common = (code: string): string => {
  const base = languageOf(code);
  try {
    const canonical = languageOf(Intl.getCanonicalLocales(base)[0]);
    return SAME_CODE[canonical] ?? canonical;
  } catch {
    return base;
  }
};

/**
 * The code by which a model knows a language.
 *
 * @param language BCP 47 code
 * @param codes the model's own
 * @returns undefined for a language that it does not know
 */
export const codeOfModel = (language: string, codes: readonly string[]): string | undefined => {
  const base = languageOf(language);
  if (codes.includes(base)) return base;
  const wanted = common(language);
  return codes.find((code) => common(code) === wanted);
};
