import { createRequire } from 'node:module';
import { isLocale, languageOf } from '../language/language-names.ts';
import { perKey } from './language-words.ts';

/** The languages with names of emoji: Unicode CLDR's, as emojibase has them. */
export const EMOJI_LANGUAGES =
  'bn da de en en-gb es es-mx et fi fr hi hu it ja ko lt ms nb nl pl pt ru sv th uk vi zh zh-hant'.split(
    ' ',
  );

/** Tags whose names are in the file of another. */
const SAME_NAMES: Readonly<Record<string, string>> = {
  no: 'nb',
  nn: 'nb',
  'zh-tw': 'zh-hant',
  'zh-hk': 'zh-hant',
  'zh-mo': 'zh-hant',
  'es-419': 'es-mx',
};

const load = createRequire(import.meta.url);

/** The file that has the names in a language; undefined where there is none. */
const fileFor = (locale: string): string | undefined => {
  const [language = '', ...rest] = locale.toLowerCase().split(/[-_]/);
  return [`${language}-${rest[0] ?? ''}`, language]
    .map((tag) => SAME_NAMES[tag] ?? tag)
    .find((tag) => EMOJI_LANGUAGES.includes(tag));
};

// Variation selectors and skin tones do not change the name.
const variation = /\uFE0F|\p{EMod}/gu;

/**
 * The name of an emoji in a language; '' where there is none. A sequence without a name has that of
 * its first emoji. Names are loaded with the first emoji in a language: 45 kB, about 1 ms.
 */
export const emojiName = (emoji: string, locale: string | undefined): string => {
  const file = locale === undefined ? undefined : fileFor(locale);
  if (file === undefined) return '';
  // Node keeps what it has loaded.
  const names = load(`./emoji/${file}.json`) as Readonly<Record<string, string>>;
  const sign = emoji.replaceAll(variation, '');
  return names[sign] ?? names[sign.split('\u200D')[0] ?? ''] ?? '';
};

const flag = /^\p{RI}{2}$/u;
const FIRST_INDICATOR = 0x1f1e6;

/** The letters of regional indicators. */
export const indicatorLetters = (written: string): string =>
  Array.from(written, (sign) =>
    String.fromCharCode(65 + (sign.codePointAt(0) ?? FIRST_INDICATOR) - FIRST_INDICATOR),
  ).join('');

const regionsFor = perKey(
  (locale) => new Intl.DisplayNames(locale, { type: 'region', fallback: 'none' }),
);

/**
 * An emoji in the words of the voice's language: the region of a flag, or a name. '' in languages without names: voices cannot pronounce those of another language.
 */
export const emojiWord = (emoji: string, locale: string | undefined): string => {
  if (!flag.test(emoji)) return emojiName(emoji, locale);
  return locale !== undefined && isLocale(locale)
    ? (regionsFor(locale).of(indicatorLetters(emoji)) ?? '')
    : '';
};

/** The sign of a short pause. */
const COMMAS: Readonly<Record<string, string>> = { ja: '、', zh: '，', ar: '،', fa: '،', ur: '،' };

const MOST_IN_A_ROW = 5;
const MOST_IN_A_TEXT = 15;

/**
 * Reads emoji that stand in a row with a pause between them, each of them once, and at most five in
 * a row and fifteen in a text.
 */
export const createEmojiRows = (text: string, locale: string | undefined) => {
  const comma = COMMAS[languageOf(locale)] ?? ',';
  let row = new Set<string>();
  let end = -1;
  let count = 0;
  return {
    /** The word to read for an emoji at this place; '' where it is left out. */
    read: (wordOf: () => string, start: number, nextStart: number): string => {
      const isNewRow = end < 0 || !/^[^\S\n]*$/.test(text.slice(end, start));
      if (isNewRow) row = new Set();
      end = nextStart;
      if (row.size >= MOST_IN_A_ROW || count >= MOST_IN_A_TEXT) return '';
      const word = wordOf();
      if (word === '' || row.has(word)) return '';
      const isFirst = row.size === 0;
      row.add(word);
      count += 1;
      return isFirst ? word : `${comma} ${word}`;
    },
  };
};
