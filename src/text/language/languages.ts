import type { Channel, Person, MessageRef } from '../../model/place.ts';
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

/** The writer or speaker of a text that is no line of the chat by itself. */
export interface Writer {
  readonly author: Person;
  readonly channel: Channel;
  /** The language that they have chosen for themselves. */
  readonly chosen: string | undefined;
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
   * @param by the line of chat that the text is, or its writer: what they wrote before helps
   */
  detect(text: string, by?: ChatLine | Writer): Detection | undefined;
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
  const code = findCode(name) ?? nameIndex().codes.get(foldName(name));
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
  const names = nameIndex().names.get(code) ?? [];
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
  const { codes, names } = nameIndex();
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

/**
 * Official languages of countries whose most likely language in Unicode (CLDR, likely subtags) is
 * not on our list, or not the one that most people there grow up with.
 */
const BY_COUNTRY: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    da: 'FO GL',
    be: 'BY',
    en: 'AS GH LS PG PW RW TO TV VU WS ZW',
    es: 'PY',
    fr: 'BI CF HT MG ML SN',
    kk: 'KZ',
    nl: 'BQ CW',
    'pt-BR': 'BR',
    ru: 'KG',
  }).flatMap(([code, countries]) =>
    countries.split(' ').map((country): [string, string] => [country, code]),
  ),
);

const BY_PART: Readonly<Record<string, string>> = { gbeng: 'en', gbsct: 'en', gbwls: 'cy' };

/** Languages whose best-known flag is of a country that speaks another one more, or of none. */
const OTHER_FLAGS: Readonly<Record<string, string>> = {
  af: 'ZA',
  ar: 'SA',
  cy: 'gbwls',
  en: 'GB',
  ga: 'IE',
  la: 'VA',
  pt: 'PT',
  ps: 'AF',
  yue: 'HK',
};

const flagEmoji = /^(?:\p{RGI_Emoji_Flag_Sequence}|\p{RGI_Emoji_Tag_Sequence})$/v;
const REGIONAL_A = 0x1f1e6;
const TAG_OFFSET = 0xe0000;
const BLACK_FLAG = '🏴';
const END_OF_TAGS = '\u{E007F}';

/** The region of a flag: `JP` for 🇯🇵, `gbwls` for the flag of Wales. */
const placeOf = (emoji: string): string => {
  const points = Array.from(emoji, (char) => char.codePointAt(0) ?? 0);
  if (emoji.startsWith(BLACK_FLAG))
    return String.fromCodePoint(...points.slice(1, -1).map((point) => point - TAG_OFFSET));
  return String.fromCodePoint(...points.map((point) => point - REGIONAL_A + 0x41));
};

const emojiOf = (place: string): string => {
  const points = Array.from(place, (char) => char.charCodeAt(0));
  if (place.length > 2)
    return BLACK_FLAG + String.fromCodePoint(...points.map((p) => p + TAG_OFFSET)) + END_OF_TAGS;
  return String.fromCodePoint(...points.map((point) => point - 0x41 + REGIONAL_A));
};

/**
 * The main language of a flag's country, as a code of our list: the one that Unicode (CLDR) gives
 * as likely there, which follows the number of speakers. Undefined for anything but a country's flag
 * (🇯🇵), and for countries without a language of our list.
 */
export const languageOfFlag = (emoji: string): string | undefined => {
  if (!flagEmoji.test(emoji)) return undefined;
  const place = placeOf(emoji);
  if (place.length > 2) return BY_PART[place];
  // The European Union and the United Nations have flags, and no language.
  if (place === 'EU' || place === 'UN' || place === 'AQ') return undefined;
  const known = BY_COUNTRY[place];
  if (known) return known;
  const { language, script } = new Intl.Locale(`und-${place}`).maximize();
  return findLanguage(language === 'zh' ? `zh-${script}` : language);
};

/** True of a country's flag, whether its country has a language of our list or not. */
export const isCountryFlag = (emoji: string): boolean => flagEmoji.test(emoji);

const findFlag = (language: string): string | undefined => {
  const other = OTHER_FLAGS[language];
  if (other) return emojiOf(other);
  const { region = '' } = new Intl.Locale(language).maximize();
  const emoji = /^[A-Z]{2}$/.test(region) ? emojiOf(region) : '';
  return languageOfFlag(emoji) === language ? emoji : undefined;
};

/** Flags by listed code, each computed at its first use. */
const flags = new Map<string, string | undefined>();

/** The flag that most people connect with a language; undefined where no flag is its alone. */
export const flagOfLanguage = (code: string): string | undefined => {
  const language = findLanguage(code);
  if (!language) return undefined;
  if (!flags.has(language)) flags.set(language, findFlag(language));
  return flags.get(language);
};
