import type { Clock } from '../../async/clock.ts';
import { LEASE_MS, SLOWEST_MS } from './lease-rows.ts';

/** The least and the greatest time that the database's clock can have, ms since 1970. */
export type TimeBounds = readonly [earliestMs: number, latestMs: number];

/** The database's clock, as far as a process knows it by its own clocks. */
export interface DatabaseClock {
  /** Begins a statement that asks for the database's time; the result notes the answer. */
  readonly ask: () => (databaseMs: number) => void;
  /**
   * The bounds of the database's time by all that was noted within a lease. Whoever respects them ends nobody's lease early
   * when the database's clock is set: what was noted before and after differs then, until each lease that stood at that
   * time has been renewed or has ended. Before a lease's time has passed since the first note, nothing is known.
   */
  readonly bounds: () => TimeBounds;
}

interface Noted {
  readonly atMs: number;
  /** Least difference between the database's clock and the monotonic one. */
  readonly leastMs: number;
  /** Greatest differences between the database's clock and the monotonic and the wall clock. */
  readonly greatestMs: number;
  readonly greatestWallMs: number;
}

const UNKNOWN: TimeBounds = [0, 2 ** 52];

export const createDatabaseClock = (
  { nowMs }: Pick<Clock, 'nowMs'>,
  wallMs: () => number,
): DatabaseClock => {
  let noted: readonly Noted[] = [];
  /** The answers of the last lease's time with the one before; undefined where there is none before. */
  const findCounted = (): readonly Noted[] | undefined => {
    const first = noted.findLastIndex(({ atMs }) => atMs <= nowMs() - LEASE_MS);
    return first < 0 ? undefined : noted.slice(first);
  };
  return {
    ask: () => {
      const [sentMs, sentWallMs] = [nowMs(), wallMs()];
      return (databaseMs) => {
        // A process that was frozen or asleep meanwhile learns next to nothing.
        if (Math.max(nowMs() - sentMs, wallMs() - sentWallMs) > SLOWEST_MS) return;
        noted = [
          ...(findCounted() ?? noted),
          {
            atMs: nowMs(),
            leastMs: databaseMs - nowMs(),
            greatestMs: databaseMs - sentMs,
            greatestWallMs: databaseMs - sentWallMs,
          },
        ];
      };
    },
    bounds: () => {
      const counted = findCounted();
      if (!counted) return UNKNOWN;
      const least = nowMs() + Math.min(...counted.map(({ leastMs }) => leastMs));
      // The monotonic clock stands still while the machine is suspended.
      const greatest = Math.max(
        ...counted.map(({ greatestMs }) => nowMs() + greatestMs),
        ...counted.map(({ greatestWallMs }) => wallMs() + greatestWallMs),
      );
      return [Math.floor(least), Math.ceil(greatest)];
    },
  };
};
