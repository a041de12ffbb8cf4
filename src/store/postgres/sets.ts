import { orAborted } from '../../async/abort.ts';
import { sleep, type Clock } from '../../async/clock.ts';
import { RELEASED, isFree, NOW_MS, type Granted } from './lease-rows.ts';
import type { ListenSession } from './session.ts';
import type { Tenure } from '../../ports/processes.ts';
import type { TimeBounds, HeldLeases } from './held-leases.ts';

interface Watched {
  readonly wakes: Set<() => void>;
  spreadMs: number;
  announcedMs: number;
}

export interface SetChangesDeps {
  readonly session: Pick<ListenSession, 'listen' | 'onReconnect'>;
  readonly clock: Clock;
  readonly random: () => number;
}

export type SetChanges = Awaited<ReturnType<typeof openSetChanges>>;

/** Tells those who wait for leases of a set that it has changed. */
export const openSetChanges = async (deps: SetChangesDeps) => {
  const { session, clock, random } = deps;
  const sets = new Map<string, Watched>();

  await session.listen(RELEASED, (set) => {
    const watched = sets.get(set);
    if (!watched) return;
    watched.announcedMs = clock.nowMs();
    for (const wake of watched.wakes) wake();
  });
  // What was announced meanwhile is missed.
  session.onReconnect(() => {
    for (const { wakes } of sets.values()) for (const wake of wakes) wake();
  });

  return {
    /** Watches the changes of a set, for somebody who waits for its leases. */
    watch: (set: string) => {
      const watched = sets.get(set) ?? { wakes: new Set(), spreadMs: 0, announcedMs: -Infinity };
      sets.set(set, watched);
      let hasChanged = false;
      let over = Promise.withResolvers<void>();
      const wake = (): void => {
        hasChanged = true;
        over.resolve();
      };
      watched.wakes.add(wake);
      return {
        /**
         * Waits until the set has changed since the last wait, at most for `forMs`. A change is answered only after a random
         * part of the set's spread, so that others are answered with it. Resolves with whether it has changed.
         */
        next: async (forMs: number, signal: AbortSignal): Promise<boolean> => {
          const cancel = clock.after(forMs, over.resolve);
          await orAborted(over.promise, signal).catch(() => undefined);
          cancel();
          if (hasChanged && watched.spreadMs > 0)
            await sleep(clock, random() * watched.spreadMs, signal).catch(() => undefined);
          const result = hasChanged;
          hasChanged = false;
          over = Promise.withResolvers();
          return result;
        },
        /** Has processes answer a change at random times within `spreadMs`, and changes within that time be announced once. */
        spread: (spreadMs: number): void => {
          watched.spreadMs = spreadMs;
        },
        [Symbol.dispose]: (): void => {
          watched.wakes.delete(wake);
          if (watched.wakes.size === 0) sets.delete(set);
        },
      };
    },
    /** True while every process is about to answer a change of the set that was announced already. */
    isAnnounced: (set: string): boolean => {
      const watched = sets.get(set);
      return watched !== undefined && clock.nowMs() - watched.announcedMs < watched.spreadMs;
    },
  };
};

const MAKE = `
  INSERT INTO lease (name, set_name, owner, epoch, expires_ms)
  SELECT $1 || number, $1, '', 0, 0 FROM generate_series(0, $2::int - 1) AS number
  ON CONFLICT (name) DO NOTHING`;

/** The processes that share a set, those whose names come before this one's, and those that ended without a word. */
const COUNT = `
  SELECT count(*) FILTER (WHERE NOT is_free) AS members,
    count(*) FILTER (WHERE NOT is_free AND owner < $2) AS before,
    count(*) FILTER (WHERE is_free) AS ended
  FROM (SELECT owner, ${isFree('$3', '$4')} AS is_free
    FROM lease WHERE set_name = $1 AND expires_ms > 0) AS member`;

interface Counted {
  readonly members: number;
  readonly before: number;
  readonly ended: number;
}

/**
 * The first process that finds others ended tells all, so that each of many need not look often. What those had counts as
 * released, so that a process that has just started, and doesn't know the database's clock yet, can take its part of it.
 */
const END = `
  WITH ended AS (
    UPDATE lease SET expires_ms = 0
    WHERE name IN (
      SELECT name FROM lease
      WHERE set_name IN ($1, $2) AND expires_ms > 0 AND ${isFree('$3', '$4')}
      FOR UPDATE SKIP LOCKED)
    RETURNING name)
  SELECT pg_notify('${RELEASED}', $2) FROM ended LIMIT 1`;

const TELL = `SELECT pg_notify('${RELEASED}', $1)`;

/** Rows that somebody else claims at this moment are skipped, so that nobody waits. */
const CLAIM = `
  UPDATE lease SET owner = $1, epoch = epoch + 1, expires_ms = ${NOW_MS} + $4
  WHERE name IN (
    SELECT name FROM lease WHERE set_name = $2 AND ${isFree('$5', '$6')}
    LIMIT $3 FOR UPDATE SKIP LOCKED)
  RETURNING name, epoch`;

/** Set of the leases of the processes that share a set, both with their colons. */
export const membersOf = (set: string): string => `member of ${set}`;

export interface SetRowsDeps {
  readonly query: ListenSession['query'];
  readonly owner: string;
  /** The bounds of the database's time. */
  readonly bounds: () => TimeBounds;
  /** Time for which leases are claimed. */
  readonly grantMs: () => number;
  readonly held: Pick<HeldLeases, 'begin' | 'deadline'>;
}

export type SetRows = ReturnType<typeof createSetRows>;

/** Creates the statements on the rows of shared sets; a set is given with its colon. */
export const createSetRows = ({ query, owner, bounds, grantMs, held }: SetRowsDeps) => ({
  /** Makes the rows of a set that are not there yet. */
  make: async (set: string, size: number): Promise<void> => void (await query(MAKE, [set, size])),
  count: async (set: string): Promise<Counted | undefined> =>
    (await query<Counted>(COUNT, [membersOf(set), owner, ...bounds()]))[0],
  /** Ends what processes hold whose time is over, and tells the others. */
  end: async (set: string): Promise<void> =>
    void (await query(END, [membersOf(set), set, ...bounds()])),
  /** Tells all that the parts of a set have changed. */
  tell: async (set: string): Promise<void> => void (await query(TELL, [set])),
  /** Claims free names, at most so many. */
  claim: async (set: string, most: number): Promise<readonly Tenure[]> => {
    const grantedMs = grantMs();
    const until = held.deadline(grantedMs);
    const granted = await query<Granted>(CLAIM, [owner, set, most, grantedMs, ...bounds()]);
    return granted.map((each) => held.begin(each, until));
  },
});
