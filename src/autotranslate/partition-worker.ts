import { backoffMs, type Backoff } from '../async/backoff.ts';
import { AppError, toAppError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { InboxStore } from '../store/inbox/index.ts';
import type { Partition, Row } from '../store/inbox/row.ts';
import type { Ready } from './deliver.ts';

/** Rows of one lane that are worked on at once; they are delivered in their order. */
const ROWS_AHEAD = 16;
/** A message that the service cannot do holds up those after it for four minutes, told waits apart. */
const MOST_PREPARATIONS = 10;
/** A platform that cannot be reached is waited for for about half an hour, told waits apart. */
const MOST_DELIVERIES = 30;
const BACKOFF: Backoff = { firstMs: 1_000, longestMs: 60_000 };
/** A longer told wait is cut to this. */
const LONGEST_TOLD_WAIT_MS = 600_000;

export interface PartitionWorkerDeps {
  readonly inbox: Pick<InboxStore, 'claim' | 'release'>;
  /** Rejects with a retryable `AppError`, or makes a plan of any other fault. */
  readonly prepare: (
    row: Row,
    options: { readonly last: boolean },
    signal: AbortSignal,
  ) => Promise<Ready>;
  /**
   * Makes copies of what is prepared, and settles its rows. Resolves with how many of the batch it
   * did: the one after them is no longer to stand as it was prepared.
   */
  readonly deliver: (batch: readonly Ready[], signal: AbortSignal) => Promise<number>;
  /** Settles a row that cannot be done. */
  readonly bury: (row: Row, error: AppError, signal: AbortSignal) => Promise<void>;
  readonly log: Log;
  readonly now: () => number;
  /** 0 to 1, for the spread of the waits. */
  readonly random: () => number;
}

/** A row that is worked on. It is kept from round to round until it is delivered or has changed. */
interface Job {
  row: Row;
  readonly abort: AbortController;
  readonly preparing: Promise<Ready>;
  /** Once it is prepared. */
  ready?: Ready;
  readonly registered: Disposable;
}

/** What was begun in a lane and is not done, by row; the owner keeps it between rounds. */
export type Jobs = Map<string, Job>;

/** What a round could not do: `left` begins with the `tried` rows that failed. */
interface Stop {
  readonly error: AppError;
  readonly left: readonly Row[];
  readonly tried: number;
  /** Attempts after which the first of them is given up. */
  readonly most: number;
}

const keyOf = ({ ref, purpose }: Row): string => `${purpose} ${ref.channel.id} ${ref.id}`;

/** Undefined when no other try is due. */
const waitMs = ({ error, left, most }: Stop, random: () => number): number | undefined => {
  const attempts = left[0]?.attempts ?? 0;
  if (!error.retryable || attempts >= most) return undefined;
  const toldMs = Math.min(LONGEST_TOLD_WAIT_MS, error.retryAfterMs ?? 0);
  const spread = { ...BACKOFF, random: () => 0.75 + random() / 2 };
  return backoffMs(spread, attempts - 1, toldMs);
};

const isLarge = ({ plan }: Ready): boolean => plan.carries.length > 0;

/** What may not stand in one batch with what came before it: it answers to it, or is large. */
const needsOwnBatch = (batch: readonly Ready[], ready: Ready): boolean => {
  if (isLarge(ready) || batch.some(isLarge)) return true;
  const { replyTo } = ready.message ?? {};
  return replyTo !== undefined && batch.some(({ row }) => row.ref.id === replyTo.id);
};

/** A fault of ours, such as the database's, is no message's: it is told, and tried again. */
const faultOf = (thrown: unknown, log: Log): AppError => {
  const error = toAppError(thrown);
  if (thrown instanceof AppError || error.code === 'cancelled') return error;
  log.error({ err: thrown }, 'the work on a watched message failed');
  return new AppError('internal', 'a fault of ours', { retryable: true, cause: thrown });
};

const outdated = (): AppError => new AppError('cancelled', 'a message changed meanwhile');

/** What was prepared in a round before, for the row as it was claimed last. */
const asOf = (ready: Ready, row: Row): Ready => ({
  ...ready,
  row,
  again: ready.again || row.again,
});

const end = (jobs: Jobs, key: string): Job | undefined => {
  const job = jobs.get(key);
  jobs.delete(key);
  job?.registered[Symbol.dispose]();
  return job;
};

const drop = (jobs: Jobs, key: string): void => end(jobs, key)?.abort.abort();

/**
 * Does the rows of one lane until none is left that is due: prepares several at once, delivers them in
 * their order, those together that are ready together. A row that has to be tried again holds up
 * those after it. Resolves with when to look again.
 *
 * @param register told of each row that is worked on; aborting ends what is made of it, as must be
 *   done to all of them when `signal` is aborted
 */
export const workPartition = async (
  { inbox, prepare, deliver, bury, log, now, random }: PartitionWorkerDeps,
  lane: Partition,
  jobs: Jobs,
  signal: AbortSignal,
  register: (row: Row, abort: AbortController) => Disposable,
): Promise<number | undefined> => {
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
    const last = row.attempts >= MOST_PREPARATIONS;
    const job: Job = { row, abort, preparing: prepare(row, { last }, abort.signal), registered };
    jobs.set(key, job);
    const settle = async (): Promise<void> => {
      job.ready = await job.preparing;
    };
    settle().catch(() => {
      if (jobs.get(key) === job) drop(jobs, key);
    });
    return job;
  };

  const round = async (begun: readonly Job[]): Promise<Stop | undefined> => {
    const left = [...begun];
    while (left.length > 0) {
      const [head] = left as [Job];
      const batch: Ready[] = [];
      let most = MOST_PREPARATIONS;
      let done = 0;
      let fault: AppError | undefined;
      try {
        batch.push(asOf(await head.preparing, head.row));
        most = MOST_DELIVERIES;
        for (const { ready, row } of left.slice(1)) {
          if (!ready || needsOwnBatch(batch, ready)) break;
          batch.push(asOf(ready, row));
        }
        done = await deliver(batch, signal);
        if (done < batch.length) fault = outdated();
      } catch (thrown) {
        fault = faultOf(thrown, log);
      }
      for (const { row } of left.splice(0, done)) end(jobs, keyOf(row));
      if (!fault) continue;
      const [next] = left as [Job];
      // It changed, and is prepared anew.
      if (fault.code === 'cancelled') drop(jobs, keyOf(next.row));
      const tried = Math.max(1, batch.length - done);
      return { error: fault, left: left.map(({ row }) => row), tried, most };
    }
    return undefined;
  };

  /** Resolves with when to try again, if not at once. */
  const giveBack = async (stop: Stop): Promise<number | undefined> => {
    const { error, left, tried } = stop;
    const [head, ...rest] = left as [Row, ...Row[]];
    const wait = error.code === 'cancelled' ? 0 : waitMs(stop, random);
    if (wait === undefined) {
      drop(jobs, keyOf(head));
      await bury(head, error, signal);
      await inbox.release(rest, { tried: 0, dueMs: 0 });
      return undefined;
    }
    // A message that changed under our hands did not fail.
    const failed = error.code === 'cancelled' ? 0 : tried;
    const dueMs = now() + wait;
    await inbox.release(left, { tried: failed, dueMs });
    return failed > 0 ? dueMs : undefined;
  };

  for (;;) {
    signal.throwIfAborted();
    const { rows, nextDueMs } = await inbox.claim(lane, ROWS_AHEAD);
    if (rows.length === 0) return nextDueMs;
    const stop = await round(rows.map(begin));
    const dueMs = stop && (await giveBack(stop));
    if (dueMs !== undefined) return dueMs;
    // What comes now wakes the lane anew.
    if (!stop && rows.length < ROWS_AHEAD) return nextDueMs;
  }
};
