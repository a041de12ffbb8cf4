import languageData from './languages.json' with { type: 'json' };

/** The pseudo-locale: English with accents and brackets (see service/engines/pseudo.ts), for tests of translations. */
export const PSEUDO_LOCALE = 'en-XA';

/** Languages that people can choose, in BCP 47; the most used in chat come first. */
export const LANGUAGES: readonly string[] = (
  'en es ja zh zh-Hant ko fr de pt pt-BR ru it id tr vi ar hi pl nl th uk sv cs ro el hu fi da no ' +
  'he fa tl ms bn ur ta te bg hr sr sk sl lt lv et ca eu gl ka hy az kk uz tg be mk bs sq is ga cy mt ' +
  'af sw zu so yo ha am ne mr gu pa kn ml si my km lo mn ps jv yue eo la ' +
  PSEUDO_LOCALE
).split(' ');

/** Language subtags that stand for a code of the list, after canonicalisation by Unicode. */
export const SAME_CODE: Readonly<Record<string, string>> = { nb: 'no', nn: 'no', fil: 'tl' };

/** The locales whose names of languages people may type, besides each language's own. */
export const NAME_LOCALES = ['en', 'ja', 'zh', 'zh-Hant', 'ko', 'es', 'fr', 'de', 'pt'] as const;

/** Names from voice lists and in common use that Unicode does not have for a language. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = languageData.names;

/** Locales with prepared names; the number is bounded because locales come from outside. */
const MAX_READY_LOCALES = 64;
const ready = new Map<string, Intl.DisplayNames>();

const namesIn = (locale: string): Intl.DisplayNames => {
  const known = ready.get(locale);
  if (known) return known;
  let names: Intl.DisplayNames;
  try {
    names = new Intl.DisplayNames(locale, { type: 'language' });
  } catch {
    // Invalid as a locale.
    names = new Intl.DisplayNames('en', { type: 'language' });
  }
  if (ready.size >= MAX_READY_LOCALES) ready.clear();
  ready.set(locale, names);
  return names;
};

/**
 * The language's name in `locale`, or in English where that is no valid locale; the code if it has
 * none.
 */
export const languageName = (code: string, locale: string): string => {
  try {
    return namesIn(locale).of(code) ?? code;
  } catch {
    return code;
  }
};

/** Folds a name for comparison: without case, accents, brackets and punctuation. */
export const foldName = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

interface NameIndex {
  /** Code by folded name. */
  readonly codes: ReadonlyMap<string, string>;
  /** Folded names by code. */
  readonly names: ReadonlyMap<string, readonly string[]>;
}

const buildIndex = (): NameIndex => {
  const codes = new Map<string, string>();
  const names = new Map<string, string[]>();
  for (const code of LANGUAGES) {
    const inLocales = [...NAME_LOCALES, code].map((locale) => languageName(code, locale));
    const folded = new Set([...inLocales, ...(OTHER_NAMES[code] ?? [])].map(foldName));
    names.set(code, [...folded]);
    for (const name of folded) if (!codes.has(name)) codes.set(name, code);
  }
  return { codes, names };
};

let index: NameIndex | undefined;
/** The index of all names, built at its first use. */
export const nameIndex = (): NameIndex => (index ??= buildIndex());

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
