import type { Clock } from '../src/async/clock.ts';

/** A token bucket: so much at once, and so much a second after that. */
export interface Allowance {
  /** Takes an amount; false when there is not enough. */
  readonly take: (amount: number) => boolean;
  /** Time until there is enough of an amount that is at most the bucket's; 0 when there is. */
  readonly waitMs: (amount: number) => number;
}

export interface AllowanceRate {
  readonly most: number;
  readonly perSecond: number;
}

export const createAllowance = (
  { nowMs }: Pick<Clock, 'nowMs'>,
  { most, perSecond }: AllowanceRate,
): Allowance => {
  let left = most;
  let atMs = nowMs();
  const fill = (): void => {
    const now = nowMs();
    left = Math.min(most, left + ((now - atMs) * perSecond) / 1_000);
    atMs = now;
  };
  return {
    take: (amount) => {
      fill();
      if (amount > left) return false;
      left -= amount;
      return true;
    },
    waitMs: (amount) => {
      fill();
      return Math.max(0, ((amount - left) / perSecond) * 1_000);
    },
  };
};
