import { emojiName } from './emoji-names.ts';
import { languageOf } from './spoken-language.ts';

const flag = /^\p{RI}{2}$/u;
const FIRST_INDICATOR = 0x1f1e6;

/** The letters of regional indicators. */
export const indicatorLetters = (written: string): string =>
  Array.from(written, (sign) =>
    String.fromCharCode(65 + (sign.codePointAt(0) ?? FIRST_INDICATOR) - FIRST_INDICATOR),
  ).join('');

/** The names of regions in the last language that was asked for: a text has one. */
let regions: { readonly locale: string; readonly names: Intl.DisplayNames } | undefined;

const regionsIn = (locale: string): Intl.DisplayNames => {
  if (regions?.locale !== locale)
    regions = {
      locale,
      names: new Intl.DisplayNames(locale, { type: 'region', fallback: 'none' }),
    };
  return regions.names;
};

/** The region of a flag; '' for regions without a name. */
const placeOf = (written: string, locale: string): string => {
  try {
    return regionsIn(locale).of(indicatorLetters(written)) ?? '';
  } catch {
    // Invalid as a locale.
    return '';
  }
};

/**
 * An emoji in the words of the voice's language: the region of a flag, or a name. '' in languages without names: voices cannot pronounce those of another language.
 */
export const emojiWord = (emoji: string, locale: string | undefined): string => {
  if (!flag.test(emoji)) return emojiName(emoji, locale);
  return locale === undefined ? '' : placeOf(emoji, locale);
};

const COMMAS: Readonly<Record<string, string>> = { ja: '、', zh: '，', ar: '،', fa: '،', ur: '،' };

/** The sign of a short pause. */
export const commaOf = (locale: string | undefined): string => COMMAS[languageOf(locale)] ?? ',';

const MOST_IN_A_ROW = 5;
const MOST_IN_A_TEXT = 15;

/**
 * Reads emoji that stand in a row with a pause between them, each of them once, and at most five in
 * a row and fifteen in a text.
 */
export const createEmojiRows = (text: string, locale: string | undefined) => {
  const comma = commaOf(locale);
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
