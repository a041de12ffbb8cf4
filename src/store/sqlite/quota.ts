import type { Clock } from '../../async/clock.ts';
import type { Quota } from '../../ports/processes.ts';
import { createQuota, type QuotaRows } from '../quota.ts';

/** Creates the quota of a database that only one process uses: rates begin anew with it. */
export const createEmbeddedQuota = (clock: Clock): Quota => {
  /** Time whose uses are all given, by name. */
  const usedUntil = new Map<string, number>();
  const usedUntilMs = (name: string): number => usedUntil.get(name) ?? -Infinity;
  const rows: QuotaRows = {
    grant: async (name, { perSecond, burst }, wanted) => {
      const costMs = 1_000 / perSecond;
      const nowMs = clock.nowMs();
      const fromMs = Math.max(usedUntilMs(name), nowMs - burst * costMs);
      const free = Math.max(0, Math.floor((nowMs - fromMs) / costMs + 1e-9));
      const granted = Math.min(wanted, free);
      const untilMs = fromMs + granted * costMs;
      usedUntil.set(name, untilMs);
      return { granted, waitMs: untilMs + costMs - nowMs };
    },
    hold: async (name, ms) =>
      void usedUntil.set(name, Math.max(usedUntilMs(name), clock.nowMs() + ms)),
  };
  return createQuota(rows, clock);
};
