import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import { AppError, type Sentence } from './errors.ts';

export type MessageKey = keyof typeof import('../locales/en.json', { with: { type: 'json' } });

/** Says one sentence (ICU MessageFormat) in one locale. */
export type Translate = (
  key: MessageKey,
  params?: Readonly<Record<string, string | number>>,
) => string;

export interface Texts {
  /** The locales there are, English first. */
  readonly locales: readonly string[];
  /** The best locale there is for `wanted` (BCP 47 tags, best first); English when none fits. */
  pick(wanted: readonly string[]): string;
  /** Sentences in the best locale for `locale`; a sentence missing there is said in English. */
  in(locale: string): Translate;
  /** The keys of English that begin with `prefix`. */
  under(prefix: string): readonly MessageKey[];
  /** Whether English, the reference, has this key. */
  has(key: string): key is MessageKey;
}

const FALLBACK_LOCALE = 'en';

const readLocale = (path: string): Map<string, string> => {
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(path, 'utf8')) as object));
  } catch (cause) {
    throw new AppError('config', `locales/${basename(path)} is not readable as JSON`, { cause });
  }
};

/** Undefined for a sentence that is missing or broken: another locale's is said in its place. */
const parse = (text: string | undefined, locale: string): IntlMessageFormat | undefined => {
  try {
    return text === undefined
      ? undefined
      : new IntlMessageFormat(text, locale, undefined, { ignoreTag: true });
  } catch {
    return undefined;
  }
};

/** Reads every `<locale>.json` of `folder`. Blocking: for start-up only. */
export const loadTexts = (folder: string): Texts => {
  const tables = new Map<string, Map<string, string>>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json')))
    tables.set(basename(file, '.json'), readLocale(join(folder, file)));
  const english = tables.get(FALLBACK_LOCALE);
  if (!english) throw new AppError('config', 'locales/en.json is missing');
  const locales = [...tables.keys()].toSorted(
    (a, b) =>
      Number(b === FALLBACK_LOCALE) - Number(a === FALLBACK_LOCALE) || a.localeCompare(b, 'en'),
  );

  const pick = (wanted: readonly string[]): string => {
    for (const tag of wanted) {
      const parts = tag.toLowerCase().split('-');
      for (let length = parts.length; length > 0; length -= 1) {
        const prefix = parts.slice(0, length).join('-');
        const found = locales.find((locale) => locale.toLowerCase() === prefix);
        if (found) return found;
      }
    }
    return FALLBACK_LOCALE;
  };

  const formats = new Map<string, IntlMessageFormat>();
  const formatOf = (locale: string, key: MessageKey): IntlMessageFormat => {
    const id = `${locale} ${key}`;
    let format = formats.get(id);
    if (!format) {
      format =
        parse(tables.get(locale)?.get(key), locale) ??
        parse(english.get(key), FALLBACK_LOCALE) ??
        new IntlMessageFormat(key, FALLBACK_LOCALE);
      formats.set(id, format);
    }
    return format;
  };

  return {
    locales,
    pick,
    under: (prefix) => [...english.keys()].filter((key) => key.startsWith(prefix)) as MessageKey[],
    has: (key): key is MessageKey => english.has(key),
    in: (wanted) => {
      const locale = pick([wanted]);
      return (key, params) => String(formatOf(locale, key).format(params));
    },
  };
};

export const say = (translate: Translate, sentence: Sentence): string =>
  translate(sentence.key, sentence.params);
