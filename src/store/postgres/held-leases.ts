import type { Clock } from '../../async/clock.ts';
import { AppError } from '../../errors.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Tenure } from '../../ports/processes.ts';
import { LEASE_MS, MARGIN_MS, type Granted } from './lease-rows.ts';

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
    /** Loses what has ended. */
    loseEnded: (): void => {
      for (const [name, lease] of held) if (!isCurrent(lease)) lose(name, lease);
    },
    releaseAll: async (): Promise<void> => {
      const left = [...held];
      for (const [name, lease] of left) drop(name, lease);
      await Promise.all(left.map(([name, { epoch }]) => release(name, epoch)));
    },
  };
};

export type HeldLeases = ReturnType<typeof createHeldLeases>;
