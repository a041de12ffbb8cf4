import { languageOf, SAME_CODE } from '../src/text/language/language-names.ts';
import { findLanguage } from '../src/text/language/languages.ts';
import { invalidParameter } from './errors.ts';

const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

const canonical = (code: string): string | undefined => {
  try {
    const [found] = Intl.getCanonicalLocales(code.replaceAll('_', '-'));
    return found !== undefined && names.of(found) !== undefined ? found : undefined;
  } catch {
    return undefined;
  }
};

/** Converts a BCP 47 or ISO 639 code or a language's name to a BCP 47 code; undefined if unknown. */
export const toLanguage = (input: string): string | undefined =>
  canonical(input) ?? findLanguage(input);

/** The one code of a language that has several: `tl` for `fil`, `jv` for `jw`, `no` for `nb`. */
export const commonCode = (code: string): string => {
  const base = languageOf(code);
  try {
    const language = languageOf(Intl.getCanonicalLocales(base)[0]);
    return SAME_CODE[language] ?? language;
  } catch {
    return base;
  }
};

/** Converts a language as `toLanguage` does; throws a 400 that names the field for an unknown one. */
export const readLanguage = (field: string, input: string): string => {
  const code = toLanguage(input);
  if (code === undefined)
    throw invalidParameter(`Invalid parameter: ${field}: not a language code`);
  return code;
};
