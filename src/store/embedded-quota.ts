import type { Clock } from '../async/clock.ts';
import type { Quota } from '../ports/quota.ts';
import { createQuota } from './quota.ts';

/** Creates the quota of a database that only one process uses: rates begin anew with it. */
export const createEmbeddedQuota = (clock: Clock): Quota => {
  /** Time whose uses are all given, by name. */
  const usedUntil = new Map<string, number>();
  return createQuota(async (name, { perSecond, burst }, wanted) => {
    const costMs = 1_000 / perSecond;
    const nowMs = clock.nowMs();
    const fromMs = Math.max(usedUntil.get(name) ?? -Infinity, nowMs - burst * costMs);
    const granted = Math.min(wanted, Math.floor((nowMs - fromMs) / costMs + 1e-9));
    const untilMs = fromMs + granted * costMs;
    usedUntil.set(name, untilMs);
    return { granted, waitMs: untilMs + costMs - nowMs };
  }, clock);
};
