import { findLanguage } from './languages.ts';

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

const findFlag = (listed: string): string | undefined => {
  const other = OTHER_FLAGS[listed];
  if (other) return emojiOf(other);
  const { region = '' } = new Intl.Locale(listed).maximize();
  const emoji = /^[A-Z]{2}$/.test(region) ? emojiOf(region) : '';
  return languageOfFlag(emoji) === listed ? emoji : undefined;
};

/** Flags by listed code, each computed at its first use. */
const found = new Map<string, string | undefined>();

/** The flag that most people connect with a language; undefined where no flag is its alone. */
export const flagOfLanguage = (code: string): string | undefined => {
  const listed = findLanguage(code);
  if (!listed) return undefined;
  if (!found.has(listed)) found.set(listed, findFlag(listed));
  return found.get(listed);
};
