/** The longest wait that is accepted: a server that names years may be back in a minute. */
const LONGEST_RETRY_AFTER_MS = 45_000;

const NUMBER = /^\d+(?:\.\d+)?$/;

const bounded = (ms: number): number | undefined =>
  Number.isFinite(ms) && ms >= 0 ? Math.min(ms, LONGEST_RETRY_AFTER_MS) : undefined;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const textOf = (value: string | string[] | undefined): string =>
  (Array.isArray(value) ? value[0] : value)?.trim() ?? '';

/**
 * Reads the wait that headers name, at most 45 s: `retry-after-ms` (OpenAI, Azure), `Retry-After` (RFC 9110,
 * 10.2.3; seconds, which some servers write as a fraction, or a date), `x-ratelimit-reset-after` (seconds).
 */
export const retryAfterHeaderMs = (headers: Headers, nowMs: number): number | undefined => {
  const finest = textOf(headers['retry-after-ms']);
  if (NUMBER.test(finest)) return bounded(Number(finest));
  const text = textOf(headers['retry-after']) || textOf(headers['x-ratelimit-reset-after']);
  if (!text) return undefined;
  if (NUMBER.test(text)) return bounded(Number(text) * 1_000);
  return bounded(Math.max(0, Date.parse(text) - nowMs));
};

const UNITS_MS = [
  [/^m(?:s|illi)/i, 1],
  [/^s/i, 1_000],
  [/^m/i, 60_000],
  [/^h/i, 3_600_000],
] as const;
const TIME =
  /(\d+(?:[.,]\d+)?)\s*(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?)(?![a-z])/;
/** A wait of one or more parts: `1.72s`, `1m30s`, `2 minutes and 5 seconds`. */
const WAIT_IN_TEXT = new RegExp(
  `(?:retry|try again|wait)\\b[^\\d]{0,30}(?<wait>${TIME.source}(?:,? ?(?:and )?${TIME.source}){0,2})`,
  'i',
);
const EACH = new RegExp(TIME, 'gi');

const partMs = ([, count = '', unit = '']: RegExpMatchArray): number =>
  Number(count.replace(',', '.')) * (UNITS_MS.find(([units]) => units.test(unit))?.[1] ?? 0);

/** The waiting time in an error's text: `Too many requests. Retry after 1.72s`. */
export const retryAfterTextMs = (text: string): number | undefined => {
  const wait = WAIT_IN_TEXT.exec(text)?.groups?.['wait'];
  if (wait === undefined) return undefined;
  return bounded(wait.matchAll(EACH).reduce((sum, part) => sum + partMs(part), 0));
};
