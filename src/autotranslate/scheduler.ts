import type { Log } from '../log.ts';
import { messageKey, type MessageRef } from '../model/place.ts';
import type { Leases, Tenure } from '../ports/leases.ts';
import type { Row } from '../store/inbox/row.ts';
import { dropAll, type createPartitionWorker, type Jobs } from './partition-worker.ts';

/** Partitions that are processed at the same time; others are queued. */
const PARTITIONS_AT_ONCE = 256;
/** Wait before a partition is retried after an internal fault, such as the database's. */
const AFTER_FAULT_MS = 5_000;

export type Scheduler = ReturnType<typeof createScheduler>;

export interface SchedulerDeps {
  readonly leases: Leases;
  readonly log: Log;
  readonly now: () => number;
  /** Processes the partition that the tenure names; resolves with the time of its next due row. */
  readonly work: ReturnType<typeof createPartitionWorker>;
}

/** A partition whose lease is held, with its unfinished rows. */
interface Owned {
  readonly tenure: Tenure;
  readonly jobs: Jobs;
  readonly endJobs: () => void;
}

/**
 * Schedules partitions, one worker for each, under a lease that is kept until no row in it is
 * unfinished.
 */
export const createScheduler = ({ leases, log, now, work }: SchedulerDeps) => {
  const stopping = new AbortController();
  const queue = new Set<string>();
  const working = new Map<string, Promise<void>>();
  /** Partitions that were woken while they were being processed. */
  const stale = new Set<string>();
  const timers = new Map<string, NodeJS.Timeout>();
  const owned = new Map<string, Owned>();
  const holds = new Map<string, Set<object>>();
  const aborts = new Map<string, Set<AbortController>>();

  const register = ({ ref }: Row, abort: AbortController): Disposable => {
    const key = messageKey(ref);
    const known = aborts.get(key) ?? new Set();
    aborts.set(key, known.add(abort));
    if (stopping.signal.aborted) abort.abort();
    return {
      [Symbol.dispose]: () => {
        known.delete(abort);
        if (known.size === 0) aborts.delete(key);
      },
    };
  };

  /** Schedules a partition for a time, ms since 1970. */
  const wakeAt = (partition: string, atMs: number): void => {
    clearTimeout(timers.get(partition));
    const timer = setTimeout(() => wake(partition), Math.max(0, atMs - now())).unref();
    timers.set(partition, timer);
  };

  const giveBack = async (partition: string, { tenure, endJobs }: Owned): Promise<void> => {
    tenure.signal.removeEventListener('abort', endJobs);
    endJobs();
    owned.delete(partition);
    await tenure.release();
  };

  const own = async (partition: string): Promise<Owned> => {
    const known = owned.get(partition);
    if (known?.tenure.isHeld()) return known;
    if (known) await giveBack(partition, known);
    const tenure = await leases.acquire(partition, stopping.signal);
    const jobs: Jobs = new Map();
    const taken: Owned = { tenure, jobs, endJobs: () => dropAll(jobs) };
    tenure.signal.addEventListener('abort', taken.endJobs, { once: true });
    owned.set(partition, taken);
    return taken;
  };

  const run = async (partition: string): Promise<void> => {
    try {
      const held = await own(partition);
      const dueMs = await work(held.tenure, held.jobs, register);
      // Rows that wait for a retry keep their prepared results, and so the lease.
      if (held.jobs.size === 0) await giveBack(partition, held);
      if (dueMs !== undefined) wakeAt(partition, dueMs);
    } catch (err) {
      if (stopping.signal.aborted) return;
      log.error({ err, partition }, 'a partition of the inbox could not be worked on');
      wakeAt(partition, now() + AFTER_FAULT_MS);
    } finally {
      working.delete(partition);
      if (stale.delete(partition)) wake(partition);
      next();
    }
  };

  const next = (): void => {
    for (const partition of queue) {
      if (stopping.signal.aborted || working.size >= PARTITIONS_AT_ONCE) return;
      queue.delete(partition);
      working.set(partition, run(partition));
    }
  };

  /** Schedules a partition that has new rows. */
  const wake = (partition: string): void => {
    clearTimeout(timers.get(partition));
    timers.delete(partition);
    if (holds.has(partition)) return;
    if (working.has(partition)) stale.add(partition);
    else queue.add(partition);
    next();
  };

  /**
   * Lets no more rows of a partition be claimed until the result is disposed of, because earlier
   * ones may come.
   */
  const hold = (partition: string): Disposable => {
    const holder = {};
    holds.set(partition, (holds.get(partition) ?? new Set()).add(holder));
    queue.delete(partition);
    return {
      [Symbol.dispose]: () => {
        const left = holds.get(partition);
        if (!left?.delete(holder) || left.size > 0) return;
        holds.delete(partition);
        wake(partition);
      },
    };
  };

  return {
    wake,
    wakeAt,
    hold,
    isOnHold: (partition: string): boolean => holds.has(partition),
    /** Cancels the work on a message that changed. */
    interrupt: (ref: MessageRef): void => {
      for (const abort of aborts.get(messageKey(ref)) ?? []) abort.abort();
    },
    /** Resolves when no partition is being processed or queued. */
    idle: async (): Promise<void> => {
      while (working.size > 0) await Promise.all(working.values());
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      stopping.abort();
      for (const abort of aborts.values().flatMap((all) => all.values())) abort.abort();
      for (const timer of timers.values()) clearTimeout(timer);
      queue.clear();
      await Promise.allSettled(working.values());
      for (const [partition, held] of owned) await giveBack(partition, held);
    },
  };
};
