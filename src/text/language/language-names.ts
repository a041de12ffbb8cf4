import { LANGUAGES, NAME_LOCALES, OTHER_NAMES } from './language-list.ts';

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

/** Index built while the module loads: the first use of ICU's names alone takes over 10 ms. */
export const nameIndex = buildIndex();
