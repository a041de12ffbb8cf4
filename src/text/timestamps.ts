import type { Timestamp, TimestampStyle } from '../rich-text/rich-text.ts';

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
 * A timestamp in words: a relative one as the time from now (ms since 1970), others with their time
 * zone: UTC where that of who reads or listens is not known.
 */
export const timeOf = (
  { seconds, style }: Pick<Timestamp, 'seconds' | 'style'>,
  locale = 'en',
  nowMs?: number,
  timeZone = 'UTC',
): string => {
  try {
    if (style === 'R' && nowMs !== undefined)
      return relativeTime(Math.round(seconds - nowMs / 1_000), locale);
    const options: Intl.DateTimeFormatOptions = { ...STYLES[style], timeZone };
    return new Intl.DateTimeFormat(locale, options).format(seconds * 1_000);
  } catch {
    // An invalid locale, or a time outside the calendar.
    return '';
  }
};
