import { languageOf } from '../language/language-names.ts';
import { UNIT_SYMBOLS as SYMBOLS } from './spoken-amounts.ts';
import { NOT_AFTER } from './written-number.ts';
import languageWords from './words.json' with { type: 'json' };

/** Words for `-` before an amount, and for `-`, `=`, `<`, `>` between numbers, and for `&`. */
const SIGNS: Readonly<Record<string, readonly string[]>> = languageWords.signs;
/** Words for `-` before a temperature, where another word stands before other numbers. */
const BELOW_ZERO: Readonly<Record<string, string>> = { zh: '零下', ko: '영하 ', ja: 'マイナス' };

const AMOUNT = String.raw`(?:[A-Z]{0,2}[$€£¥￥₹₩₽₴₺] ?\d|\d[\d.,]*[ \u00A0]?[$€£¥￥₹₩₽₴₺])`;
const negativeAmount = new RegExp(String.raw`(?<=^|[\s(（「])[-−](?=${AMOUNT})`, 'gmu');
const negativeDegrees =
  /(?<=^|[\s(（「]|[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}])[-−](?=\d[\d.,]*[ \u00A0]?(?:°|℃|℉|度|도(?!\p{L})))/gmu;
/** A `-` between numbers is a subtraction in an equation alone: elsewhere it may be a score. */
const subtraction = /(?<=\d) [-−] (?=\d[\d.,]*(?: [-−+*/×] \d[\d.,]*)* =)/g;
const comparison = /(?<=\d) ([=<>]) (?=[-−]?\d)/g;
const ampersand = /(?<=\S) & (?=\S)/g;

/** Replaces signs that voices leave out, or read as others, by words. */
export const spokenSigns = (text: string, locale: string): string => {
  const language = languageOf(locale);
  const [minus, equals, less, greater, and] = SIGNS[language] ?? [];
  if (minus === undefined) return text;
  return text
    .replaceAll(negativeAmount, `${minus} `)
    .replaceAll(negativeDegrees, BELOW_ZERO[language] ?? `${minus} `)
    .replaceAll(subtraction, ` ${minus} `)
    .replaceAll(
      comparison,
      (_, sign) => ` ${{ '=': equals, '<': less, '>': greater }[sign as '=']} `,
    )
    .replaceAll(ampersand, ` ${and} `);
};

/** A half, a third, two thirds, a quarter, three quarters, and the word before them after a number. */
const FRACTIONS: Readonly<Record<string, readonly string[]>> = languageWords.fractions;
const EACH = ['1/2', '1/3', '2/3', '1/4', '3/4'];
/** Words between the two numbers of a fraction, of which the lower one comes first. */
const PARTS_OF: Readonly<Record<string, string>> = { ja: '分の', zh: '分之', ko: '분의 ' };
const fraction =
  /(?<![\d/.,\p{sc=Latn}\p{sc=Cyrl}])(?:(\d{1,3}) )?(([123])\/([234]))(?![\d/]|[.,]\d|[\p{sc=Latn}\p{sc=Cyrl}])( (?=\p{L})(?!(?:and|or|of|the|to|is|in|at|on|for)\b))?/giu;

/** Replaces common fractions by words; dates and rates such as `24/7` are kept. */
export const spokenFractions = (text: string, locale: string): string => {
  const language = languageOf(locale);
  const between = PARTS_OF[language];
  const words = FRACTIONS[language];
  if (!words && between === undefined) return text;
  return text.replaceAll(fraction, (written, whole, which, over, under, space = '') => {
    const place = EACH.indexOf(which as string);
    if (place < 0) return written;
    const number = whole === undefined ? '' : String(whole);
    if (!words) return `${number && `${number} `}${under}${between}${over}${space}`;
    if (language === 'en' && place === 0)
      return number === '' && space !== ''
        ? 'half a '
        : `${number && `${number} and a `}${number ? 'half' : words[0]}${space}`;
    return `${number && number + words[5]}${words[place]}${space}`;
  });
};

const CENTURIES: Readonly<Record<string, readonly string[]>> = languageWords.centuries;
const FIRST_CENTURY = 15;
const { decadesInEnglish: DECADES, decadesInGerman: ZEHNER } = languageWords;
const decade = /(?<![\p{L}\d.,])(?:(1[5-9]|20)|['’])?([2-9])0['’]?s(?![\p{L}\d])/gu;
const deDecade = /(?<![\p{L}\d.,])(1[5-9]|20)?([2-9])0er(?![\p{L}\d])/gu;
const halfDay = /(?<=\d) ?([ap])\.?m\b\.?(?! \d)/g;

/** Replaces `1760s`, `'90s`, `3pm` in English and `1990er` in German by words. */
export const spokenDecades = (text: string, locale: string): string => {
  const language = languageOf(locale);
  const century = (written?: string): string =>
    (written && CENTURIES[language]?.[Number(written) - FIRST_CENTURY]) ?? '';
  if (language === 'de')
    return text.replaceAll(
      deDecade,
      (_, hundreds, tens) =>
        `${hundreds ? `${century(hundreds)}hundert` : ''}${ZEHNER[Number(tens) - 2]}`,
    );
  if (language !== 'en') return text;
  return text
    .replaceAll(decade, (_, hundreds, tens) =>
      `${century(hundreds)} ${DECADES[Number(tens) - 2]}`.trim(),
    )
    .replaceAll(halfDay, (_, half: string) => ` ${half} m`);
};

/** The word between the ends of a range; languages that inflect their numbers have none. */
const UP_TO: Readonly<Record<string, string>> = languageWords.upTo;
const END = String.raw`\d{1,4}(?:[.,:]\d{1,2})?`;
/** Words of things that are counted, by which a hyphen between numbers is one of a range. */
const COUNTED_WORDS = languageWords.counted.join('|');
const COUNTED = String.raw`[ \u00A0]?(?:%|°|(?:${SYMBOLS}|[ap]\.?m)(?!\p{L})|[€£¥₹₽₴₺]|(?:${COUNTED_WORDS})(?!\p{L})|[時点點时分秒日天人年월月個个개歳岁살倍次回度℃円元원명]|초|분|시|일|주|번)`;
/** A hyphen between two times of day or two years is one of a range too. */
const BETWEEN_TIMES = String.raw`(?<=:\d\d)-(?=\d{1,2}:\d\d(?!\d))`;
const BETWEEN_YEARS = String.raw`(?<=(?<!\d)(?:1[5-9]|20)\d\d)-(?=(?:1[5-9]|20)\d\d(?![\d-]))`;
const DASH = String.raw`(?:[–~〜～]|-(?=${END}${COUNTED})|${BETWEEN_TIMES}|${BETWEEN_YEARS})`;
/** Words and signs after a range, but not after a score, a subtraction or an address. */
const range = new RegExp(
  String.raw`${NOT_AFTER}(?<![–~〜～])(${END})${DASH}(${END})(?![\d\p{sc=Latn}–~〜～-]|[.,:/]\d)`,
  'giu',
);
const rangeToHalfDay = new RegExp(
  String.raw`${NOT_AFTER}(${END}) ?[-–] ?(${END}) ?([ap])\.?m\b`,
  'giu',
);
const anyRange = /\d ?[–~〜～-] ?\d/;
const time = /:/;

const numeric = (end: string): number => Number(end.replace(/[,:]/, '.'));

/** True for two ends in their order; times of day may go on after midnight. */
const isRange = (first: string, last: string): boolean =>
  numeric(first) < numeric(last) || (time.test(first) && time.test(last));

/**
 * Replaces the dash of a range by the word for it: `10–12`, `2-3 pm`, `10:00-12:00`. Scores are
 * kept, and all ranges in languages that inflect their numbers, whose voices know better.
 */
export const spokenRanges = (text: string, locale: string): string => {
  const word = UP_TO[languageOf(locale)];
  if (word === undefined || !anyRange.test(text)) return text;
  return text
    .replaceAll(
      rangeToHalfDay,
      (_, first: string, last: string, half: string) =>
        `${first}${word}${last} ${half.toLowerCase()}m`,
    )
    .replaceAll(range, (written, first: string, last: string) =>
      isRange(first, last) ? `${first}${word}${last}` : written,
    );
};
