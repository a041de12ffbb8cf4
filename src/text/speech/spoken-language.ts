/** The language of a locale in lower case; '' without one. */
export const languageOf = (locale: string | undefined): string =>
  locale?.split(/[-_]/)[0]?.toLowerCase() ?? '';

/** True for what `Intl` accepts as a locale. */
export const isLocale = (locale: string): boolean => {
  try {
    return Intl.getCanonicalLocales(locale).length > 0;
  } catch {
    return false;
  }
};
