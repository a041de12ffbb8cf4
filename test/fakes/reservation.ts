import type { Reservation } from '../../src/usage/pending-use.ts';

/** The reservation of those without limits. */
export const NO_RESERVATION: Reservation = {
  change: () => undefined,
  [Symbol.dispose]: () => undefined,
};
