import type { Clock } from '../../src/async/clock.ts';

/** A token bucket: so much at once, and so much a second after that. */
export interface Allowance {
  /** Takes an amount; false when there is not enough. */
  readonly take: (amount: number) => boolean;
}

export const createAllowance = (
  { nowMs }: Pick<Clock, 'nowMs'>,
  { most, perSecond }: { readonly most: number; readonly perSecond: number },
): Allowance => {
  let left = most;
  let atMs = nowMs();
  return {
    take: (amount) => {
      const now = nowMs();
      left = Math.min(most, left + ((now - atMs) * perSecond) / 1_000);
      atMs = now;
      if (amount > left) return false;
      left -= amount;
      return true;
    },
  };
};
