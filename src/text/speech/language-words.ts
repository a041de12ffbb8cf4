import { languageOf } from '../language/language-names.ts';
import languages from './languages.json' with { type: 'json' };

type Words = Readonly<Record<string, string>>;

const LANGUAGES: ReadonlyMap<string, Readonly<Record<string, Words>>> = new Map(
  Object.entries(languages),
);
const NONE: Words = {};

/**
 * Words of a locale's language for what `Intl` has no words for; none where the table lacks them.
 *
 * - `signs`: by sign, between numbers (`-`), before one (`~`, `#`) or between words (`&`)
 * - `fractions`: such as `1/2`; `and` stands between a number and a fraction
 * - `abbreviations`: `#` stands for a number before or after them, `@` for a name
 * - `decades`: a pattern of decades, their names from the twenties on, and centuries from the 16th on
 * - `words`: all else by its use; in them `#`, `{h}` and the like stand for what is put there
 */
export const wordsOf = (
  locale: string | undefined,
  kind: 'signs' | 'fractions' | 'abbreviations' | 'decades' | 'words',
): Words => LANGUAGES.get(languageOf(locale))?.[kind] ?? NONE;

const UNSPACED = new Set(['ja', 'zh', 'th']);

/** The separator between words of a language. */
export const gapOf = (locale: string): string => (UNSPACED.has(languageOf(locale)) ? '' : ' ');

/** Most keys that are kept: locales come from outside. */
const MOST_KEYS = 32;

/** Makes something once for each key, such as a locale. */
export const perKey = <T>(make: (key: string) => T): ((key: string) => T) => {
  const made = new Map<string, T>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    if (made.size >= MOST_KEYS) made.clear();
    const fresh = make(key);
    made.set(key, fresh);
    return fresh;
  };
};

/** Text as a pattern; the first letter may be a capital. */
export const patternOf = (text: string): string => {
  const [first = '', ...rest] = Array.from(text, (sign) =>
    sign.replace(/[$()*+./?[\\\]^{|}]/, String.raw`\$&`),
  );
  const capital = first.toUpperCase();
  return `${capital === first ? first : `(?:${first}|${capital})`}${rest.join('')}`;
};

/** One of these texts as a pattern, the longest first. */
export const anyOf = (texts: Iterable<string>): string =>
  `(?:${
    [...texts]
      .toSorted((a, b) => b.length - a.length)
      .map(patternOf)
      .join('|') || '(?!)'
  })`;
