import { isBusy } from '../api/service-error.ts';
import { realClock, waitUntil } from '../async/clock.ts';
import { AppError, reasonSentence, toAppError } from '../errors.ts';
import type { Log } from '../telemetry/log.ts';
import { keyOf as spaceKey, messageKey, type Space } from '../model/place.ts';
import type { Tenure } from '../ports/processes.ts';
import type { InboxStore } from '../store/inbox/index.ts';
import type { WatchStore } from '../store/channels/watches.ts';
import { groupOf, isReported, pausedIn, reportedPartition, type Row } from '../store/inbox/row.ts';
import { OutageError } from './outages/breaker.ts';
import type { LateNotices } from './mirror/late-notices.ts';
import type { LateTargets } from './mirror/late-targets.ts';
import type { OutageWaits } from './outages/waits.ts';
import { givenUp, type Prepared } from './prepare/prepared.ts';
import type { StalledSpaces } from './stalled-spaces.ts';
import { loggingOf, type RowWork } from './telemetry.ts';
import {
  ASIDE,
  DELETING,
  isExhausted,
  LATE,
  TAKES_LONG_MS,
  PREPARING,
  RECONCILING,
  takesLong,
  TOO_LATE_MS,
  waitMs,
  type RowBackoff,
} from './row-backoff.ts';

/**
 * Rows of one partition that are prepared at the same time; they are reconciled in their order. In a
 * busy group, mirrors were 8 s late with 32, 17 s with 16 and 11 s with 48.
 */
export const ROWS_AHEAD = 32;

/** Edits of a pause that are prepared at the same time: what is written since does not wait for many of them. */
const PAUSED_AHEAD = 4;

export interface PartitionWorkerDeps extends RowWork {
  readonly inbox: Pick<InboxStore, 'claim' | 'release'>;
  /** True while earlier rows of a partition may still come; it is woken afterwards. */
  readonly isOnHold: (partition: string) => Promise<boolean>;
  readonly waits: OutageWaits;
  readonly stalled: StalledSpaces;
  readonly watches: Pick<WatchStore, 'inGroup'>;
  /** Has a partition processed. */
  readonly wake: (partition: string) => void;
  readonly late: Pick<LateTargets, 'read' | 'look'>;
  readonly notices: LateNotices;
  readonly log: Log;
  readonly now: () => number;
  /** Random number from 0 to 1, for the jitter of waits. */
  readonly random: () => number;
}

/** A row in progress, kept from round to round until it is reconciled or has changed. */
interface Job {
  row: Row;
  readonly abort: AbortController;
  readonly preparing: Promise<Prepared>;
  /** The result of `preparing`; undefined until then. */
  prepared?: Prepared;
  readonly registered: Disposable;
  /** Monotonic time at which it began. */
  readonly begunMs: number;
  /** True once `preparing` is settled. */
  isEnded: boolean;
  /** True once others have passed it: its result is kept then, though it failed. */
  isPassed: boolean;
}

/** Unfinished rows of a partition, kept by its owner between rounds. */
export type Jobs = Map<string, Job>;

/** The unfinished rest of a round: `rows` begins with the `tried` rows that failed. */
interface Stop {
  readonly error: AppError;
  readonly rows: readonly Row[];
  readonly tried: number;
  readonly policy: RowBackoff;
  /** The first row where it takes long and did not fail: others pass it. */
  readonly isSlow?: boolean;
}

const keyOf = ({ ref, purpose, to = '' }: Row): string => `${purpose} ${to} ${messageKey(ref)}`;

const isLarge = ({ files }: Prepared): boolean => files.length > 0;

/** True when a row needs a batch of its own. */
const needsOwnBatch = (batch: readonly Prepared[], prepared: Prepared): boolean =>
  isLarge(prepared) || batch.some(isLarge);

/**
 * Converts anything thrown to an `AppError`. Internal faults, such as the database's, are logged
 * and retried, as they do not depend on the message.
 */
const faultOf = (thrown: unknown, log: Log): AppError => {
  const error = toAppError(thrown);
  if (thrown instanceof AppError || error.code === 'cancelled') return error;
  log.error({ err: thrown }, 'a message could not be auto-translated');
  return new AppError('internal', 'an internal fault', { retryable: true, cause: thrown });
};

const slow = (): AppError =>
  new AppError('unavailable', 'preparing a message takes long', { retryable: true });

const outdated = (): AppError => new AppError('cancelled', 'a message changed meanwhile');

/** The result of an earlier round, for the row as it was claimed last. */
const asClaimed = (prepared: Prepared, row: Row): Prepared => ({
  ...prepared,
  row,
  mayExist: prepared.mayExist || row.mayExist,
});

const end = (jobs: Jobs, key: string): Job | undefined => {
  const job = jobs.get(key);
  jobs.delete(key);
  job?.registered[Symbol.dispose]();
  return job;
};

const drop = (jobs: Jobs, key: string): void => end(jobs, key)?.abort.abort();

/** Cancels all work in a partition. */
export const dropAll = (jobs: Jobs): void => {
  for (const key of jobs.keys()) drop(jobs, key);
};

/** The time at which a partition is to be worked on again. */
export interface Due {
  /** The time, ms since 1970. */
  readonly atMs: number;
  /** False where only this process waits: the store would give the rows at once. */
  readonly isStored: boolean;
}

/** A partition to work on, under the tenure of its slot. */
export interface PartitionWork {
  readonly partition: string;
  readonly tenure: Tenure;
  readonly jobs: Jobs;
}

/**
 * Creates the function that processes a partition until no due row is left: it prepares several rows at once and reconciles them
 * in their order, consecutive ready ones together. A row that has to be retried delays those after
 * it, of other spaces not for long. It resolves with the time at which there is more to do; undefined where nothing is known of.
 *
 * @param register called for each row in progress; aborting its controller cancels the row, which
 *   must be done for all rows when the tenure ends
 */
export const createPartitionWorker = (deps: PartitionWorkerDeps) => {
  const { inbox, prepare, reconcile, isOnHold, late, notices, waits, stalled, log } = deps;
  const { now, random } = deps;
  /** Partitions of what is for one channel alone in which nothing could be posted last, and since when, ms since 1970. */
  const failing = new Map<string, number>();

  return async (
    { partition, tenure, jobs }: PartitionWork,
    register: (row: Row, abort: AbortController) => Disposable,
  ): Promise<Due | undefined> => {
    const begin = (row: Row): Job => {
      const key = keyOf(row);
      const known = jobs.get(key);
      if (known?.row.revision === row.revision && !known.abort.signal.aborted) {
        known.row = row;
        return known;
      }
      drop(jobs, key);
      const abort = new AbortController();
      const registered = register(row, abort);
      const isLast = row.attempts >= ASIDE.tries;
      const preparing = prepare(row, { isLast, tenure }, abort.signal);
      const times = { begunMs: realClock.nowMs(), isEnded: false, isPassed: false };
      const job: Job = { row, abort, preparing, registered, ...times };
      jobs.set(key, job);
      abort.signal.addEventListener('abort', () => jobs.get(key) === job && end(jobs, key));
      const settle = async (): Promise<void> => {
        try {
          job.prepared = await preparing;
        } finally {
          job.isEnded = true;
        }
      };
      settle().catch(() => {
        if (jobs.get(key) === job && !job.isPassed) drop(jobs, key);
      });
      return job;
    };

    const { group, to } = groupOf(partition) ?? {};
    const isLate = to !== undefined;
    const isAfterPause = pausedIn(partition) !== undefined;
    const isForOne = isLate || isAfterPause;
    const rowsAhead = isAfterPause ? PAUSED_AHEAD : ROWS_AHEAD;
    const isOwn = group === undefined && !isReported(reportedPartition(partition));
    const linked = deps.watches.inGroup(group).map(({ channel }) => spaceKey(channel.space));
    const isOfSeveral = new Set(linked).size > 1;

    /** True of a space whose next message may fail too: it is tried by itself. Where a message cannot be posted, a second one shows whether it fails alone. */
    const isAlone = (space: Space): boolean =>
      !failing.has(partition) &&
      (stalled.isDoubtful(partition, space) || waits.has(partition, space));

    /** False for a row that takes so long to prepare that those of other spaces pass it, until that has ended. */
    const isInTime = async (job: Job): Promise<boolean> => {
      const { space } = job.row.ref.channel;
      const ended = Promise.allSettled([job.preparing]);
      const latestMs = job.begunMs + (stalled.has(partition, space) ? 0 : TAKES_LONG_MS);
      if (!job.isEnded && latestMs > realClock.nowMs()) await waitUntil(realClock, latestMs, ended);
      if (job.isEnded) return true;
      // Passed without a wait in between: a job that fails before that is dropped.
      stalled.pass(partition, space, Infinity, now());
      const lift = (): void => {
        stalled.lift(partition, space);
        deps.wake(partition);
      };
      if (!job.isPassed) void ended.then(lift);
      job.isPassed = true;
      return false;
    };

    const round = async (begun: readonly Job[]): Promise<Stop | undefined> => {
      const open = [...begun];
      while (open.length > 0) {
        const [head] = open as [Job];
        const waiting = (): Row[] => open.map(({ row }) => row);
        if (isOfSeveral && !(await isInTime(head)))
          return { error: slow(), rows: waiting(), tried: 0, policy: PREPARING, isSlow: true };
        const batch: Prepared[] = [];
        let policy = PREPARING;
        let done = 0;
        let fault: AppError | undefined;
        try {
          batch.push(asClaimed(await head.preparing, head.row));
          policy = isOwn && head.row.message === 'deleted' ? DELETING : RECONCILING;
          for (const { prepared, row } of open.slice(1)) {
            if (!prepared || needsOwnBatch(batch, prepared)) break;
            batch.push(asClaimed(prepared, row));
          }
          done = await reconcile(batch, tenure);
          if (done < batch.length) fault = outdated();
        } catch (thrown) {
          fault = loggingOf(head.row, () => faultOf(thrown, log));
          if (batch.length === 0) drop(jobs, keyOf(head.row));
        }
        for (const { row } of open.splice(0, done)) end(jobs, keyOf(row));
        if (!fault) continue;
        const [next] = open as [Job];
        // The message changed and is prepared again.
        if (fault.code === 'cancelled') drop(jobs, keyOf(next.row));
        const tried = Math.max(1, batch.length - done);
        return { error: fault, rows: waiting(), tried, policy };
      }
      return undefined;
    };

    const giveUp = async (row: Row, error: AppError): Promise<void> => {
      drop(jobs, keyOf(row));
      await reconcile([givenUp(row, error)], tenure);
    };

    /** True where a row is posted by itself. */
    const passes = async (row: Row | undefined): Promise<boolean> => {
      const job = row && jobs.get(keyOf(row));
      try {
        return job
          ? (await reconcile([asClaimed(await job.preparing, job.row)], tenure)) > 0
          : false;
      } catch {
        return false;
      }
    };

    /** Releases rows that wait for one channel; resolves with the time of the next try. */
    const waitOn = async ({ rows, error }: Stop, sinceMs: number): Promise<Due | undefined> => {
      const [head, next, ...rest] = rows as [Row, ...Row[]];
      const failingMs = failing.get(partition) ?? sinceMs;
      // A pause may have been long.
      const waitedMs = now() - (isAfterPause ? failingMs : head.sinceMs);
      const isLeft = isExhausted(LATE, head, now()) && (await passes(next));
      if (isLeft || waitedMs > TOO_LATE_MS) {
        await giveUp(head, error);
        if (isLeft && next) drop(jobs, keyOf(next));
        await inbox.release(isLeft || !next ? rest : [next, ...rest], { tried: 0, dueMs: 0 });
        return undefined;
      }
      failing.set(partition, failingMs);
      if (isLate) notices.failed(partition, error, sinceMs);
      const dueMs = now() + waitMs(LATE, head.attempts, error, random);
      await inbox.release(rows, { tried: 1, dueMs, sentence: reasonSentence(error) });
      return { atMs: dueMs, isStored: true };
    };

    /**
     * Releases rows; resolves with the time of the next try unless that is now.
     *
     * @param sinceMs time at which this try began, ms since 1970
     */
    const giveBack = async (stop: Stop, sinceMs: number): Promise<Due | undefined> => {
      const { error, rows, tried, policy } = stop;
      const [head, ...rest] = rows as [Row, ...Row[]];
      // A message that changed meanwhile did not fail.
      if (error.code === 'cancelled' || stop.isSlow) {
        await inbox.release(rows, { tried: 0, dueMs: 0 });
        return undefined;
      }
      const dueMs = now() + waitMs(policy, head.attempts, error, random);
      const isOutage = error instanceof OutageError;
      if (isOutage) waits.begin(head, error);
      const isStored = !isOutage && (policy !== PREPARING || !isBusy(error));
      if (isForOne && isStored && error.retryable && policy === RECONCILING)
        return waitOn(stop, sinceMs);
      if (isStored && (!error.retryable || isExhausted(policy, head, now()))) {
        await giveUp(head, error);
        await inbox.release(rest, { tried: 0, dueMs: 0 });
        return undefined;
      }
      const how = { tried, dueMs, sentence: reasonSentence(error) };
      await inbox.release(rows, isStored ? how : { tried: 0, dueMs: 0 });
      if (!isOfSeveral || !takesLong(head, error, dueMs)) return { atMs: dueMs, isStored };
      stalled.pass(partition, head.ref.channel.space, dueMs, now());
      return undefined;
    };

    /** Notes what of the rows of a round was done, and so does not wait. */
    const note = (rows: readonly Row[], stop: Stop | undefined): void => {
      const done = stop ? rows.slice(0, rows.length - stop.rows.length) : rows;
      // An edit, or the end of the program, interrupts a message that waits.
      const isWaiting = stop?.error instanceof OutageError || stop?.error.code === 'cancelled';
      const isOver = stop && !stop.isSlow && !isWaiting;
      for (const { ref } of isOver ? [...done, ...stop.rows.slice(0, 1)] : done)
        waits.end(partition, ref.channel.space);
      for (const { ref } of done) stalled.done(partition, ref.channel.space);
    };

    if (group !== undefined) await late.read(group, tenure);
    for (;;) {
      const caughtUp = isLate ? await late.look(partition, tenure) : undefined;
      tenure.assertHeld();
      if (await isOnHold(partition)) return undefined;
      // Where the first message cannot be posted, a second one shows whether it fails alone.
      const passed = stalled.of(partition, now());
      const isWaiting = !isOfSeveral && waits.has(partition);
      const limit = isWaiting ? 1 : failing.has(partition) ? 2 : rowsAhead;
      const found = await inbox.claim(partition, limit, tenure, passed, isAlone);
      const { rows, nextDueMs = Infinity, notDue } = found;
      const isLong = notDue && nextDueMs - notDue.sinceMs >= TAKES_LONG_MS;
      const isPassed = isOfSeveral && !isLate && isLong;
      if (isPassed) stalled.pass(partition, notDue.space, nextDueMs, now());
      if (isPassed && rows.length === 0) continue;
      const isMore = isPassed || found.isCut;
      const isAll = rows.length < limit && nextDueMs === Infinity && !isMore;
      const dueMs = Math.min(nextDueMs, passed?.untilMs ?? Infinity);
      const next = dueMs === Infinity ? undefined : { atMs: dueMs, isStored: !passed };
      if (rows.length === 0) {
        if (passed) stalled.looked(partition, passed, now(), isAll);
        if (next) return next;
        // Rows may have been deleted while they waited for a retry.
        dropAll(jobs);
        failing.delete(partition);
        stalled.forget(partition);
        waits.end(partition);
        caughtUp?.();
        return undefined;
      }
      // A hold that took effect before a row came may be younger than the look above.
      if (await isOnHold(partition)) {
        await inbox.release(rows, { tried: 0, dueMs: 0 });
        return undefined;
      }
      const sinceMs = now();
      const stop = await round(rows.map(begin));
      note(rows, stop);
      if (passed) stalled.looked(partition, passed, now(), !stop && isAll);
      const due = stop && (await giveBack(stop, sinceMs));
      if (due) return due;
      if (isForOne && !stop) {
        failing.delete(partition);
        if (isLate) notices.passed(partition);
        continue;
      }
      // New rows wake the partition again.
      if (!stop && rows.length < limit && !isMore) return next;
    }
  };
};
