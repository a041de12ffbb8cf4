import { languageOf } from '../language/language-names.ts';
import amounts from './amounts.json' with { type: 'json' };
import { anyOf, gapOf, perKey, wordsOf } from './language-words.ts';
import { amountOf, marksOf, NOT_AFTER, NOT_BEFORE, NUMBER, type Amount } from './written-number.ts';

/** Currencies by sign, with one of the same name elsewhere, by which the country is left out. */
const CURRENCIES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(amounts.currencies),
);
/** Units of `Intl` by their symbols. */
const UNITS: ReadonlyMap<string, string> = new Map(
  Object.entries(amounts.units).flatMap(([unit, symbols]) =>
    symbols.map((symbol): [string, string] => [symbol, unit]),
  ),
);
/** Symbols that mean something else where they are joined to a number, except in scripts without spaces. */
const AFTER_SPACE = new Set(amounts.unitsAfterSpace);
const JOINED = new Set(['ja', 'zh', 'ko']);
/** The symbols of units, and the signs of currencies, as patterns. */
export const UNIT_SYMBOLS = anyOf(UNITS.keys());
export const CURRENCY_SIGNS = anyOf(CURRENCIES.keys());

/** Words of magnitudes, abbreviations and letters; some mean another in English, or only there. */
const MAGNITUDES: readonly { pattern: string; value?: number; inEnglish?: number }[] =
  amounts.magnitudes;
const MAGNITUDE = `(${MAGNITUDES.map(({ pattern }) => pattern).join('|')})(?!\\p{sc=Latn}|\\p{sc=Cyrl})`;
const magnitudes = MAGNITUDES.map(({ pattern, ...values }) => ({
  written: new RegExp(`^(?:${pattern})$`, 'iu'),
  ...values,
}));

const SPACE = String.raw`[ \u00A0\u202F]?`;
/** Also the end of a range that is kept. */
const BEFORE = String.raw`(?:${NOT_AFTER}|(?<=(?<![\w.,:/–-])\d{1,4}[–-]))`;
const money = new RegExp(
  String.raw`(?:${NOT_AFTER}(${CURRENCY_SIGNS}) ?(${NUMBER})(?:${SPACE}${MAGNITUDE})?|${BEFORE}(${NUMBER})(?:${SPACE}${MAGNITUDE})?${SPACE}(${CURRENCY_SIGNS}))${NOT_BEFORE}`,
  'giu',
);
/** Plain numbers with a magnitude that is no word; `401k` is a pension. */
const counted = new RegExp(
  String.raw`${NOT_AFTER}(?!401k)(${NUMBER})(?:([km])|${SPACE}(${amounts.abbreviatedMagnitudes}))(?!\p{L})${NOT_BEFORE}`,
  'giu',
);
const measured = new RegExp(
  String.raw`${BEFORE}(${NUMBER})(${SPACE})(${UNIT_SYMBOLS})${NOT_BEFORE}`,
  'gu',
);
const mixedMarks =
  /(?<![\w.,])(?:\d{1,3}(?:,\d{3})+\.\d+|\d{1,3}(?:\.\d{3})+,\d+)(?![\w%]|[.,]\d)/g;

/** The words that two names have in common; a hyphen joins `US-Dollar`. */
const commonWords = (name: string, other: string): string => {
  const others = new Set(other.split(/[\s-]+/));
  const common = name.split(/[\s-]+/).filter((word) => others.has(word));
  return common.join(' ') || name;
};

/** Reads the amounts in texts of one language; each gives undefined for what it cannot read. */
const readerFor = perKey((locale) => {
  const marks = marksOf(locale);
  const language = languageOf(locale);
  const { of, percent } = wordsOf(locale, 'words');
  const formatOf = perKey(
    (options) => new Intl.NumberFormat(locale, JSON.parse(options) as Intl.NumberFormatOptions),
  );
  const partsOf = (
    { value, fractionDigits }: Amount,
    options: Intl.NumberFormatOptions,
  ): Intl.NumberFormatPart[] => {
    const digits = Math.min(fractionDigits, 20);
    const precision = options.notation
      ? { compactDisplay: 'long', maximumFractionDigits: 3 }
      : { minimumFractionDigits: digits, maximumFractionDigits: digits };
    // Voices take the spaces and apostrophes between groups for the end of a number.
    const format = formatOf(JSON.stringify({ useGrouping: false, ...precision, ...options }));
    return format.formatToParts(value);
  };
  const format = (amount: Amount, options: Intl.NumberFormatOptions = {}): string =>
    partsOf(amount, options)
      .map(({ value }) => value)
      .join('');
  const times = ({ value, fractionDigits }: Amount, magnitude: string): Amount | undefined => {
    const found = magnitudes.find(({ written }) => written.test(magnitude));
    const factor = language === 'en' ? (found?.inEnglish ?? found?.value) : found?.value;
    return factor === undefined ? undefined : { value: value * factor, fractionDigits };
  };

  return {
    money: (sign: string, written: string, magnitude?: string): string | undefined => {
      // In Spanish it stands for pesos as often.
      if (sign === '$' && language === 'es') return undefined;
      const yuan = language === 'zh' && /[¥￥]/.test(sign) ? ['CNY'] : undefined;
      const [code, namesake] = yuan ?? CURRENCIES.get(sign) ?? [];
      const number = amountOf(written, marks, 2);
      const amount = number && magnitude !== undefined ? times(number, magnitude) : number;
      if (!amount || code === undefined) return undefined;
      const notation = magnitude === undefined ? undefined : { notation: 'compact' as const };
      const nameOf = (currency: string): string =>
        partsOf(amount, { ...notation, style: 'currency', currency, currencyDisplay: 'name' }).find(
          ({ type }) => type === 'currency',
        )?.value ?? '';
      const whole = nameOf(code);
      const common = namesake === undefined ? whole : commonWords(whole, nameOf(namesake));
      const name =
        language === 'pt'
          ? whole.toLowerCase().replace(/ (?:americano|brasileiro)s?$/, '')
          : common;
      const between = (notation && amount.value >= 1e6 ? of : undefined) ?? gapOf(locale);
      const elided =
        language === 'fr' && name.startsWith('e') ? between.replace('e ', '’') : between;
      return format(amount, notation) + elided + name;
    },
    counted: (written: string, magnitude: string): string | undefined => {
      const number = amountOf(written, marks, 2);
      const amount = number && times(number, magnitude);
      return amount && format(amount, { notation: 'compact' });
    },
    measured: (written: string, gap: string, symbol: string): string | undefined => {
      const amount = amountOf(written, marks);
      const unit = UNITS.get(symbol);
      if (!amount || unit === undefined) return undefined;
      if (gap === '' && AFTER_SPACE.has(symbol) && !JOINED.has(language)) return undefined;
      // `mi` is a word in other languages; Chinese voices and people say the letters of bytes.
      if (unit === 'mile' && language !== 'en') return undefined;
      if (unit.endsWith('byte') && language === 'zh') return undefined;
      // In `Intl` it is an angle.
      if (unit === 'degree' && language === 'nl') return undefined;
      if (unit === 'percent' && percent !== undefined) return percent.replace('#', format(amount));
      const spoken = format(amount, { style: 'unit', unit, unitDisplay: 'long' });
      return spoken.includes('/') ? undefined : spoken;
    },
    plain: (written: string): string | undefined => {
      const isOwn =
        written.at(written.search(/[.,]\d+$/)) === marks.decimal &&
        /\d([.,])\d{3}/.exec(written)?.[1] === marks.group;
      const amount = isOwn ? undefined : amountOf(written, marks);
      return amount && format(amount);
    },
  };
});

/** A whole number of hours or minutes in words. */
export const spokenDuration = (count: number, symbol: 'h' | 'min', locale: string): string =>
  readerFor(locale).measured(String(count), ' ', symbol) ?? '';

/**
 * Replaces money, magnitudes, measures and numbers with another language's marks by what voices of
 * the language read. Kept: numbers whose marks can be read in two ways, plain numbers, versions.
 */
export const spokenAmounts = (text: string, locale: string): string => {
  const reader = readerFor(locale);
  return text
    .replaceAll(
      money,
      (written, sign, after, magnitude, before, magnitudeBefore, signAfter) =>
        reader.money(sign ?? signAfter, after ?? before, magnitude ?? magnitudeBefore) ?? written,
    )
    .replaceAll(
      counted,
      // `4K` and `5m` are something else.
      (written, number, letter, short) =>
        (letter === 'K' || letter === 'm' ? undefined : reader.counted(number, letter ?? short)) ??
        written,
    )
    .replaceAll(
      measured,
      (written, number, gap, symbol) => reader.measured(number, gap, symbol) ?? written,
    )
    .replaceAll(mixedMarks, (written) => reader.plain(written) ?? written);
};
