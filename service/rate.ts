import { z } from 'zod';
import type { AllowanceRate } from './allowance.ts';

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
