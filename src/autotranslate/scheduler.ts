import type { Log } from '../log.ts';
import type { Partition, Row } from '../store/inbox/row.ts';
import type { MessageRef } from '../model/place.ts';
import type { Jobs } from './partition-worker.ts';

/** Lanes that are worked on at the same moment; the others wait for their turn. */
const LANES_AT_ONCE = 256;
/** A lane that failed because of our own fault, such as the database's, is looked at again after this. */
const AFTER_FAULT_MS = 5_000;

export interface Scheduler extends AsyncDisposable {
  /** There is something new in the lane. */
  wake(lane: Partition): void;
  /** The message changed: what is being made of it is of no use any more. */
  interrupt(ref: MessageRef): void;
  /** Resolves when no lane is worked on or waits for its turn. */
  idle(): Promise<void>;
}

export interface SchedulerDeps {
  readonly log: Log;
  readonly now: () => number;
  /** Works a lane off; resolves with when to look at it again. */
  readonly work: (
    lane: Partition,
    jobs: Jobs,
    signal: AbortSignal,
    register: (row: Row, abort: AbortController) => Disposable,
  ) => Promise<number | undefined>;
}

const laneKey = ({ platform, lane }: Partition): string => `${platform} ${lane}`;
const refKey = ({ channel, id }: MessageRef): string => `${channel.id} ${id}`;

export const createScheduler = ({ log, now, work }: SchedulerDeps): Scheduler => {
  const stopping = new AbortController();
  const queue = new Map<string, Partition>();
  const working = new Map<string, Promise<void>>();
  /** Lanes in which something came while they were worked on. */
  const stale = new Set<string>();
  const timers = new Map<string, NodeJS.Timeout>();
  /** What lanes that wait for another try have prepared. */
  const prepared = new Map<string, Jobs>();
  const aborts = new Map<string, Set<AbortController>>();

  const register = ({ ref }: Row, abort: AbortController): Disposable => {
    const key = refKey(ref);
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

  const lookAgain = (lane: Partition, atMs: number): void => {
    const key = laneKey(lane);
    clearTimeout(timers.get(key));
    const timer = setTimeout(() => wake(lane), Math.max(0, atMs - now())).unref();
    timers.set(key, timer);
  };

  const run = async (lane: Partition): Promise<void> => {
    const key = laneKey(lane);
    try {
      const jobs: Jobs = prepared.get(key) ?? new Map();
      prepared.set(key, jobs);
      const dueMs = await work(lane, jobs, stopping.signal, register);
      if (jobs.size === 0) prepared.delete(key);
      if (dueMs !== undefined) lookAgain(lane, dueMs);
    } catch (err) {
      if (stopping.signal.aborted) return;
      log.error({ err }, 'a lane of watched messages failed');
      lookAgain(lane, now() + AFTER_FAULT_MS);
    } finally {
      working.delete(key);
      if (stale.delete(key)) queue.set(key, lane);
      next();
    }
  };

  const next = (): void => {
    for (const [key, lane] of queue) {
      if (stopping.signal.aborted || working.size >= LANES_AT_ONCE) return;
      queue.delete(key);
      working.set(key, run(lane));
    }
  };

  const wake = (lane: Partition): void => {
    const key = laneKey(lane);
    clearTimeout(timers.get(key));
    timers.delete(key);
    if (working.has(key)) stale.add(key);
    else queue.set(key, lane);
    next();
  };

  return {
    wake,
    interrupt: (ref) => {
      for (const abort of aborts.get(refKey(ref)) ?? []) abort.abort();
    },
    idle: async () => {
      while (working.size > 0) await Promise.all(working.values());
    },
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      for (const abort of aborts.values().flatMap((all) => all.values())) abort.abort();
      for (const timer of timers.values()) clearTimeout(timer);
      queue.clear();
      await Promise.allSettled(working.values());
    },
  };
};
