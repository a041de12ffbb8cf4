import type { Horizons } from '../../src/store/privacy/clear-old.ts';

/** Horizons before which nothing is, so that a test names only the one that it is about. */
export const NO_HORIZONS: Horizons = {
  rowsMs: 0,
  mirrorsMs: 0,
  deliveriesMs: 0,
  roomsMs: 0,
  leftMs: 0,
  usageMs: 0,
  statesMs: 0,
  proposalsMs: 0,
  auditMs: 0,
};
