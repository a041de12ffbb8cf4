import { DAY_MS, HOUR_MS } from '../async/clock.ts';
import type { Log } from '../telemetry/log.ts';
import type { Leases } from '../ports/processes.ts';
import { clearOld } from '../store/privacy/clear-old.ts';
import type { CursorStore } from '../store/channels/cursors.ts';
import {
  AUDIT_DAYS,
  DELIVERY_HOURS,
  ROOM_DAYS,
  PROPOSAL_DAYS,
  STATE_DAYS,
  USAGE_DAYS,
} from '../store/privacy/tables.ts';
import type { LinkInvites } from '../store/channels/link-invites.ts';
import type { LinkRequests } from '../store/channels/link-requests.ts';
import type { Store } from '../store/store.ts';
import { startRepeated } from './repeated.ts';
import type { WatchedPlatforms } from './watched-platforms.ts';

export interface RetentionDeps {
  readonly store: Store;
  readonly leases: Pick<Leases, 'share'>;
  readonly cursors: Pick<CursorStore, 'clear'>;
  readonly invites: Pick<LinkInvites, 'clear'>;
  readonly requests: Pick<LinkRequests, 'clear'>;
  readonly platforms: Pick<WatchedPlatforms, 'all'>;
  readonly log: Log;
  readonly now: () => number;
  readonly days: { readonly inbox: number; readonly mirrors: number };
}

/** Time between two deletions of what is old. */
export const CLEARED_EVERY_MS = HOUR_MS;

/** Has what is old deleted again and again, by one process at a time, until it is disposed of. */
export const startRetention = (deps: RetentionDeps): AsyncDisposable => {
  const { store, leases, cursors, invites, requests, platforms, log, now, days } = deps;

  /** The time, ms since 1970: the database's where this process's clock is ahead, so that nothing is deleted early. */
  const findTime = async (): Promise<number> => {
    const stored = await store.states?.change('retention', (_, databaseMs) => ({
      result: databaseMs,
    }));
    return Math.min(now(), Math.floor(stored ?? Infinity));
  };

  let isFirst = true;
  const clear = async (): Promise<void> => {
    try {
      const nowMs = await findTime();
      const ago = (count: number): number => nowMs - count * DAY_MS;
      const rowsMs = ago(days.inbox);
      await clearOld(store, {
        rowsMs,
        mirrorsMs: ago(days.mirrors),
        deliveriesMs: nowMs - DELIVERY_HOURS * HOUR_MS,
        roomsMs: ago(ROOM_DAYS),
        usageMs: ago(USAGE_DAYS),
        leftMs: nowMs - HOUR_MS,
        statesMs: ago(STATE_DAYS),
        proposalsMs: ago(PROPOSAL_DAYS),
        auditMs: ago(AUDIT_DAYS),
      });
      await invites.clear();
      await requests.clear();
      for (const [platform, { feed }] of platforms.all())
        await cursors.clear(platform, feed.positionAt(rowsMs));
      // Not at the start, when there is enough to do.
      if (!isFirst) await store.checkpoint();
    } catch (err) {
      log.warn({ err }, 'old rows could not be cleared');
    }
    isFirst = false;
  };

  return startRepeated(leases, 'retention', CLEARED_EVERY_MS, clear);
};
