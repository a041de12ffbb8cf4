/** The longest wait that is accepted; a longer one is cut to it. */
const LONGEST_RETRY_AFTER_MS = 3_600_000;

const bounded = (ms: number): number | undefined =>
  Number.isFinite(ms) && ms >= 0 ? Math.min(ms, LONGEST_RETRY_AFTER_MS) : undefined;

/**
 * Parses `Retry-After` (RFC 9110, 10.2.3): seconds, which some servers write as a fraction, or a
 * date.
 */
export const retryAfterHeaderMs = (
  value: string | string[] | undefined,
  nowMs: number,
): number | undefined => {
  const text = (Array.isArray(value) ? value[0] : value)?.trim();
  if (!text) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(text)) return bounded(Number(text) * 1_000);
  return bounded(Math.max(0, Date.parse(text) - nowMs));
};

const WAIT_IN_TEXT =
  /(?:retry|try again|wait)\b[^\d]{0,30}(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?)\b/i;

/** The waiting time in an error's text: `Too many requests. Retry after 1.72s`. */
export const retryAfterTextMs = (text: string): number | undefined => {
  const match = WAIT_IN_TEXT.exec(text);
  if (!match) return undefined;
  const unit = match[2]?.toLowerCase() ?? 's';
  const unitMs =
    unit.startsWith('ms') || unit.startsWith('mil') ? 1 : unit.startsWith('s') ? 1_000 : 60_000;
  return bounded(Number(match[1]) * unitMs);
};
