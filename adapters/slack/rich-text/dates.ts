import type { TimestampStyle } from '../../../src/model/rich-text.ts';

/** Slack's date formats by the style of a timestamp. */
export const DATE_FORMATS: Readonly<Record<TimestampStyle, string>> = {
  t: '{time}',
  T: '{time_secs}',
  d: '{date_num}',
  D: '{date}',
  f: '{date} at {time}',
  F: '{date_long} at {time}',
  R: '{ago}',
};

/** The style nearest to a format. */
export const styleOf = (format: string): TimestampStyle => {
  const has = (word: string): boolean => format.includes(`{${word}`);
  if (has('ago')) return 'R';
  if (has('date') || has('day_divider')) {
    if (has('time')) return has('date_long') ? 'F' : 'f';
    return has('date_num') ? 'd' : 'D';
  }
  if (has('time_secs')) return 'T';
  return has('time') ? 't' : 'f';
};

/** The last second that a JavaScript date can hold. */
const LAST_SECOND = 8_640_000_000_000;

export const isSecond = (seconds: number): boolean =>
  Number.isInteger(seconds) && Math.abs(seconds) <= LAST_SECOND;
