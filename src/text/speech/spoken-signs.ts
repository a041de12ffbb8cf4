import { languageOf } from '../language/language-names.ts';
import { gapOf, perKey, wordsOf } from './language-words.ts';
import amounts from './amounts.json' with { type: 'json' };
import { CURRENCY_SIGNS, UNIT_SYMBOLS } from './spoken-amounts.ts';
import { NOT_AFTER } from './written-number.ts';

const NUMBER = String.raw`\d[\d.,]*`;
const BEGIN = String.raw`(?<=^|[\s(（「])`;
const WITHOUT_SPACES = String.raw`[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]`;

/** A `-` before a temperature, before another number, and in an equation: elsewhere it may be a score. */
const belowZero = new RegExp(
  String.raw`(?:${BEGIN}|(?<=${WITHOUT_SPACES}))[-−](?=${NUMBER}[ \u00A0]?(?:°|℃|℉|度|도(?!\p{L})))`,
  'gmu',
);
const negative = new RegExp(
  String.raw`${BEGIN}(?<!\d\s)[-−](?=(?:[A-Z]{0,2}[$€£¥￥₹₩₽₴₺] ?)?\d)`,
  'gmu',
);
const subtraction = new RegExp(
  String.raw`(?<=\d) ?[-−] ?(?=${NUMBER}(?: ?[-−+*/×] ?${NUMBER}){0,8} ?=)`,
  'g',
);
const arithmetic = /(?<=\d) ([+*×÷]) (?=[-−]?\d)/g;
const relation = /(?<=\S) (<=|>=|[≤≥≠<>]|!=|={1,3}|&&?|\|\|) (?=\S)|(?<=\d)([<>=])(?=\d)/g;
const beforeNumber = new RegExp(String.raw`${BEGIN}([~#])(?=\d)`, 'gmu');
/** The signs that stand for one of the table. */
const SAME: Readonly<Record<string, string>> = {
  '≤': '<=',
  '≥': '>=',
  '≠': '!=',
  '==': '=',
  '===': '=',
  '&&': '&',
  '×': '*',
  '÷': '/',
};

/** Replaces signs that voices leave out, or read as others, by words. */
export const spokenSigns = (text: string, locale: string): string => {
  const signs = wordsOf(locale, 'signs');
  const minus = signs['-'];
  if (minus === undefined) return text;
  const { belowZero: cold = minus, negative: below = minus } = wordsOf(locale, 'words');
  const gap = gapOf(locale);
  const wordOf = (sign: string): string => ` ${signs[SAME[sign] ?? sign]} `;
  return text
    .replaceAll(belowZero, `${cold}${gap}`)
    .replaceAll(subtraction, ` ${minus} `)
    .replaceAll(negative, `${below}${gap}`)
    .replaceAll(arithmetic, (_, sign: string) => wordOf(sign))
    .replaceAll(relation, (_, spaced?: string, joined?: string) => wordOf(spaced ?? joined ?? ''))
    .replaceAll(beforeNumber, (_, sign: string) => `${signs[sign]}${gap}`);
};

const fractionSign = /(?<=(\d)?) ?([½⅓⅔¼¾])/g;
const fraction =
  /(?<![\d/.,\p{sc=Latn}\p{sc=Cyrl}])(?:(\d{1,3}) )?(([123])\/([234]))(?![\d/]|[.,]\d|[\p{sc=Latn}\p{sc=Cyrl}])( (?=\p{L})(?!(?:and|or|of|the|to|is|in|at|on|for)\b))?/giu;

/** Replaces common fractions by words; dates and rates such as `24/7` are kept. */
export const spokenFractions = (text: string, locale: string): string => {
  const fractions = wordsOf(locale, 'fractions');
  const { partsOf } = wordsOf(locale, 'words');
  if (partsOf === undefined && !('1/2' in fractions)) return text;
  return text
    .replaceAll(
      fractionSign,
      (_, digit: string | undefined, sign: string) =>
        `${digit === undefined ? '' : ' '}${sign.normalize('NFKC').replace('⁄', '/')}`,
    )
    .replaceAll(fraction, (written, whole = '', which, over, under, space = '') => {
      if (partsOf !== undefined) return `${whole && `${whole} `}${under}${partsOf}${over}${space}`;
      const word = fractions[which];
      if (word === undefined) return written;
      // English alone has other words for a half before a noun and after a number.
      const half = which === '1/2' ? fractions : {};
      if (whole !== '')
        return `${whole}${half['and a half'] ?? `${fractions['and']}${word}`}${space}`;
      return `${(space && half['half']) || word}${space}`;
    });
};

const decadesFor = perKey((locale) => {
  const { pattern, gap = '', centuries = '', tens = '' } = wordsOf(locale, 'decades');
  const written = pattern && new RegExp(String.raw`(?<![\p{L}\d.,])${pattern}(?![\p{L}\d])`, 'gu');
  return { written, gap, centuries: centuries.split('|'), tens: tens.split('|') };
});
const FIRST_CENTURY = 15;
const FIRST_TEN = 2;
const halfDay = /(?<=\d)(?::00)? ?([ap])(?:m|\.m\.?)(?![\p{L}\d])(?! \d)/gu;

/** Replaces `1760s` and `'90s` by words in languages that add an ending to the number, and `3pm`. */
export const spokenDecades = (text: string, locale: string): string => {
  const { written, gap, centuries, tens } = decadesFor(locale);
  if (!written) return text;
  const spoken = text.replaceAll(written, (...found) => {
    const { century, ten, ending = '' } = found.at(-1) as Record<string, string | undefined>;
    const decade = `${tens[Number(ten) - FIRST_TEN]}${ending}`;
    return century ? `${centuries[Number(century) - FIRST_CENTURY]}${gap}${decade}` : decade;
  });
  return languageOf(locale) === 'en'
    ? spoken.replaceAll(halfDay, (_, half: string) => ` ${half} m`)
    : spoken;
};

const END = String.raw`\d{1,4}(?:[.,:]\d{1,2})?`;
/** What is counted, by which a hyphen between numbers is one of a range. */
const COUNTED = String.raw`[ \u00A0]?(?:%|°|(?:${UNIT_SYMBOLS}|[ap]\.?m)(?!\p{L})|${CURRENCY_SIGNS}|(?:${amounts.counted.join('|')})(?!\p{L})|[時点點时分秒日天人年月月個个개歳岁살倍次回度℃円元원명]|초|분|시|일|주|번)`;
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
const rangeOfMoney = new RegExp(String.raw`(?<![\p{L}\d])([$€£¥₹]) ?(${END})[-–]\1?(?=\d)`, 'gu');
/** A score stands beside a word that says so. */
const score = new RegExp(
  String.raw`(?<=(?<!\p{L})(?:${amounts.scores})(?: \p{L}{1,10}){0,2} )(\d{1,3})[-–](\d{1,3})(?![\d\p{L}–-]|[.,:/]\d)|(?<![\d.,:/–-])(\d{1,3})[-–](\d{1,3})(?= (?:${amounts.scores})(?!\p{L})|(?:${amounts.scoresAfter}))`,
  'giu',
);
const anyRange = /\d ?[–~〜～-] ?[$€£¥₹]?\d/;
const time = /:/;

const numeric = (end: string): number => Number(end.replace(/[,:]/, '.'));

/** True for two ends in their order; times of day may go on after midnight. */
const isRange = (first: string, last: string): boolean =>
  numeric(first) < numeric(last) || (time.test(first) && time.test(last));

/**
 * Replaces the dash of a range by the word for it: `10–12`, `2-3 pm`, `10:00-12:00`, and that of a
 * score in words: `won 3-2`. Kept are other scores, and all ranges in languages that inflect their numbers, whose voices know better.
 */
export const spokenRanges = (text: string, locale: string): string => {
  const { upTo, score: between } = wordsOf(locale, 'words');
  if (!anyRange.test(text)) return text;
  const withScores =
    between === undefined
      ? text
      : text.replaceAll(
          score,
          (_, first, second, before, after) => `${first ?? before}${between}${second ?? after}`,
        );
  if (upTo === undefined) return withScores;
  return withScores
    .replaceAll(rangeOfMoney, (_, sign: string, first: string) => `${first}${upTo}${sign}`)
    .replaceAll(
      rangeToHalfDay,
      (_, first: string, last: string, half: string) =>
        `${first}${upTo}${last} ${half.toLowerCase()}m`,
    )
    .replaceAll(range, (written, first: string, last: string) =>
      isRange(first, last) ? `${first}${upTo}${last}` : written,
    );
};
