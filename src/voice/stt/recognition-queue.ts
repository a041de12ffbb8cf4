import type { Clock } from '../../async/clock.ts';
import { createRunning } from '../../async/running.ts';
import { AppError, toAppError } from '../../errors.ts';
import { createConcurrencyLimit, createLatencyTracker } from './service-pace.ts';

export type RecognitionOutcome<T> =
  | { readonly result: T; readonly error?: never }
  | { readonly error: AppError };

/** A recognition for one speaker, which has a deadline. */
export interface RecognitionTask<T> {
  readonly ownerId: string;
  readonly lengthMs: number;
  /**
   * Makes one attempt. Another one follows a failure that may pass in time, or one that hangs and is
   * given up, so attempts must be independent.
   *
   * @param leftMs time for which the result is useful
   * @param signal aborted when another attempt takes its place
   * @param underWay called with false when it waits for its turn, and with true when it is sent: the wait
   *   tells nothing of the service's pace
   */
  attempt(leftMs: number, signal: AbortSignal, underWay: (isSent: boolean) => void): Promise<T>;
  /** Reports that an attempt failed or hangs, and that another follows. */
  readonly delayed: (error: AppError) => void;
  /** Ends all attempts: the task is late or was forgotten. */
  readonly stop: (reason: AppError) => void;
  /** Called once, unless the task is forgotten, and after all earlier tasks of the same owner. */
  readonly done: (outcome: RecognitionOutcome<T>) => void;
}

export interface RecognitionQueueOptions<T = unknown, Task = never> {
  /** Time after the end of an utterance in which its transcript is useful. */
  readonly deadlineMs: number;
  /** Most attempts at once; fewer where the service makes them wait for each other. */
  readonly atOnce: number;
  readonly mostWaiting: number;
  /** Makes one task of two of the same owner that wait; undefined where they stay two. */
  readonly join?: (first: Task, next: Task) => Task | undefined;
  /** False for a result that the service did not give: it tells nothing of its pace. Default: it gave each. */
  readonly isAnswer?: (result: T) => boolean;
}

/** Most attempts for one owner at once, so that one that hangs does not delay the next. */
const AT_ONCE_OF_ONE = 2;
/** Growth of the longest time of an attempt after one that was given up. */
const MORE_PATIENCE = 1.5;
/** Wait before another attempt: by then the service's client has retried a few times. */
const ATTEMPT_AGAIN_AFTER_MS = 2_000;

interface Entry<T, Task> {
  task: Task;
  readonly addedMs: number;
  lateMs: number;
  /** The attempt that runs. */
  running: AbortController | undefined;
  isNew: boolean;
  /** Attempts that were given up, for they hung. */
  givenUp: number;
  /** The time at which the last attempt was sent; infinite while it waits for its turn. */
  sentMs: number;
  /** Earliest time of another attempt after one that failed. */
  notBeforeMs: number;
  outcome: RecognitionOutcome<T> | undefined;
}

const retryable = (code: AppError['code'], message: string): AppError =>
  new AppError(code, message, { retryable: true });

/** Runs a bounded number of tasks at the same time, each within its deadline. */
export const createRecognitionQueue = <T, Task extends RecognitionTask<T> = RecognitionTask<T>>(
  clock: Pick<Clock, 'nowMs'>,
  {
    deadlineMs,
    atOnce,
    mostWaiting,
    join,
    isAnswer = () => true,
  }: RecognitionQueueOptions<T, Task>,
) => {
  type Waiting = Entry<T, Task>;
  /** Tasks that are not done, in the order in which they came. */
  let entries: Waiting[] = [];
  const limit = createConcurrencyLimit(atOnce);
  const running = createRunning();
  const latency = createLatencyTracker(clock.nowMs);
  let allDone = Promise.withResolvers<void>();
  let waiters = 0;

  const isBusy = ({ running: attempt, outcome }: Waiting): boolean =>
    attempt !== undefined && !outcome;
  const isWaiting = ({ running: attempt, outcome }: Waiting): boolean => !attempt && !outcome;

  const settleIdle = (): void => {
    if (entries.length > 0) return;
    allDone.resolve();
    allDone = Promise.withResolvers<void>();
  };

  const reportInOrder = (ownerId: string): void => {
    for (;;) {
      const first = entries.find(({ task }) => task.ownerId === ownerId);
      if (!first?.outcome) break;
      entries = entries.filter((entry) => entry !== first);
      first.task.done(first.outcome);
    }
    settleIdle();
  };

  const finish = (entry: Waiting, outcome: RecognitionOutcome<T>): void => {
    if (entry.outcome || !entries.includes(entry)) return;
    entry.outcome = outcome;
    reportInOrder(entry.task.ownerId);
  };
  const giveUp = (entry: Waiting, error: AppError): void => {
    entry.task.stop(error);
    finish(entry, { error });
  };
  /** Ends an attempt that hangs, so that its sound is not at work twice. */
  const release = (entry: Waiting): void => {
    entry.running?.abort(retryable('timeout', 'the recogniser does not answer'));
    entry.running = undefined;
    entry.givenUp += 1;
  };
  /** Longest time of an attempt: longer each time, for the service may only be slow. */
  const limitMs = ({ task, givenUp }: Waiting): number =>
    latency.limitMs(task.lengthMs) * MORE_PATIENCE ** givenUp;

  const attemptAllNow = (): void => {
    for (const entry of entries) entry.notBeforeMs = -Infinity;
  };
  /** Notes that the service answers: tasks that failed or hang need not wait any longer. */
  const succeeded = ({ sentMs, task }: Waiting): void => {
    latency.succeeded(sentMs);
    limit.took(clock.nowMs() - sentMs, task.lengthMs, entries.filter(isBusy).length);
    attemptAllNow();
    for (const entry of entries)
      if (isBusy(entry) && clock.nowMs() - entry.sentMs > limitMs(entry)) release(entry);
  };
  const failed = (entry: Waiting, error: AppError): void => {
    const againMs = clock.nowMs() + Math.max(ATTEMPT_AGAIN_AFTER_MS, error.retryAfterMs ?? 0);
    const isOver = entry.outcome !== undefined || !entries.includes(entry);
    if (isOver || waiters > 0 || !error.retryable || againMs >= entry.lateMs) {
      finish(entry, { error });
      return;
    }
    entry.running = undefined;
    entry.notBeforeMs = againMs;
    entry.task.delayed(error);
  };

  const start = async (entry: Waiting): Promise<void> => {
    const own = new AbortController();
    const startedMs = clock.nowMs();
    Object.assign(entry, { running: own, sentMs: startedMs, isNew: false });
    const underWay = (isSent: boolean): void => {
      if (entry.running === own) entry.sentMs = isSent ? clock.nowMs() : Infinity;
    };
    let isOfService = true;
    try {
      const result = await entry.task.attempt(entry.lateMs - startedMs, own.signal, underWay);
      isOfService = isAnswer(result);
      if (isOfService && entry.running === own && !entry.outcome) succeeded(entry);
      finish(entry, { result });
    } catch (thrown) {
      // Another attempt may have taken its place.
      if (entry.running === own) failed(entry, toAppError(thrown));
    } finally {
      if (isOfService) latency.settled();
    }
  };
  const oldestBusy = (): Waiting | undefined =>
    entries.filter(isBusy).toSorted((a, b) => (a.sentMs < b.sentMs ? -1 : 1))[0];
  const probeMs = (): number => {
    const oldest = oldestBusy();
    return oldest ? latency.probeAtMs(oldest.sentMs, limitMs(oldest)) : Infinity;
  };
  /** Probes whether a service that answers nothing is back, with what waits for it longest. */
  const probe = (entry: Waiting): void => {
    latency.probed();
    entry.task.delayed(retryable('timeout', 'the recogniser does not answer'));
    release(entry);
    void running.add(() => start(entry)).finally(pump);
  };

  /** Joins what waits behind a task of the same owner to it. */
  const joinFollowing = (entry: Waiting): void => {
    if (!join || !entry.isNew) return;
    const { ownerId } = entry.task;
    for (const next of entries.slice(entries.indexOf(entry) + 1)) {
      if (next.task.ownerId !== ownerId) continue;
      const joined = next.isNew && !next.outcome ? join(entry.task, next.task) : undefined;
      if (!joined) return;
      entry.task = joined;
      entry.lateMs = next.lateMs;
      entries = entries.filter((one) => one !== next);
    }
  };

  const busyOf = (id: string): number =>
    entries.filter((one) => isBusy(one) && one.task.ownerId === id).length;

  /** Starts what may start: first of those who have least under way, then in their order. */
  const pump = (): void => {
    const nowMs = clock.nowMs();
    while (entries.filter(isBusy).length < limit.atOnce) {
      const [next] = entries
        .filter((entry) => isWaiting(entry) && entry.notBeforeMs <= nowMs)
        .map((entry) => ({ entry, busy: busyOf(entry.task.ownerId) }))
        .filter(({ busy }) => busy < AT_ONCE_OF_ONE)
        .toSorted((a, b) => a.busy - b.busy);
      if (!next) return;
      joinFollowing(next.entry);
      void running.add(() => start(next.entry)).finally(pump);
    }
  };

  const forgetWhere = (isForgotten: (entry: Waiting) => boolean): void => {
    const forgotten = entries.filter(isForgotten);
    entries = entries.filter((entry) => !isForgotten(entry));
    for (const { task } of forgotten) task.stop(new AppError('cancelled', 'nobody waits for it'));
    settleIdle();
    pump();
  };

  return {
    /**
     * Adds a task; when too many wait, the one that waited longest is dropped.
     *
     * @param result the result if it is known already: the task then only waits for its turn
     */
    add: (task: Task, result?: T): void => {
      const addedMs = clock.nowMs();
      const entry: Waiting = {
        task,
        addedMs,
        lateMs: addedMs + deadlineMs,
        running: undefined,
        isNew: true,
        givenUp: 0,
        sentMs: 0,
        notBeforeMs: -Infinity,
        outcome: undefined,
      };
      entries.push(entry);
      if (result !== undefined) finish(entry, { result });
      pump();
      const waiting = entries.filter(isWaiting);
      if (waiting.length > mostWaiting)
        giveUp(waiting[0]!, retryable('unavailable', 'too many utterances wait to be recognised'));
    },
    /** Drops tasks that are late, and starts further attempts. */
    tick: (nowMs: number): void => {
      for (const entry of entries)
        if (!entry.outcome && nowMs >= entry.lateMs)
          giveUp(entry, retryable('timeout', 'an utterance was not recognised in time'));
      const oldest = oldestBusy();
      if (oldest && nowMs >= probeMs()) probe(oldest);
      pump();
    },
    /** The time at which the oldest task came that has no result; undefined where there is none. */
    get oldestMs(): number | undefined {
      return entries.find(({ outcome }) => !outcome)?.addedMs;
    },
    /** Ids of those whose tasks came at that time or before and have no result. */
    ownersSince: (ms: number): readonly string[] => [
      ...new Set(
        entries
          .filter(({ addedMs, outcome }) => !outcome && addedMs <= ms)
          .map(({ task }) => task.ownerId),
      ),
    ],
    /** The time of the next `tick`, or a little before it; undefined while there is nothing to do. */
    get nextTickMs(): number | undefined {
      const late = entries.find(({ outcome }) => !outcome)?.lateMs;
      if (late === undefined) return undefined;
      const delayed = entries.filter((entry) => isWaiting(entry) && entry.notBeforeMs > -Infinity);
      return Math.min(late, probeMs(), ...delayed.map(({ notBeforeMs }) => notBeforeMs));
    },
    forget: (ownerId: string): void => forgetWhere(({ task }) => task.ownerId === ownerId),
    forgetAll: (): void => forgetWhere(() => true),
    /** Resolves when all tasks are done. Tasks that fail meanwhile get no further attempt. */
    idle: async (): Promise<void> => {
      if (entries.length === 0) return;
      waiters += 1;
      attemptAllNow();
      pump();
      await allDone.promise;
      waiters -= 1;
    },
    /** Resolves when no attempt runs, those of forgotten tasks included. */
    stopped: (): Promise<void> => running.settled(),
  };
};
