import type { Person, MessageRef } from '../../model/place.ts';
import type { Detection } from './detect.ts';
import {
  LANGUAGES,
  PSEUDO_LOCALE,
  SAME_CODE,
  foldName,
  languageName,
  nameIndex,
} from './language-names.ts';

/** A line of chat whose language is asked for. */
export interface ChatLine {
  readonly ref: MessageRef;
  readonly author: Person;
}

/**
 * Lookup and detection of languages. Codes are BCP 47: `ja`, `zh`, `pt`, and `en-XA`, the
 * pseudo-locale.
 */
export interface Languages {
  /** The code for what a person typed: a code, or a name in any language; undefined if unknown. */
  find(typed: string): string | undefined;
  name(code: string, locale: string): string;
  /** Languages that match, the best match first. */
  search(typed: string, locale: string): readonly { code: string; name: string }[];
  /**
   * The language of a text; undefined where it is uncertain.
   *
   * @param line the line of chat that the text is: what was written before it helps
   */
  detect(text: string, line?: ChatLine): Detection | undefined;
  /** The languages in which a text may be, the likeliest first; `und` is none. */
  rank(text: string, line?: ChatLine): readonly Detection[];
}

export { languageName } from './language-names.ts';

const listed = new Set(LANGUAGES);
const codeShape = /^[a-z]{2,3}(?:[-_][a-z0-9]{2,8}){0,3}$/i;
const unspacedName = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]/u;
/** Longest input that is looked up; no language's name is longer. */
const MAX_TYPED_LENGTH = 100;
const MAX_FREE_TEXT_LENGTH = 1000;
const LONGEST_NAME_WORDS = 3;

const localeOf = (code: string): Intl.Locale | undefined => {
  try {
    return new Intl.Locale(code.replaceAll('_', '-'));
  } catch {
    return undefined;
  }
};

/** The listed code for a BCP 47 or ISO 639 code; a region that makes no difference is left out. */
const findCode = (typed: string): string | undefined => {
  if (listed.has(typed)) return typed;
  if (!codeShape.test(typed)) return undefined;
  const locale = localeOf(typed);
  if (!locale) return undefined;
  if (listed.has(locale.baseName)) return locale.baseName;
  if (locale.language === 'zh') return locale.maximize().script === 'Hant' ? 'zh-Hant' : 'zh';
  const language = SAME_CODE[locale.language] ?? locale.language;
  return listed.has(language) ? language : undefined;
};

/**
 * The code for what a person typed: a code (`ES`, `es-MX`, `spa`) or a name in the language itself
 * or in one of `NAME_LOCALES`, with any case and accents. Undefined if unknown.
 */
export const findLanguage = (typed: string): string | undefined => {
  const name = typed.trim();
  if (name === '' || name.length > MAX_TYPED_LENGTH) return undefined;
  const code = findCode(name) ?? nameIndex.codes.get(foldName(name));
  if (code) return code;
  const withoutBrackets = name.replace(/[(（[].*$/u, '').trim();
  return withoutBrackets === name || withoutBrackets === ''
    ? undefined
    : findLanguage(withoutBrackets);
};

/**
 * Fewest letters that are searched for within names: fewer are part of too many. One Chinese
 * character is enough.
 */
const FEWEST_LETTERS_WITHIN = 3;

/**
 * Ranks a match: 0 is best, undefined is none. `own` is the name in the reader's locale; only in it
 * the middle of a word counts, as people do not see the other names.
 */
const rank = (query: string, code: string, own: string): number | undefined => {
  if (code.toLowerCase() === query || own === query) return 0;
  if (own.startsWith(query) || code.toLowerCase().startsWith(`${query}-`)) return 1;
  const names = nameIndex.names.get(code) ?? [];
  if (names.includes(query)) return 2;
  if (names.some((name) => name.startsWith(query))) return 3;
  if (query.length < FEWEST_LETTERS_WITHIN && !unspacedName.test(query)) return undefined;
  if ([own, ...names].some((name) => name.includes(` ${query}`))) return 4;
  return own.includes(query) ? 5 : undefined;
};

/** Languages that match the input so far, best first, with names in `locale`; all for ''. */
export const searchLanguages = (
  typed: string,
  locale: string,
): readonly { readonly code: string; readonly name: string }[] => {
  const query = foldName(typed.slice(0, MAX_TYPED_LENGTH));
  const exact = query === '' ? undefined : findCode(typed.trim());
  return LANGUAGES.map((code) => ({ code, name: languageName(code, locale) }))
    .map((entry) => ({
      entry,
      rank: entry.code === exact ? 0 : rank(query, entry.code, foldName(entry.name)),
    }))
    .filter((ranked): ranked is typeof ranked & { rank: number } => ranked.rank !== undefined)
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ entry }) => entry);
};

/**
 * The part of a code that makes it a language of its own: regions do not count, ways of writing
 * Chinese do.
 */
const identity = (code: string): string => {
  const found = findCode(code);
  if (found === PSEUDO_LOCALE || found === 'zh-Hant') return found;
  if (found !== undefined && !found.includes('-')) return found;
  const language = localeOf(found ?? code)?.language;
  return language ?? code.toLowerCase();
};

/**
 * True when two codes are one language: `en-US` is `en`; `zh-Hant` is not `zh`, and `en-XA` only
 * itself.
 */
export const sameLanguage = (a: string, b: string): boolean => identity(a) === identity(b);

/**
 * Language names within words, the longest first; codes are left out, as `it` and `no` are words
 * too.
 */
const namesIn = (words: string): string[] => {
  const { codes, names } = nameIndex;
  if (unspacedName.test(words))
    return LANGUAGES.flatMap((code) => {
      const places = (names.get(code) ?? [])
        .filter((name) => unspacedName.test(name))
        .map((name) => ({ code, length: name.length, at: words.indexOf(name) }));
      return places.filter(({ at }) => at >= 0);
    })
      .toSorted((a, b) => a.at - b.at || b.length - a.length)
      .filter(({ at }, place, all) => place === 0 || at !== all[place - 1]?.at)
      .map(({ code }) => code);
  const list = words.split(' ');
  const found: string[] = [];
  for (let at = 0; at < list.length; at += 1)
    for (let length = Math.min(LONGEST_NAME_WORDS, list.length - at); length > 0; length -= 1) {
      const name = list.slice(at, at + length).join(' ');
      const code = name.length > 2 ? codes.get(name) : undefined;
      if (!code) continue;
      found.push(code);
      at += length - 1;
      break;
    }
  return found;
};

/**
 * Languages named in a voice's free-text description, in its order: `Japanese and English`, `ja-JP,
 * en`.
 */
export const languagesInWords = (freeText: string): string[] => {
  const pieces = freeText
    .slice(0, MAX_FREE_TEXT_LENGTH)
    .split(/[,;/|&+、・\n]|\s(?:and|und|et|y|e)\s/iu)
    .map((piece) => piece.trim());
  const found = pieces.flatMap((piece) => {
    const code = findLanguage(piece);
    return code ? [code] : namesIn(foldName(piece));
  });
  return [...new Set(found)];
};
