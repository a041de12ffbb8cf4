import { languageOf } from '../language/language-names.ts';
import words from './words.json' with { type: 'json' };
import type { Timestamp, TimestampStyle } from '../../rich-text/rich-text.ts';

const FIRST_YEAR = 1_000;
const LAST_YEAR = 2_999;

/**
 * Ms since 1970 at the beginning of a day of the Gregorian calendar, in UTC; undefined where there
 * is no such day.
 */
const msOf = (year: number, month: number, day: number): number | undefined => {
  const date = new Date(Date.UTC(year, month - 1, day));
  const isDay = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isDay && year >= FIRST_YEAR && year <= LAST_YEAR ? date.getTime() : undefined;
};

/** Abbreviations of "year" that `Intl` puts behind it. */
const YEARS: Readonly<Record<string, readonly string[]>> = words.years;

const LONG: Intl.DateTimeFormatOptions = {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  calendar: 'gregory',
  timeZone: 'UTC',
};

const DAY_AND_MONTH: Intl.DateTimeFormatOptions = {
  day: 'numeric',
  month: 'long',
  timeZone: 'UTC',
};

/** The order of day, month and year in dates of a language, as `dmy`; '' where it depends on the region. */
const orderOf = (locale: string): string =>
  languageOf(locale) === 'en'
    ? ''
    : new Intl.DateTimeFormat(locale, { ...LONG, month: 'numeric' })
        .formatToParts(0)
        .map(({ type }) => type[0])
        .filter((letter) => letter === 'd' || letter === 'm' || letter === 'y')
        .join('');

/** Reads dates in a language; each gives undefined where there is no such day. */
const createDateReader = (locale: string) => {
  const long = new Intl.DateTimeFormat(locale, LONG);
  const [abbreviated, whole] = YEARS[languageOf(locale)] ?? [];
  const read = (year: number, month: number, day: number): string | undefined => {
    const ms = msOf(year, month, day);
    if (ms === undefined) return undefined;
    const written = long.format(ms);
    return abbreviated !== undefined && whole !== undefined && written.endsWith(abbreviated)
      ? written.slice(0, -abbreviated.length) + whole
      : written;
  };
  return {
    read,
    /** A day without a year. */
    readShort: (month: number, day: number): string | undefined => {
      const ms = msOf(2_000, month, day);
      return ms === undefined
        ? undefined
        : new Intl.DateTimeFormat(locale, DAY_AND_MONTH).format(ms);
    },
    /** A date that ends with the year, in the order of the language where both are possible. */
    readEither: (first: number, second: number, year: number): string | undefined => {
      const dayFirst = read(year, second, first);
      const monthFirst = read(year, first, second);
      if (!dayFirst || !monthFirst || first === second) return dayFirst ?? monthFirst;
      return { dmy: dayFirst, mdy: monthFirst }[orderOf(locale)];
    },
  };
};

const isoDate = /(?<![\w./-])(\d{4})-(\d{2})-(\d{2})(?:[Tt](?=\d{2}:)|(?![\w-]|[./]\d))/g;
const yearFirst =
  /(?<![\w./-])(\d{4})(?:([./])(\d{1,2})\2(\d{1,2})|\. (\d{1,2})\. (\d{1,2})\.)(?![\w-]|[./]\d)/g;
const yearLast =
  /(?<![\w./-])(\d{1,2})(?:([/-])(\d{1,2})\2|\. ?(\d{1,2})\. ?)(\d{4})(?![\w-]|[./]\d)/g;
/** German days without a year, which look like the number of a chapter without the word before. */
const germanDay =
  /(?<=(?<!\p{L})(?:am|vom|bis|zum|ab|seit|dem|den) )(\d{1,2})\.(\d{1,2})\.(?![\d\p{L}])/giu;

/** Hours and minutes in languages whose voices read `14:30` as two numbers, or its colon. */
const CLOCKS: Readonly<Record<string, readonly string[]>> = words.clocks;
const clockTime =
  /(?<![\w.,:/-])([01]?\d|2[0-3]):([0-5]\d)(?![\w%/-]|[.,:]\d| ?[ap]\.?m\b)(?: ?(?:Uhr|uur)(?!\p{L}))?/giu;

const spokenClock = (hour: string, minute: string, language: string): string => {
  const [hours = '', minutes = ''] = CLOCKS[language] ?? [];
  const word = language === 'fr' && Number(hour) < 2 ? ' heure' : hours;
  const start = `${Number(hour)}${word}`;
  if (Number(minute) === 0) return start;
  const isSuffix = minutes !== ' ';
  const gap = language === 'ja' || language === 'zh' ? '' : ' ';
  return `${start}${gap}${Number(minute)}${isSuffix ? minutes : ''}`;
};

/**
 * Replaces dates in figures by dates in words, and times of day where voices of the language do not
 * read them. Kept: what may be two dates (`3/4/2026` in English), and days that do not exist.
 */
export const spokenDates = (text: string, locale: string): string => {
  let reader: ReturnType<typeof createDateReader> | undefined;
  const dates = (): ReturnType<typeof createDateReader> => (reader ??= createDateReader(locale));
  const language = languageOf(locale);
  let spoken = text
    .replaceAll(isoDate, (written, year, month, day) => {
      const inWords = dates().read(Number(year), Number(month), Number(day));
      if (inWords === undefined) return written;
      return /t$/i.test(written) ? `${inWords} ` : inWords;
    })
    .replaceAll(
      yearFirst,
      (written, year, _, month, day, spacedMonth, spacedDay) =>
        dates().read(Number(year), Number(month ?? spacedMonth), Number(day ?? spacedDay)) ??
        written,
    )
    .replaceAll(yearLast, (written, first, mark, second, dotted, year) => {
      const read =
        mark === undefined
          ? dates().read(Number(year), Number(dotted), Number(first))
          : dates().readEither(Number(first), Number(second), Number(year));
      return read ?? written;
    });
  if (language === 'de')
    spoken = spoken.replaceAll(
      germanDay,
      (written, day, month) => dates().readShort(Number(month), Number(day)) ?? written,
    );
  if (!Object.hasOwn(CLOCKS, language)) return spoken;
  return spoken.replaceAll(clockTime, (_, hour: string, minute: string) =>
    spokenClock(hour, minute, language),
  );
};

const DATE: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'long', year: 'numeric' };
const TIME: Intl.DateTimeFormatOptions = {
  hour: 'numeric',
  minute: 'numeric',
  timeZoneName: 'short',
};
const STYLES: Readonly<Record<TimestampStyle, Intl.DateTimeFormatOptions>> = {
  t: TIME,
  T: TIME,
  d: DATE,
  D: DATE,
  f: { ...DATE, ...TIME },
  F: { weekday: 'long', ...DATE, ...TIME },
  R: { ...DATE, ...TIME },
};

/** Units of relative times: seconds of one, and the seconds from which the next larger is used. */
const RELATIVE: readonly (readonly [Intl.RelativeTimeFormatUnit, number, number])[] = [
  ['second', 1, 60],
  ['minute', 60, 3_600],
  ['hour', 3_600, 86_400],
  ['day', 86_400, 30 * 86_400],
  ['month', 30.44 * 86_400, 365 * 86_400],
  ['year', 365.25 * 86_400, Number.POSITIVE_INFINITY],
];

const relativeTime = (seconds: number, locale: string): string => {
  const [unit, length] = RELATIVE.find(
    ([, each, end]) => Math.round(Math.abs(seconds) / each) * each < end,
  ) ?? ['second', 1];
  const count = Math.round(seconds / length);
  return new Intl.RelativeTimeFormat(locale, { numeric: count === 0 ? 'auto' : 'always' }).format(
    count,
    unit,
  );
};

/**
 * A timestamp in words: a relative one as the time from now (ms since 1970), others in UTC and
 * marked as such, as listeners may be in any time zone.
 */
export const timeOf = (
  { seconds, style }: Pick<Timestamp, 'seconds' | 'style'>,
  locale = 'en',
  nowMs?: number,
): string => {
  try {
    if (style === 'R' && nowMs !== undefined)
      return relativeTime(Math.round(seconds - nowMs / 1_000), locale);
    const options: Intl.DateTimeFormatOptions = { ...STYLES[style], timeZone: 'UTC' };
    return new Intl.DateTimeFormat(locale, options).format(seconds * 1_000);
  } catch {
    // An invalid locale, or a time outside the calendar.
    return '';
  }
};
