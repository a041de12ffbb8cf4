import type { Reservation } from '../../src/usage/limits.ts';

/** The reservation of those without limits. */
export const NO_RESERVATION: Reservation = {
  change: () => undefined,
  [Symbol.dispose]: () => undefined,
};
