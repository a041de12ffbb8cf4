import type { Clock } from '../src/async/clock.ts';
import { z } from 'zod';

/** A token bucket: so much at once, and so much a second after that. */
export type Allowance = ReturnType<typeof createAllowance>;

export interface AllowanceRate {
  readonly most: number;
  readonly perSecond: number;
}

export const createAllowance = (
  { nowMs }: Pick<Clock, 'nowMs'>,
  { most, perSecond }: AllowanceRate,
) => {
  let available = most;
  let atMs = nowMs();
  const fill = (): void => {
    const now = nowMs();
    available = Math.min(most, available + ((now - atMs) * perSecond) / 1_000);
    atMs = now;
  };
  return {
    /** Takes an amount; false when there is not enough. */
    take: (amount: number): boolean => {
      fill();
      if (amount > available) return false;
      available -= amount;
      return true;
    },
    /** Time until there is enough of an amount that is at most the bucket's; 0 when there is. */
    waitMs: (amount: number): number => {
      fill();
      return Math.max(0, ((amount - available) / perSecond) * 1_000);
    },
  };
};

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3_600 };

const RATE = /^(?<count>\d{1,6})\/(?<unit>s|min|h)(?::(?<most>\d{1,6}))?$/;

/** Form in which a rate is written, for errors. */
export const RATE_FORM = 'must be like 5/s, 30/min or 5/s:10 (10 at once)';

/**
 * Reads a rate such as `5/s`, `30/min` or `5/s:10`; undefined for anything else. At once may come
 * what the number after the colon says, otherwise what comes in a second, at least one.
 */
export const parseRate = (text: string): AllowanceRate | undefined => {
  const { count, unit = '', most } = RATE.exec(text)?.groups ?? {};
  const perSecond = Number(count) / (UNIT_SECONDS[unit] ?? 1);
  if (count === undefined || perSecond === 0 || Number(most ?? 1) === 0) return undefined;
  return { perSecond, most: Number(most ?? Math.max(1, Math.ceil(perSecond))) };
};

/** A rate in a variable. */
export const rateText = z.string().transform((text, ctx) => {
  const rate = parseRate(text);
  if (rate) return rate;
  ctx.addIssue({ code: 'custom', message: RATE_FORM });
  return z.NEVER;
});
