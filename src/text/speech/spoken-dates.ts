import { languageOf } from '../language/language-names.ts';
import { anyOf, perKey, wordsOf } from './language-words.ts';
import { spokenDuration } from './spoken-amounts.ts';

const FIRST_YEAR = 1_000;
const LAST_YEAR = 2_999;
const UTC: Intl.DateTimeFormatOptions = { calendar: 'gregory', timeZone: 'UTC' };
const DAY: Intl.DateTimeFormatOptions = { ...UTC, day: 'numeric', month: 'long' };
const DATE: Intl.DateTimeFormatOptions = { ...DAY, year: 'numeric' };

/**
 * Ms since 1970 at the beginning of a day of the Gregorian calendar, in UTC; undefined where there
 * is no such day.
 */
const msOf = (year: number, month: number, day: number): number | undefined => {
  const date = new Date(Date.UTC(year, month - 1, day));
  const isDay = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isDay && year >= FIRST_YEAR && year <= LAST_YEAR ? date.getTime() : undefined;
};

/** Long names of months or days of the week by the short ones, without the dot of an abbreviation. */
const namesOf = (part: 'month' | 'weekday', locale: string): Map<string, string> => {
  const named = (length: 'short' | 'long'): readonly string[] => {
    const day = part === 'month' ? { day: 'numeric' as const } : {};
    const format = new Intl.DateTimeFormat(locale, { ...UTC, ...day, [part]: length });
    // Of these days one is in each month, and each day of the week is among them.
    const days = Array.from({ length: 12 }, (_, month) => Date.UTC(2_000, 0, 1 + 31 * month));
    return days.map(
      (ms) => format.formatToParts(ms).find(({ type }) => type === part)?.value ?? '',
    );
  };
  const long = named('long');
  const names = named('short').map((short, place): [string, string] => [
    short.replace(/\.$/, ''),
    long[place] ?? short,
  ]);
  return new Map(names.filter(([short]) => /^\p{L}/u.test(short)));
};

/** The long name of one that is written short, with or without its dot. */
const nameIn = (names: ReadonlyMap<string, string>) => (written: string) => {
  const name = written.replace(/\.$/, '');
  return names.get(name) ?? names.get(name.toLowerCase()) ?? written;
};

const DASH = / ?[-–~〜] ?/g;

/** Reads the dates of one language. */
const calendarFor = perKey((locale) => {
  const { year: yearWord = '', yearShort = '', noMonths, upTo } = wordsOf(locale, 'words');
  const long = new Intl.DateTimeFormat(locale, DATE);
  const months = namesOf('month', locale);
  const weekdays = namesOf('weekday', locale);
  if (noMonths !== undefined) months.delete(noMonths);
  const isEnglish = languageOf(locale) === 'en';
  if (isEnglish) months.set('Sept', 'September');

  const month = anyOf(months.keys());
  const wholeMonth = anyOf(months.values());
  const day = anyOf(weekdays.keys());
  // Before and after weekdays of one character other characters may stand.
  const isSpaced = !/[\p{sc=Han}\p{sc=Hang}]/u.test(day);
  const start = isSpaced ? String.raw`(?<![\p{L}\d])` : String.raw`(?<![\p{sc=Han}\p{sc=Hang}\d])`;
  const end = isSpaced ? String.raw`(?!\p{L})` : String.raw`(?!\p{sc=Han})`;
  const order = String.raw`(?:st|nd|rd|th|\.|º)?(?: de| of)?`;
  const number = isEnglish ? String.raw`\d{1,4}(?:st|nd|rd|th)?` : String.raw`\d{4}`;
  const inMonth = new RegExp(
    String.raw`(?<=(?<![\d.,:/])\d{1,2}${order} )${month}\.?${end}|${start}${month}\.?(?= ${number}(?![\p{L}\d:/]|[.,]\d))`,
    'gu',
  );
  const row = new RegExp(
    String.raw`${start}${day}\.?(?:(?: ?[-–~〜/・,、&] ?| (?:and|und|et|y|e|i|и) )${day}\.?)+${end}`,
    'gu',
  );
  const onDay = new RegExp(
    String.raw`${start}${day}\.?(?=,? (?:\d{1,2}(?:[.:]\d\d| ?[ap][. ]?m\b|${order} ${wholeMonth}|\.(?!\d))|${wholeMonth} \d))|(?<=\d[日일.]? ?[(（])${day}(?=\.?[)）])`,
    'gu',
  );
  const eachDay = new RegExp(String.raw`${day}\.?`, 'gu');
  return {
    months: wholeMonth,
    /** A date, of which the year may be absent. */
    read: (
      year: number | undefined,
      monthNumber: number,
      dayNumber: number,
    ): string | undefined => {
      const ms = msOf(year ?? 2_000, monthNumber, dayNumber);
      if (ms === undefined) return undefined;
      const written = (year === undefined ? new Intl.DateTimeFormat(locale, DAY) : long).format(ms);
      return written.endsWith(yearShort)
        ? written.slice(0, written.length - yearShort.length) + yearWord
        : written;
    },
    /** True where the day comes before the month; in English it depends on the region. */
    isDayFirst: (): boolean | undefined => {
      const parts = new Intl.DateTimeFormat(locale, { ...DATE, month: 'numeric' }).formatToParts(0);
      const [first] = parts.filter(({ type }) => type !== 'literal');
      if (locale.toLowerCase() === 'en' || first?.type === 'year') return undefined;
      return first?.type === 'day';
    },
    /** Writes out the short names of months and weekdays in dates and in rows. */
    wholeNames: (text: string): string =>
      text
        .replaceAll(inMonth, nameIn(months))
        .replaceAll(row, (days) =>
          days.replaceAll(DASH, upTo ?? ' – ').replaceAll(eachDay, nameIn(weekdays)),
        )
        .replaceAll(onDay, nameIn(weekdays)),
  };
});

/** The names of months as a pattern. */
export const monthsIn = (locale: string): string => calendarFor(locale).months;

/** Dates in figures: year, month and day, or two numbers in the order of the language. */
const DATES = [
  String.raw`(?<y>\d{4})-(?<m>\d{2})-(?<d>\d{2})(?:(?<time>[Tt])(?=\d{2}:))?`,
  String.raw`(?<y>\d{4})([./])(?<m>\d{1,2})\2(?<d>\d{1,2})`,
  String.raw`(?<y>\d{4})\. (?<m>\d{1,2})\. (?<d>\d{1,2})\.`,
  String.raw`(?<d>\d{1,2})\. ?(?<m>\d{1,2})\. ?(?<y>\d{4})`,
  String.raw`(?<a>\d{1,2})([/-])(?<b>\d{1,2})\2(?<y>\d{4})`,
].map((date) => new RegExp(String.raw`(?<![\w./-])${date}(?:(?<=[Tt])|(?![\w-]|[./]\d))`, 'g'));
/** German days without a year, which look like the number of a chapter without the word before. */
const germanDay =
  /(?<=(?<!\p{L})(?:am|vom|bis|zum|ab|seit|dem|den) )(?<d>\d{1,2})\.(?<m>\d{1,2})\.(?![\d\p{L}])/giu;
const clockTime =
  /(?<![\w.,:/-])([01]?\d|2[0-3])[:h]([0-5]\d)(?![\w%/-]|[.,:]\d| ?[ap]\.?m\b)(?: ?(?:Uhr|uur)(?!\p{L}))?/giu;

type Numbers = Readonly<Record<string, string | undefined>>;

const dateOf = (numbers: Numbers, locale: string): string | undefined => {
  const { read, isDayFirst } = calendarFor(locale);
  const { y, m, d, a, b, time } = numbers;
  const year = y === undefined ? undefined : Number(y);
  if (a === undefined || b === undefined) {
    const date = read(year, Number(m), Number(d));
    return date && (time === undefined ? date : `${date} `);
  }
  const [dayFirst, monthFirst] = [
    read(year, Number(b), Number(a)),
    read(year, Number(a), Number(b)),
  ];
  if (!dayFirst || !monthFirst || dayFirst === monthFirst) return dayFirst ?? monthFirst;
  const dayComesFirst = isDayFirst();
  if (dayComesFirst !== undefined) return dayComesFirst ? dayFirst : monthFirst;
  // A zero shows that it is a date, and nothing shows which.
  return /^0/m.test(`${a}\n${b}`) ? `${Number(a)}, ${Number(b)}, ${y}` : undefined;
};

const clockOf = (hour: number, minute: number, locale: string): string => {
  const { fullHour = '', afternoon = fullHour, clock = '' } = wordsOf(locale, 'words');
  const full = hour > 12 ? afternoon : fullHour;
  return (minute === 0 ? full : clock)
    .replace('{h12}', String(hour - 12))
    .replace('{h}', String(hour))
    .replace('{m}', String(minute))
    .replace('{hours}', spokenDuration(hour, 'h', locale))
    .replace('{minutes}', spokenDuration(minute, 'min', locale));
};

/**
 * Replaces dates in figures by dates in words, short names of months and weekdays by long ones, and
 * times of day where voices of the language do not read them. A date that may be two, and whose zero
 * shows that it is one, is read number by number. Kept: other dates that may be two (`3/4/2026` in
 * English), and days that do not exist.
 */
export const spokenDates = (text: string, locale: string): string => {
  const patterns = languageOf(locale) === 'de' ? [...DATES, germanDay] : DATES;
  let spoken = text;
  for (const pattern of patterns)
    spoken = spoken.replaceAll(
      pattern,
      (written, ...found) => dateOf(found.at(-1) as Numbers, locale) ?? written,
    );
  spoken = calendarFor(locale).wholeNames(spoken);
  return 'clock' in wordsOf(locale, 'words')
    ? spoken.replaceAll(clockTime, (_, hour, minute) =>
        clockOf(Number(hour), Number(minute), locale),
      )
    : spoken;
};
