import type { Clock } from '../../async/clock.ts';
import { createRunning } from '../../async/running.ts';
import { AppError, toAppError } from '../../errors.ts';

/** Expected latency of a service that has answered nothing yet. */
const FIRST_LATENCY_MS = 1_000;
const SPARE_MS = 5_000;
const TIMES_LONGER = 3;
/** Smallest factor by which one answer lowers the remembered latency. */
const DECAY = 0.8;

/** Creates a tracker that detects hanging requests by recent latencies. */
export const createLatencyTracker = (nowMs: () => number) => {
  let latencyMs: number | undefined;
  let settledMs = -Infinity;
  let probedMs = -Infinity;

  const limitMs = (): number => SPARE_MS + TIMES_LONGER * (latencyMs ?? FIRST_LATENCY_MS);
  return {
    /** The longest time that a request may take: much longer than recent ones took. */
    get limitMs() {
      return limitMs();
    },
    succeeded: (startedMs: number): void => {
      latencyMs = Math.max(nowMs() - startedMs, (latencyMs ?? 0) * DECAY);
    },
    settled: () => {
      settledMs = nowMs();
    },
    /** Notes that a request was sent to probe whether the service answers. */
    probed: () => {
      probedMs = nowMs();
    },
    /** True when a request must be lost: its connection broke, or the service dropped it. */
    hangs: (startedMs: number) => nowMs() - startedMs > limitMs(),
    /** The time of the next probe while the oldest unanswered request started then. */
    probeAtMs: (startedMs: number) => Math.max(startedMs, settledMs, probedMs) + limitMs(),
  };
};

export type RecognitionOutcome<T> =
  | { readonly result: T; readonly error?: never }
  | { readonly error: AppError };

/** A recognition for one speaker, which has a deadline. */
export interface RecognitionTask<T> {
  readonly ownerId: string;
  /**
   * Makes one attempt. Another one follows a failure that may pass in time, or runs beside one that
   * hangs, so attempts must be independent.
   *
   * @param leftMs time for which the result is useful
   */
  attempt(leftMs: number): Promise<T>;
  /** Reports that an attempt failed or hangs, and that another follows. */
  readonly delayed: (error: AppError) => void;
  /** Ends all attempts: the task is late or was forgotten. */
  readonly stop: (reason: AppError) => void;
  /** Called once, unless the task is forgotten, and after all earlier tasks of the same owner. */
  readonly done: (outcome: RecognitionOutcome<T>) => void;
}

export interface RecognitionQueueOptions {
  /** Time after the end of an utterance in which its transcript is useful. */
  readonly deadlineMs: number;
  readonly atOnce: number;
  readonly mostWaiting: number;
}

/** Most attempts for one owner at once, so that one that hangs does not delay the next. */
const AT_ONCE_OF_ONE = 2;
/** Wait before another attempt: by then the service's client has retried a few times. */
const ATTEMPT_AGAIN_AFTER_MS = 2_000;

interface Entry<T> {
  readonly task: RecognitionTask<T>;
  readonly lateMs: number;
  isRunning: boolean;
  /** Number of attempts without probes, and the time of the last one. */
  attempts: number;
  startedMs: number;
  /** Earliest time of another attempt after one that failed. */
  notBeforeMs: number;
  outcome: RecognitionOutcome<T> | undefined;
}

const retryable = (code: AppError['code'], message: string): AppError =>
  new AppError(code, message, { retryable: true });

/** Runs a bounded number of tasks at the same time, each within its deadline. */
export const createRecognitionQueue = <T>(
  clock: Pick<Clock, 'nowMs'>,
  { deadlineMs, atOnce, mostWaiting }: RecognitionQueueOptions,
) => {
  /** Tasks that are not done, in the order in which they came. */
  let entries: Entry<T>[] = [];
  const running = createRunning();
  const latency = createLatencyTracker(clock.nowMs);
  let allDone = Promise.withResolvers<void>();
  let waiters = 0;

  const isBusy = ({ isRunning, outcome }: Entry<T>): boolean => isRunning && !outcome;
  const isWaiting = ({ isRunning, outcome }: Entry<T>): boolean => !isRunning && !outcome;

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

  const finish = (entry: Entry<T>, outcome: RecognitionOutcome<T>): void => {
    if (entry.outcome || !entries.includes(entry)) return;
    entry.outcome = outcome;
    reportInOrder(entry.task.ownerId);
  };
  const giveUp = (entry: Entry<T>, error: AppError): void => {
    entry.task.stop(error);
    finish(entry, { error });
  };

  const attemptAllNow = (): void => {
    for (const entry of entries) entry.notBeforeMs = -Infinity;
  };
  /** Notes that the service answers: tasks that failed or hang need not wait any longer. */
  const succeeded = (startedMs: number): void => {
    latency.succeeded(startedMs);
    attemptAllNow();
    for (const entry of entries) if (latency.hangs(entry.startedMs)) entry.isRunning = false;
  };
  const failed = (entry: Entry<T>, error: AppError): void => {
    const againMs = clock.nowMs() + Math.max(ATTEMPT_AGAIN_AFTER_MS, error.retryAfterMs ?? 0);
    const isOver = entry.outcome !== undefined || !entries.includes(entry);
    if (isOver || waiters > 0 || !error.retryable || againMs >= entry.lateMs) {
      finish(entry, { error });
      return;
    }
    entry.isRunning = false;
    entry.notBeforeMs = againMs;
    entry.task.delayed(error);
  };

  const start = async (entry: Entry<T>): Promise<void> => {
    const startedMs = clock.nowMs();
    const attempts = entry.attempts + 1;
    Object.assign(entry, { isRunning: true, attempts, startedMs });
    try {
      const result = await entry.task.attempt(entry.lateMs - startedMs);
      // Once another attempt has succeeded, this one's latency is meaningless.
      if (!entry.outcome) succeeded(startedMs);
      finish(entry, { result });
    } catch (thrown) {
      // After an attempt that hung, another one may be under way.
      if (entry.attempts === attempts) failed(entry, toAppError(thrown));
    } finally {
      latency.settled();
    }
  };
  /** Probes, with a short deadline, whether a service that answers nothing is back. */
  const probe = async (entry: Entry<T>): Promise<void> => {
    const startedMs = clock.nowMs();
    latency.probed();
    entry.task.delayed(retryable('timeout', 'the recogniser does not answer'));
    try {
      const leftMs = Math.min(latency.limitMs, entry.lateMs - startedMs);
      const result = await entry.task.attempt(leftMs);
      finish(entry, { result });
      succeeded(startedMs);
    } catch {
      // The attempt that hangs reports the error, if it ever ends.
    }
  };
  const oldestBusy = (): Entry<T> | undefined =>
    entries.filter(isBusy).toSorted((a, b) => a.startedMs - b.startedMs)[0];
  const probeMs = (): number => {
    const oldest = oldestBusy();
    return oldest ? latency.probeAtMs(oldest.startedMs) : Infinity;
  };

  const pump = (): void => {
    const nowMs = clock.nowMs();
    while (entries.filter(isBusy).length < atOnce) {
      const next = entries.find(
        (entry) =>
          isWaiting(entry) &&
          entry.notBeforeMs <= nowMs &&
          entries.filter((one) => isBusy(one) && one.task.ownerId === entry.task.ownerId).length <
            AT_ONCE_OF_ONE,
      );
      if (!next) return;
      void running.add(() => start(next)).finally(pump);
    }
  };

  const forgetWhere = (isForgotten: (entry: Entry<T>) => boolean): void => {
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
    add: (task: RecognitionTask<T>, result?: T): void => {
      const entry: Entry<T> = {
        task,
        lateMs: clock.nowMs() + deadlineMs,
        isRunning: false,
        attempts: 0,
        startedMs: 0,
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
      if (oldest && nowMs >= probeMs()) void running.add(() => probe(oldest)).finally(pump);
      pump();
    },
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
