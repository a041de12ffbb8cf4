import type { Clock } from '../../async/clock.ts';
import { LEASE_MS, SLOWEST_MS, MARGIN_MS, type Granted } from './lease-rows.ts';
import { AppError } from '../../errors.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Tenure } from '../../ports/processes.ts';

/** The least and the greatest time that the database's clock can have, ms since 1970. */
export type TimeBounds = readonly [earliestMs: number, latestMs: number];

interface Noted {
  readonly atMs: number;
  /** Least difference between the database's clock and the monotonic one. */
  readonly leastMs: number;
  /** Greatest differences between the database's clock and the monotonic and the wall clock. */
  readonly greatestMs: number;
  readonly greatestWallMs: number;
}

const UNKNOWN: TimeBounds = [0, 2 ** 52];

export type DatabaseClock = ReturnType<typeof createDatabaseClock>;

/** Creates the database's clock, as far as a process knows it by its own clocks. */
export const createDatabaseClock = ({ nowMs }: Pick<Clock, 'nowMs'>, wallMs: () => number) => {
  let noted: readonly Noted[] = [];
  /** The answers of the last lease's time with the one before; undefined where there is none before. */
  const findCounted = (): readonly Noted[] | undefined => {
    const first = noted.findLastIndex(({ atMs }) => atMs <= nowMs() - LEASE_MS);
    return first < 0 ? undefined : noted.slice(first);
  };
  return {
    /** Begins a statement that asks for the database's time; the result notes the answer. */
    ask: () => {
      const [sentMs, sentWallMs] = [nowMs(), wallMs()];
      return (databaseMs: number): void => {
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
    /**
     * The bounds of the database's time by all that was noted within a lease. Whoever respects them ends nobody's lease early
     * when the database's clock is set: what was noted before and after differs then, until each lease that stood at that
     * time has been renewed or has ended. Before a lease's time has passed since the first note, nothing is known.
     */
    bounds: (): TimeBounds => {
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

/** Times up to which a holder may act, by the monotonic and by the wall clock. */
export interface LeaseDeadline {
  readonly untilMs: number;
  readonly wallUntilMs: number;
}

/** A lease that this process has. */
export interface Held {
  readonly epoch: number;
  readonly abort: AbortController;
  until: LeaseDeadline;
}

export interface HeldLeasesDeps {
  readonly log: Log;
  readonly clock: Clock;
  readonly wallMs: () => number;
  /** Tells the database that a lease is not needed any more. */
  readonly release: (name: string, epoch: number) => Promise<void>;
}

/** The leases that this process has, as far as its own clocks tell. */
export const createHeldLeases = ({ log, clock, wallMs, release }: HeldLeasesDeps) => {
  const held = new Map<string, Held>();

  const isCurrent = ({ until }: Held): boolean =>
    clock.nowMs() < until.untilMs && wallMs() < until.wallUntilMs;

  const drop = (name: string, lease: Held): boolean => {
    if (held.get(name) !== lease) return false;
    held.delete(name);
    lease.abort.abort(new AppError('cancelled', 'the lease is not held any more'));
    return true;
  };
  const lose = (name: string, lease: Held): void => {
    if (!drop(name, lease)) return;
    log.warn({ lease: name }, 'a lease was lost');
  };

  return {
    /** The end of what is granted by a statement that is about to be sent, for a time by the database's clock. */
    deadline: (grantedMs = LEASE_MS): LeaseDeadline => {
      const lengthMs = grantedMs - MARGIN_MS;
      return { untilMs: clock.nowMs() + lengthMs, wallUntilMs: wallMs() + lengthMs };
    },
    begin: ({ name, epoch }: Granted, until: LeaseDeadline, signal?: AbortSignal): Tenure => {
      // It may have ended in the database before this process has seen that it did.
      const ended = held.get(name);
      if (ended) lose(name, ended);
      const lease: Held = { epoch, abort: new AbortController(), until };
      held.set(name, lease);
      const both = signal ? AbortSignal.any([signal, lease.abort.signal]) : lease.abort.signal;
      const isHeld = (): boolean =>
        held.get(name) === lease && isCurrent(lease) && !(signal?.aborted ?? false);
      return {
        name,
        epoch,
        signal: both,
        isHeld,
        assertHeld: () => {
          if (!isHeld()) throw new AppError('cancelled', 'the lease is not held any more');
        },
        release: async () => {
          if (drop(name, lease)) await release(name, epoch);
        },
      };
    },
    /** The leases at this moment, which are about to be renewed: a renewal also ends a longer grant. */
    toRenew: (until: LeaseDeadline): ReadonlyMap<string, Held> => {
      for (const lease of held.values())
        if (until.untilMs < lease.until.untilMs) lease.until = until;
      return new Map(held);
    },
    /** Takes the answer to a renewal: what was not renewed is lost. */
    renewed: (
      asked: ReadonlyMap<string, Held>,
      names: ReadonlySet<string | null>,
      until: LeaseDeadline,
    ): void => {
      for (const [name, lease] of asked)
        if (!names.has(name)) lose(name, lease);
        // It was lost or released while it was renewed.
        else if (held.get(name) !== lease) void release(name, lease.epoch);
        // A renewal that was sent later may have been answered earlier.
        else if (until.untilMs > lease.until.untilMs) lease.until = until;
    },
    loseEnded: (): void => {
      for (const [name, lease] of held) if (!isCurrent(lease)) lose(name, lease);
    },
    releaseAll: async (): Promise<void> => {
      const leases = [...held];
      for (const [name, lease] of leases) drop(name, lease);
      await Promise.all(leases.map(([name, { epoch }]) => release(name, epoch)));
    },
  };
};

export type HeldLeases = ReturnType<typeof createHeldLeases>;
