import { languageOf } from '../language/language-names.ts';
import words from './words.json' with { type: 'json' };
import { amountOf, marksOf, NOT_AFTER, NOT_BEFORE, NUMBER, type Amount } from './written-number.ts';

/** Currencies by sign, with one of the same name elsewhere, by which the country is left out. */
const CURRENCIES = new Map(Object.entries(words.currencies));
const SIGNS = String.raw`(?:US|[ACR])?\$|[€£¥￥₹₩₽₴₺฿₫₪]`;
/** Words and letters of magnitudes; some mean another in English, or only there. */
const MAGNITUDES: readonly { pattern: string; value?: number; inEnglish?: number }[] =
  words.magnitudes;
const MAGNITUDE = `[ \\u00A0]?(${MAGNITUDES.map(({ pattern }) => pattern).join('|')})(?!\\p{sc=Latn}|\\p{sc=Cyrl})`;
const MAGNITUDE_OF = MAGNITUDES.map(({ pattern, ...values }) => ({
  written: new RegExp(`^(?:${pattern})$`, 'iu'),
  ...values,
}));
const money = new RegExp(
  String.raw`${NOT_AFTER}(?:(${SIGNS}) ?(${NUMBER})(?:${MAGNITUDE})?|(${NUMBER})(?:${MAGNITUDE})?[ \u00A0\u202F]?([$€£¥￥₹₩₽₴₺฿₫₪]|zł|Kč))${NOT_BEFORE}`,
  'giu',
);
/** The word between a magnitude of a million or more and its currency. */
const OF: Readonly<Record<string, string>> = { fr: ' de ', es: ' de ', pt: ' de ', it: ' di ' };

/** Units of `Intl` by their symbols. */
const UNITS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(words.units).flatMap(([unit, symbols]) => symbols.map((symbol) => [symbol, unit])),
);
/** The symbols of units as a pattern, the longest first. */
export const UNIT_SYMBOLS = Object.keys(UNITS)
  .toSorted((a, b) => b.length - a.length)
  .join('|');
const measured = new RegExp(
  String.raw`${NOT_AFTER}([-−]?${NUMBER})[ \u00A0\u202F]?(${UNIT_SYMBOLS})${NOT_BEFORE}`,
  'gu',
);

/** Percents in languages whose `Intl` has the sign alone. */
const PERCENT: Readonly<Record<string, (number: string) => string>> = {
  zh: (number) => `百分之${number}`,
  ko: (number) => `${number}퍼센트`,
};

const mixedMarks =
  /(?<![\w.,])(?:\d{1,3}(?:,\d{3})+\.\d+|\d{1,3}(?:\.\d{3})+,\d+)(?![\w%]|[.,]\d)/g;

/** Words of a name; a hyphen joins `US-Dollar`. */
const wordsOf = (name: string): string[] => name.split(/[\s-]+/);

const nameIn = (parts: readonly Intl.NumberFormatPart[]): string =>
  parts.find(({ type }) => type === 'currency')?.value ?? '';

/** Reads the amounts in texts of one language. */
const createAmountReader = (locale: string) => {
  const marks = marksOf(locale);
  const language = languageOf(locale);
  const formats = new Map<string, Intl.NumberFormat>();
  const formatOf = (
    { fractionDigits }: Amount,
    options: Intl.NumberFormatOptions,
  ): Intl.NumberFormat => {
    const key = `${options.currency ?? options.unit} ${fractionDigits}`;
    const digits = Math.min(fractionDigits, 20);
    const format =
      formats.get(key) ??
      new Intl.NumberFormat(locale, {
        ...options,
        // Voices take the spaces and apostrophes between groups for the end of a number.
        useGrouping: false,
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
      });
    formats.set(key, format);
    return format;
  };
  const priced = (amount: Amount, currency: string, magnitude = 1): Intl.NumberFormatPart[] =>
    magnitude === 1
      ? formatOf(amount, { style: 'currency', currency, currencyDisplay: 'name' }).formatToParts(
          amount.value,
        )
      : new Intl.NumberFormat(locale, {
          style: 'currency',
          currency,
          currencyDisplay: 'name',
          notation: 'compact',
          compactDisplay: 'long',
          maximumFractionDigits: 3,
        }).formatToParts(amount.value * magnitude);

  const currencyOf = (sign: string): readonly (string | undefined)[] =>
    language === 'zh' && /[¥￥]/.test(sign) ? ['CNY'] : (CURRENCIES.get(sign.toUpperCase()) ?? []);

  /** The name of a currency, without the country where another has the same name. */
  const nameOf = (sign: string, amount: Amount, name: string): string => {
    if (language === 'pt') return name.toLowerCase().replace(/ (?:americano|brasileiro)s?$/, '');
    const namesake = currencyOf(sign)[1];
    if (namesake === undefined) return name;
    const other = new Set(wordsOf(nameIn(priced(amount, namesake))));
    const common = wordsOf(name).filter((word) => other.has(word));
    return common.join(' ') || name;
  };
  const magnitudeOf = (written: string | undefined): number => {
    if (written === undefined) return 1;
    const { value = Number.NaN, inEnglish = value } =
      MAGNITUDE_OF.find((each) => each.written.test(written)) ?? {};
    return language === 'en' ? inEnglish : value;
  };

  return {
    money: (sign: string, written: string, magnitude?: string): string | undefined => {
      // In Spanish it stands for pesos as often.
      if (sign === '$' && language === 'es') return undefined;
      const amount = amountOf(written, marks, 2);
      const [code] = currencyOf(sign);
      const times = magnitudeOf(magnitude);
      if (!amount || code === undefined || Number.isNaN(times)) return undefined;
      const parts = priced(amount, code, times);
      const of = times * amount.value >= 1e6 && times > 1 ? OF[language] : undefined;
      return parts
        .map(({ type, value }, index) => {
          if (type === 'currency') return nameOf(sign, amount, value);
          const isLast = type === 'literal' && parts[index + 1]?.type === 'currency';
          if (!isLast || of === undefined) return value;
          return language === 'fr' && parts[index + 1]?.value.startsWith('e') ? ' d’' : of;
        })
        .join('');
    },
    measured: (written: string, symbol: string): string | undefined => {
      const isNegative = /^[-−]/.test(written);
      const amount = amountOf(written.replace(/^[-−]/, ''), marks);
      const unit = UNITS[symbol];
      // Chinese voices and people say the letters.
      if (!amount || unit === undefined || (language === 'zh' && unit.endsWith('byte')))
        return undefined;
      const value = isNegative ? -amount.value : amount.value;
      const percent = unit === 'percent' ? PERCENT[language] : undefined;
      if (percent) return percent(formatOf(amount, {}).format(value));
      const spoken = formatOf(amount, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
      return spoken.includes('/') ? undefined : spoken;
    },
    plain: (written: string): string | undefined => {
      const isOwn =
        written.at(written.search(/[.,]\d+$/)) === marks.decimal &&
        /\d([.,])\d{3}/.exec(written)?.[1] === marks.group;
      const amount = isOwn ? undefined : amountOf(written, marks);
      return amount && formatOf(amount, {}).format(amount.value);
    },
  };
};

/**
 * Replaces money, measures and numbers with another language's marks by what voices of the language
 * read. Kept: numbers whose marks can be read in two ways, plain numbers, versions.
 */
export const spokenAmounts = (text: string, locale: string): string => {
  let made: ReturnType<typeof createAmountReader> | undefined;
  const reader = (): ReturnType<typeof createAmountReader> => (made ??= createAmountReader(locale));
  return text
    .replaceAll(
      money,
      (written, sign, after, magnitude, before, magnitudeBefore, signAfter) =>
        reader().money(sign ?? signAfter, after ?? before, magnitude ?? magnitudeBefore) ?? written,
    )
    .replaceAll(measured, (written, number, symbol) => reader().measured(number, symbol) ?? written)
    .replaceAll(mixedMarks, (written) => reader().plain(written) ?? written);
};
