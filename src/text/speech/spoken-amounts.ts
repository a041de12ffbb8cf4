import { languageOf } from './spoken-language.ts';
import { amountOf, marksOf, NOT_AFTER, NOT_BEFORE, NUMBER, type Amount } from './written-number.ts';

/** Currencies by sign, with one of the same name elsewhere, by which the country is left out. */
const CURRENCIES: Readonly<Record<string, readonly [code: string, namesake?: string]>> = {
  $: ['USD', 'CAD'],
  US$: ['USD'],
  C$: ['CAD'],
  A$: ['AUD'],
  R$: ['BRL'],
  '€': ['EUR'],
  '£': ['GBP', 'EGP'],
  '¥': ['JPY'],
  '￥': ['JPY'],
  '₹': ['INR', 'PKR'],
  '₩': ['KRW', 'KPW'],
  '₽': ['RUB', 'BYN'],
  '₴': ['UAH'],
  '₺': ['TRY'],
  '฿': ['THB'],
  '₫': ['VND'],
  '₪': ['ILS'],
  zł: ['PLN'],
  Kč: ['CZK'],
};
const SIGNS = String.raw`(?:US|[ACR])?\$|[€£¥￥₹₩₽₴₺฿₫₪]`;
const MAGNITUDE = String.raw`(?! ?(?:k|m|bn?|mio|mrd|mill|milli|bill|trill|mil|thousand|тыс|млн|млрд|mld|tys|mln)(?:\.|\p{L}*)(?!\p{L})|[ ]?[万萬億亿千만억천])`;
const money = new RegExp(
  String.raw`${NOT_AFTER}(?:(${SIGNS}) ?(${NUMBER})|(${NUMBER})[ \u00A0\u202F]?([$€£¥￥₹₩₽₴₺฿₫₪]|zł|Kč))${MAGNITUDE}${NOT_BEFORE}`,
  'giu',
);

const UNITS: Readonly<Record<string, string>> = {
  'km/h': 'kilometer-per-hour',
  kmh: 'kilometer-per-hour',
  'км/ч': 'kilometer-per-hour',
  mph: 'mile-per-hour',
  Mbps: 'megabit-per-second',
  'Mbit/s': 'megabit-per-second',
  Gbps: 'gigabit-per-second',
  km: 'kilometer',
  км: 'kilometer',
  cm: 'centimeter',
  см: 'centimeter',
  mm: 'millimeter',
  мм: 'millimeter',
  kg: 'kilogram',
  кг: 'kilogram',
  ml: 'milliliter',
  mL: 'milliliter',
  мл: 'milliliter',
  lb: 'pound',
  lbs: 'pound',
  oz: 'ounce',
  ft: 'foot',
  ms: 'millisecond',
  '°C': 'celsius',
  '°С': 'celsius',
  '℃': 'celsius',
  '°F': 'fahrenheit',
  '℉': 'fahrenheit',
  TB: 'terabyte',
  GB: 'gigabyte',
  ГБ: 'gigabyte',
  MB: 'megabyte',
  МБ: 'megabyte',
  KB: 'kilobyte',
  kB: 'kilobyte',
};
/** The symbols of units as a pattern, the longest first. */
export const UNIT_SYMBOLS = Object.keys(UNITS)
  .toSorted((a, b) => b.length - a.length)
  .join('|');
const measured = new RegExp(
  String.raw`${NOT_AFTER}([-−]?${NUMBER})[ \u00A0\u202F]?(${UNIT_SYMBOLS})${NOT_BEFORE}`,
  'gu',
);

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
  const priced = (amount: Amount, currency: string): Intl.NumberFormatPart[] =>
    formatOf(amount, { style: 'currency', currency, currencyDisplay: 'name' }).formatToParts(
      amount.value,
    );

  return {
    money: (sign: string, written: string): string | undefined => {
      // In Spanish it stands for pesos as often.
      if (sign === '$' && language === 'es') return undefined;
      const amount = amountOf(written, marks, 2);
      const [code, namesake] =
        language === 'zh' && /[¥￥]/.test(sign)
          ? ['CNY']
          : (CURRENCIES[sign] ??
            CURRENCIES[sign.toUpperCase()] ??
            CURRENCIES[sign.toLowerCase()] ??
            []);
      if (!amount || code === undefined) return undefined;
      const parts = priced(amount, code);
      const other = new Set(
        namesake === undefined ? [] : wordsOf(nameIn(priced(amount, namesake))),
      );
      const common = wordsOf(nameIn(parts)).filter((word) => other.has(word));
      return parts
        .map(({ type, value }) =>
          type === 'currency' && common.length > 0 ? common.join(' ') : value,
        )
        .join('');
    },
    measured: (written: string, symbol: string): string | undefined => {
      const isNegative = /^[-−]/.test(written);
      const amount = amountOf(written.replace(/^[-−]/, ''), marks);
      const unit = UNITS[symbol];
      // Chinese voices and people say the letters.
      if (!amount || unit === undefined || (language === 'zh' && unit.endsWith('byte')))
        return undefined;
      const words = formatOf(amount, { style: 'unit', unit, unitDisplay: 'long' }).format(
        isNegative ? -amount.value : amount.value,
      );
      return words.includes('/') ? undefined : words;
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
      (written, sign, after, before, signAfter) =>
        reader().money(sign ?? signAfter, after ?? before) ?? written,
    )
    .replaceAll(measured, (written, number, symbol) => reader().measured(number, symbol) ?? written)
    .replaceAll(mixedMarks, (written) => reader().plain(written) ?? written);
};
