/** Writes a duration as media players show it, in whole elapsed seconds: `0:05`, `71:40`. */
export const minutesAndSeconds = (ms: number): string => {
  const seconds = Math.trunc(ms / 1_000);
  return `${Math.trunc(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** The time by which the clocks of a zone are ahead of UTC; 0 where there is no such zone. */
const aheadMs = (timeMs: number, timeZone: string): number => {
  try {
    const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
    const offset = /[+-]\d+:\d+/.exec(format.format(timeMs))?.[0] ?? '';
    const [hours = 0, minutes = 0] = offset.split(':').map(Number);
    return (60 * hours + (hours < 0 ? -minutes : minutes)) * MINUTE_MS;
  } catch {
    return 0;
  }
};

/** The time at which the day some days before today begins in a time zone; ms since 1970. */
export const beginningOfDay = (nowMs: number, daysBefore: number, timeZone = 'UTC'): number => {
  const here = nowMs + aheadMs(nowMs, timeZone);
  const dayMs = (Math.floor(here / DAY_MS) - daysBefore) * DAY_MS;
  // Clocks may be changed between that moment in UTC and the one in the zone, and at midnight itself.
  const nearMs = dayMs - aheadMs(dayMs - aheadMs(dayMs, timeZone), timeZone);
  const isDayBefore = nearMs + aheadMs(nearMs, timeZone) < dayMs;
  return isDayBefore ? dayMs - aheadMs(dayMs - DAY_MS / 2, timeZone) : nearMs;
};
