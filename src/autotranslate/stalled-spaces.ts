import { HOUR_MS, MINUTE_MS } from '../async/clock.ts';
import { keyOf, type Space } from '../model/place.ts';
import type { PassedOver } from '../store/inbox/claims.ts';

/** Longest time for which spaces are passed over; then all are tried again, in the order of their messages. */
const LONGEST_MS = MINUTE_MS;
/** Greatest delay of a message that is found while spaces are passed over; any other is found when they are tried again. */
const DELAY_MS = HOUR_MS;

interface Stalled {
  /** The ones that are passed over, by their keys. */
  readonly passed: Map<string, Space>;
  /** The keys of those of which nothing was done since. */
  readonly known: Set<string>;
  /** The keys of those of which something was done since. */
  readonly proven: Set<string>;
  untilMs: number;
  fromMs: number;
}

/** Rows that are passed over, until a time, ms since 1970. */
export interface PassedFor extends PassedOver {
  readonly untilMs: number;
}

export type StalledSpaces = ReturnType<typeof createStalledSpaces>;

/**
 * Knows the spaces whose next message in a partition of linked channels cannot be prepared or posted now: their service, key
 * or platform fails. Those of other spaces pass them, and their own ones keep their order. Nothing of it is stored: it is
 * found out again.
 */
export const createStalledSpaces = () => {
  const partitions = new Map<string, Stalled>();

  const lift = (partition: string, space?: Space): void => {
    const one = partitions.get(partition);
    if (space) one?.passed.delete(keyOf(space));
    else one?.passed.clear();
    // Its messages may be older than those that were looked for.
    if (one) one.fromMs = 0;
    if (one?.known.size === 0) partitions.delete(partition);
  };

  return {
    /** Has a space passed over in a partition, at most until a time, ms since 1970. */
    pass: (partition: string, space: Space, untilMs: number, nowMs: number): void => {
      const sets = { passed: new Map(), known: new Set<string>(), proven: new Set<string>() };
      const one = partitions.get(partition) ?? { ...sets, untilMs: Infinity, fromMs: 0 };
      partitions.set(partition, one);
      if (one.passed.size === 0) Object.assign(one, { untilMs: nowMs + LONGEST_MS, fromMs: 0 });
      one.passed.set(keyOf(space), space);
      one.known.add(keyOf(space));
      one.proven.delete(keyOf(space));
      one.untilMs = Math.min(one.untilMs, untilMs);
    },
    /** The rows of a partition that are passed over now; undefined for none. */
    of: (partition: string, nowMs: number): PassedFor | undefined => {
      const one = partitions.get(partition);
      // A time too far ahead is of a clock that was set back.
      if (one && (one.untilMs <= nowMs || one.untilMs > nowMs + LONGEST_MS)) lift(partition);
      if (!one || one.passed.size === 0) return undefined;
      return { spaces: [...one.passed.values()], fromMs: one.fromMs, untilMs: one.untilMs };
    },
    /** Notes whether all rows were found besides those that were passed over: the next ones were written about now, or later. */
    looked: (partition: string, { spaces }: PassedFor, nowMs: number, isAll: boolean): void => {
      const one = partitions.get(partition);
      const isSo = isAll && spaces.every((space) => one?.passed.has(keyOf(space)));
      if (one) one.fromMs = isSo ? nowMs - DELAY_MS : 0;
    },
    /** True for a space that was passed over, and of which nothing was done since. */
    has: (partition: string, space: Space): boolean =>
      partitions.get(partition)?.known.has(keyOf(space)) ?? false,
    /** True for a space of which nothing was done since another one was passed over, or it itself: more of it may fail. */
    isDoubtful: (partition: string, space: Space): boolean =>
      partitions.get(partition)?.proven.has(keyOf(space)) === false,
    /** Notes that a message of a space was done. */
    done: (partition: string, space: Space): void => {
      const one = partitions.get(partition);
      one?.known.delete(keyOf(space));
      one?.proven.add(keyOf(space));
      if (one?.known.size === 0) partitions.delete(partition);
    },
    /** Has a space of a partition tried again. Default: all */
    lift,
    /** Has all spaces tried again. */
    liftAll: (): void => [...partitions.keys()].forEach((partition) => lift(partition)),
    /** Drops what is known of a partition in which nothing waits. */
    forget: (partition: string): void => void partitions.delete(partition),
  };
};
