import { gapOf, perKey, wordsOf } from './language-words.ts';
import amounts from './amounts.json' with { type: 'json' };
import rules from './signs.json' with { type: 'json' };
import { CURRENCY_SIGNS, UNIT_SYMBOLS } from './spoken-amounts.ts';
import { NOT_AFTER } from './written-number.ts';

/** Patterns of signs, each with the words that stand for it: `{<}` is the word of a language for `<`. */
// Not by a modifier within the pattern: the engine at times forgets that it ignores case.
const RULES = rules.map(({ pattern, words, ignoreCase }) => ({
  pattern: new RegExp(pattern, ignoreCase ? 'gimu' : 'gmu'),
  words,
}));
const place = /\{([^}]+)\}/g;

/** The rules for which a language has the words. */
const rulesFor = perKey((locale) => {
  const signs = wordsOf(locale, 'signs');
  const minus = signs['-'] ? { belowZero: signs['-'], negative: signs['-'] } : {};
  const words: Readonly<Record<string, string>> = {
    ...signs,
    ...minus,
    ...wordsOf(locale, 'words'),
    gap: gapOf(locale),
  };
  return RULES.filter((rule) =>
    [...rule.words.matchAll(place)].every(([, name = '']) => name in words),
  ).map((rule) => ({
    pattern: rule.pattern,
    spoken: rule.words.replaceAll(place, (_, name: string) => words[name] ?? ''),
  }));
});

/** Replaces signs that voices leave out, or read as others, by words. */
export const spokenSigns = (text: string, locale: string): string => {
  let words = text;
  for (const { pattern, spoken } of rulesFor(locale)) words = words.replaceAll(pattern, spoken);
  return words;
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
      if (partsOf !== undefined)
        return `${whole && `${whole}${fractions['and']}`}${under}${partsOf}${over}${space}`;
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

/** Replaces `1760s` and `'90s` by words in languages that add an ending to the number. */
export const spokenDecades = (text: string, locale: string): string => {
  const { written, gap, centuries, tens } = decadesFor(locale);
  if (!written) return text;
  return text.replaceAll(written, (...found) => {
    const { century, ten, ending = '' } = found.at(-1) as Record<string, string | undefined>;
    const decade = `${tens[Number(ten) - FIRST_TEN]}${ending}`;
    return century ? `${centuries[Number(century) - FIRST_CENTURY]}${gap}${decade}` : decade;
  });
};

const END = String.raw`\d{1,4}(?:[.,:]\d{1,2})?`;
/** Things that are counted: before one, a hyphen between numbers is that of a range. */
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
const time = /:/;

const numeric = (end: string): number => Number(end.replace(/[,:]/, '.'));

/** True for two ends in their order; times of day may go on after midnight. */
const isRange = (first: string, last: string): boolean =>
  numeric(first) < numeric(last) || (time.test(first) && time.test(last));

/**
 * Replaces the dash of a range by the word for it: `10–12`, `10:00-12:00`, `5-10 km`. Scores are kept,
 * and all ranges in languages that inflect their numbers, whose voices know better.
 */
export const spokenRanges = (text: string, locale: string): string => {
  const { upTo } = wordsOf(locale, 'words');
  if (upTo === undefined) return text;
  return text.replaceAll(range, (written, first: string, last: string) =>
    isRange(first, last) ? `${first}${upTo}${last}` : written,
  );
};
