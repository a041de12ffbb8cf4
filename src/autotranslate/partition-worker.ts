import { backoffMs, type Backoff } from '../async/backoff.ts';
import { AppError, toAppError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Tenure } from '../ports/leases.ts';
import type { InboxStore } from '../store/inbox/index.ts';
import type { Row } from '../store/inbox/row.ts';
import { givenUp, type Prepared } from './prepare/prepare.ts';

/** Rows of one partition that are prepared at once; they are reconciled in their order. */
const ROWS_AHEAD = 16;

/** When another try of a row is due: each failed request was retried below already, as far as that helps. */
interface RowBackoff extends Backoff {
  /** Tries after which a row is given up. */
  readonly tries: number;
}

/** A message that the service cannot do holds up those after it for three minutes, told waits apart. */
const PREPARING: RowBackoff = { firstMs: 5_000, longestMs: 60_000, tries: 7 };
/** A platform that cannot be reached is waited for for about half an hour, told waits apart. */
const RECONCILING: RowBackoff = { firstMs: 1_000, longestMs: 120_000, tries: 20 };
/** A longer told wait is cut to this. */
const LONGEST_TOLD_WAIT_MS = 600_000;

export interface PartitionWorkerDeps {
  readonly inbox: Pick<InboxStore, 'claim' | 'release'>;
  /** Rejects with a retryable `AppError`, or tells any other fault in what it prepares. */
  readonly prepare: (
    row: Row,
    options: { readonly isLast: boolean; readonly tenure: Tenure },
    signal: AbortSignal,
  ) => Promise<Prepared>;
  /** See `createReconcile`. */
  readonly reconcile: (batch: readonly Prepared[], tenure: Tenure) => Promise<number>;
  readonly log: Log;
  readonly now: () => number;
  /** 0 to 1, for the spread of the waits. */
  readonly random: () => number;
}

/** A row that is worked on. It is kept from round to round until it is reconciled or has changed. */
interface Job {
  row: Row;
  readonly abort: AbortController;
  readonly preparing: Promise<Prepared>;
  /** Set once it is prepared. */
  prepared?: Prepared;
  readonly registered: Disposable;
}

/** The rows of a partition that were begun and are not done; its owner keeps them between rounds. */
export type Jobs = Map<string, Job>;

/** What a round could not do: `left` begins with the `tried` rows that failed. */
interface Stop {
  readonly error: AppError;
  readonly left: readonly Row[];
  readonly tried: number;
  readonly policy: RowBackoff;
}

const keyOf = ({ ref: { channel, id }, purpose }: Row): string =>
  `${purpose} ${channel.space.platform} ${channel.id} ${id}`;

/** Undefined when no other try is due. */
const waitMs = (
  { error, left: [head], policy }: Stop,
  random: () => number,
): number | undefined => {
  const attempts = head?.attempts ?? 0;
  if (!error.retryable || attempts >= policy.tries) return undefined;
  const toldMs = Math.min(LONGEST_TOLD_WAIT_MS, error.retryAfterMs ?? 0);
  const spread = { ...policy, random: () => 0.75 + random() / 2 };
  return backoffMs(spread, attempts - 1, toldMs);
};

const isLarge = ({ files }: Prepared): boolean => files.length > 0;

/** True for what may not stand in one batch with what came before it: it answers to it, or is large. */
const needsOwnBatch = (batch: readonly Prepared[], prepared: Prepared): boolean => {
  if (isLarge(prepared) || batch.some(isLarge)) return true;
  const { replyTo } = prepared.message ?? {};
  return replyTo !== undefined && batch.some(({ row }) => row.ref.id === replyTo.id);
};

/** A fault of ours, such as the database's, is no message's: it is logged, and tried again. */
const faultOf = (thrown: unknown, log: Log): AppError => {
  const error = toAppError(thrown);
  if (thrown instanceof AppError || error.code === 'cancelled') return error;
  log.error({ err: thrown }, 'a message could not be auto-translated');
  return new AppError('internal', 'a fault of ours', { retryable: true, cause: thrown });
};

const outdated = (): AppError => new AppError('cancelled', 'a message changed meanwhile');

/** What was prepared in a round before, for the row as it was claimed last. */
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

/** Ends what is made of a row, and forgets it. */
const drop = (jobs: Jobs, key: string): void => end(jobs, key)?.abort.abort();

/** Ends everything that was begun in a partition. */
export const dropAll = (jobs: Jobs): void => {
  for (const key of jobs.keys()) drop(jobs, key);
};

/**
 * Does the rows of one partition until none is left that is due: prepares several at once and reconciles them
 * in their order, those together that are ready together. A row that has to be tried again holds up
 * those after it. Resolves with when to look again.
 *
 * @param register told of each row that is worked on; aborting ends what is made of it, as must be
 *   done to all of them when the tenure ends
 */
export const workPartition = async (
  { inbox, prepare, reconcile, log, now, random }: PartitionWorkerDeps,
  tenure: Tenure,
  jobs: Jobs,
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
    const isLast = row.attempts >= PREPARING.tries;
    const preparing = prepare(row, { isLast, tenure }, abort.signal);
    const job: Job = { row, abort, preparing, registered };
    jobs.set(key, job);
    const settle = async (): Promise<void> => {
      job.prepared = await preparing;
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
      const batch: Prepared[] = [];
      let policy = PREPARING;
      let done = 0;
      let fault: AppError | undefined;
      try {
        batch.push(asClaimed(await head.preparing, head.row));
        policy = RECONCILING;
        for (const { prepared, row } of left.slice(1)) {
          if (!prepared || needsOwnBatch(batch, prepared)) break;
          batch.push(asClaimed(prepared, row));
        }
        done = await reconcile(batch, tenure);
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
      return { error: fault, left: left.map(({ row }) => row), tried, policy };
    }
    return undefined;
  };

  const giveUp = async (row: Row, error: AppError): Promise<void> => {
    const { id, space } = row.ref.channel;
    const fields = { platform: space.platform, channel: id, message: row.ref.id };
    log.warn({ ...fields, code: error.code, reason: error.message }, 'a message is given up');
    drop(jobs, keyOf(row));
    await reconcile([givenUp(row, error)], tenure);
  };

  /** Resolves with when to try again, if not at once. */
  const giveBack = async (stop: Stop): Promise<number | undefined> => {
    const { error, left, tried } = stop;
    const [head, ...rest] = left as [Row, ...Row[]];
    const wait = error.code === 'cancelled' ? 0 : waitMs(stop, random);
    if (wait === undefined) {
      await giveUp(head, error);
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
    tenure.signal.throwIfAborted();
    const { rows, nextDueMs } = await inbox.claim(tenure.name, ROWS_AHEAD, tenure);
    if (rows.length === 0) return nextDueMs;
    const stop = await round(rows.map(begin));
    const dueMs = stop && (await giveBack(stop));
    if (dueMs !== undefined) return dueMs;
    // What comes now wakes the partition anew.
    if (!stop && rows.length < ROWS_AHEAD) return nextDueMs;
  }
};
