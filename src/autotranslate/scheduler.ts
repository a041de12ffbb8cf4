import { realClock, waitUntil, type Clock } from '../async/clock.ts';
import type { Log } from '../telemetry/log.ts';
import { messageKey, type MessageRef } from '../model/place.ts';
import type { Tenure } from '../ports/processes.ts';
import type { SlotOwner } from '../cluster/slot-owner.ts';
import { slotOf } from '../store/rows.ts';
import { groupOf, pausedIn, type Row } from '../store/inbox/row.ts';
import { dropAll, type createPartitionWorker, type Due, type Jobs } from './partition-worker.ts';

/** Partitions of one kind that are processed at the same time; others are queued. */
const PARTITIONS_AT_ONCE = 256;
/**
 * Kind of a partition: where it posts, as far as its name says it. Those of a platform that does not answer keep no other
 * ones from being processed, nor do late channels keep those that are not.
 */
const kindOf = (partition: string): string => {
  const { to } = groupOf(partition) ?? pausedIn(partition) ?? {};
  return to === undefined ? partition.slice(0, partition.indexOf(':')) : `late ${to.split(' ')[0]}`;
};
/** Wait before a partition is retried after an internal fault, such as the database's. */
const AFTER_FAULT_MS = 5_000;

export type Scheduler = ReturnType<typeof createScheduler>;

export interface SchedulerDeps {
  readonly slots: Pick<SlotOwner, 'tenureOf' | 'tell'>;
  readonly log: Log;
  readonly now: () => number;
  /** The clock of waits. Default: real time. */
  readonly clock?: Clock;
}

/** Processes a partition under the tenure of its slot; resolves with the time at which there is more to do. */
type WorkOn = ReturnType<typeof createPartitionWorker>;

/** Name of the work that slots' owners are told of. */
export const INBOX = 'inbox';

/** The unfinished rows of a partition, and the tenure under which they were claimed. */
interface Unfinished {
  readonly tenure: Tenure;
  readonly jobs: Jobs;
}

/** A partition that is woken at a time. */
interface Timer {
  readonly due: Due;
  readonly cancel: () => void;
}

/** The partitions of one kind that are to be processed, and the number of those that are. */
interface Queue {
  readonly waiting: Set<string>;
  busy: number;
}

/** Schedules the partitions of this process's slots, one worker for each. Nothing is worked on before `start`. */
export const createScheduler = ({ slots, log, now, clock = realClock }: SchedulerDeps) => {
  let workOn: WorkOn | undefined;
  const stopping = new AbortController();
  const queues = new Map<string, Queue>();
  const working = new Map<string, Promise<void>>();
  /** Partitions that were woken while they were being processed. */
  const stale = new Set<string>();
  const timers = new Map<string, Timer>();
  const unfinished = new Map<string, Unfinished>();
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

  const cancelTimer = (partition: string): void => {
    timers.get(partition)?.cancel();
    timers.delete(partition);
  };

  /**
   * Schedules a partition for a time.
   *
   * @param wake wakes it then
   */
  const wakeLater = (partition: string, due: Due, wake: (partition: string) => void): void => {
    cancelTimer(partition);
    // Another process knows by itself when its rows are due.
    if (!slots.tenureOf(partition)) return;
    const cancel = clock.after(Math.max(0, due.atMs - now()), () => wake(partition));
    timers.set(partition, { due, cancel });
  };

  const dropJobs = (partition: string): void => {
    const known = unfinished.get(partition);
    unfinished.delete(partition);
    if (known) dropAll(known.jobs);
  };

  /** The unfinished rows of a partition under a tenure; those of an earlier one are dropped. */
  const jobsUnder = (tenure: Tenure, partition: string): Jobs => {
    const known = unfinished.get(partition);
    if (known?.tenure === tenure) return known.jobs;
    dropJobs(partition);
    const jobs: Jobs = new Map();
    unfinished.set(partition, { tenure, jobs });
    return jobs;
  };

  /** Works on a partition; resolves with the time at which it is to be woken. Never rejects. */
  const run = async (partition: string, work: WorkOn): Promise<Due | undefined> => {
    const tenure = slots.tenureOf(partition);
    try {
      // Its new owner begins with what is stored.
      if (!tenure) {
        dropJobs(partition);
        return undefined;
      }
      const jobs = jobsUnder(tenure, partition);
      const due = await work({ partition, tenure, jobs }, register);
      // Rows that wait for a retry keep their prepared results.
      if (jobs.size === 0) unfinished.delete(partition);
      return due;
    } catch (err) {
      if (stopping.signal.aborted || !tenure?.isHeld()) {
        dropJobs(partition);
        return undefined;
      }
      log.error({ err, partition }, 'a partition of the inbox could not be worked on');
      return { atMs: now() + AFTER_FAULT_MS, isStored: false };
    }
  };

  const queueOf = (partition: string): Queue => {
    const kind = kindOf(partition);
    const queue = queues.get(kind) ?? { waiting: new Set(), busy: 0 };
    queues.set(kind, queue);
    return queue;
  };

  /** Begins with queued partitions of a kind; `wake` schedules one that was woken meanwhile, or is due later. */
  const next = (queue: Queue, wake: (partition: string) => void): void => {
    for (const partition of queue.waiting) {
      if (!workOn || stopping.signal.aborted || queue.busy >= PARTITIONS_AT_ONCE) return;
      queue.waiting.delete(partition);
      queue.busy += 1;
      const ended = (due: Due | undefined): void => {
        if (due) wakeLater(partition, due, wake);
        working.delete(partition);
        queue.busy -= 1;
        if (stale.delete(partition)) wake(partition);
        next(queue, wake);
      };
      working.set(partition, run(partition, workOn).then(ended));
    }
  };

  /** Schedules a partition that has new rows. */
  const wake = (partition: string): void => {
    cancelTimer(partition);
    if (!slots.tenureOf(partition)) return slots.tell(INBOX, partition);
    if (holds.has(partition)) return;
    const queue = queueOf(partition);
    if (working.has(partition)) stale.add(partition);
    else queue.waiting.add(partition);
    next(queue, wake);
  };

  /**
   * Lets no more rows of a partition be claimed until the result is disposed of, because earlier
   * ones may come.
   */
  const hold = (partition: string): Disposable => {
    const holder = {};
    holds.set(partition, (holds.get(partition) ?? new Set()).add(holder));
    queueOf(partition).waiting.delete(partition);
    return {
      [Symbol.dispose]: () => {
        const holders = holds.get(partition);
        if (!holders?.delete(holder) || holders.size > 0) return;
        holds.delete(partition);
        wake(partition);
      },
    };
  };

  return {
    start: (work: WorkOn): void => {
      workOn = work;
      for (const queue of queues.values()) next(queue, wake);
    },
    wake,
    wakeAt: (partition: string, due: Due): void => wakeLater(partition, due, wake),
    /** Schedules a partition that has new rows, unless those before them wait for a time. */
    wakeIdle: (partition: string): void => {
      if (!timers.has(partition)) wake(partition);
    },
    hold,
    /** True while no more rows of a partition may be claimed here. */
    isOnHold: (partition: string): boolean =>
      holds.has(partition) || slots.tenureOf(partition) === undefined,
    /**
     * True for a partition that is being worked on or will be, by a time for which its rows are due as they are stored, ms
     * since 1970; they are due earlier than was known where a message has changed.
     */
    isKnown: (partition: string, dueMs: number): boolean => {
      if (working.has(partition) || queueOf(partition).waiting.has(partition)) return true;
      const due = timers.get(partition)?.due;
      return due !== undefined && (!due.isStored || due.atMs <= dueMs);
    },
    /**
     * Ends the work in a slot under a tenure, which this process has no more: what is under way has some time to end, and
     * is otherwise begun again under the slot's next tenure, which may be this process's.
     */
    endSlot: async (slot: number, tenure: Tenure, withinMs: number): Promise<void> => {
      const isOf = (partition: string): boolean => slotOf(partition) === slot;
      for (const { waiting } of queues.values())
        for (const partition of [...waiting].filter(isOf)) waiting.delete(partition);
      for (const partition of [...timers.keys()].filter(isOf)) cancelTimer(partition);
      const running = Promise.allSettled(
        [...working].flatMap(([partition, each]) => (isOf(partition) ? [each] : [])),
      );
      await waitUntil(clock, clock.nowMs() + withinMs, running);
      for (const [partition, known] of unfinished)
        if (isOf(partition) && known.tenure === tenure) dropJobs(partition);
      await running;
    },
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
      for (const { cancel } of timers.values()) cancel();
      queues.clear();
      await Promise.allSettled(working.values());
      for (const partition of unfinished.keys()) dropJobs(partition);
    },
  };
};
