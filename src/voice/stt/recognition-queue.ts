import { AppError, toAppError } from '../../errors.ts';
import type { Clock } from '../../async/clock.ts';

/** Tells when what a service was asked for hangs, by how long it took lately. */
export interface LatencyTracker {
  /** For how long one may be under way: much longer than others were. */
  readonly ms: number;
  /** One that began then was answered. */
  answered(startedMs: number): void;
  /** One was answered, or failed. */
  heard(): void;
  /** It is tried whether the service answers. */
  probed(): void;
  /** A connection broke unseen, or the service forgot it. */
  hangs(startedMs: number): boolean;
  /** When it is to be tried, while nothing is heard and one that began then is under way for longest. */
  probeAtMs(startedMs: number): number;
}

/** What is expected of a service that has answered nothing yet. */
const FIRST_TOOK_MS = 1_000;

const SPARE_MS = 5_000;

const TIMES_LONGER = 3;

/** How fast it is forgotten that one took long. */
const FORGETTING = 0.8;

export const createLatencyTracker = (nowMs: () => number): LatencyTracker => {
  /** Of those that were answered lately, the longest. */
  let tookMs: number | undefined;
  let heardMs = -Infinity;
  let probedMs = -Infinity;

  const patienceMs = (): number => SPARE_MS + TIMES_LONGER * (tookMs ?? FIRST_TOOK_MS);
  return {
    get ms() {
      return patienceMs();
    },
    answered: (startedMs) => {
      tookMs = Math.max(nowMs() - startedMs, (tookMs ?? 0) * FORGETTING);
    },
    heard: () => {
      heardMs = nowMs();
    },
    probed: () => {
      probedMs = nowMs();
    },
    hangs: (startedMs) => nowMs() - startedMs > patienceMs(),
    probeAtMs: (startedMs) => Math.max(startedMs, heardMs, probedMs) + patienceMs(),
  };
};

export type RecognitionOutcome<T> =
  | { readonly result: T; readonly error?: never }
  | { readonly error: AppError };

/** A task of somebody, of no use once it is late. */
export interface RecognitionTask<T> {
  readonly ownerId: string;
  /**
   * `leftMs`: how long its result is of use. Run again where it fails and that may be mended in time,
   * and beside itself where it hangs.
   */
  run(leftMs: number): Promise<T>;
  /** It failed or hangs, and is to be run again. */
  hindered(error: AppError): void;
  /** It is late or forgotten: what is under way is to end. */
  stop(reason: AppError): void;
  /** Called once, unless it is forgotten, after all earlier tasks of that owner were told. */
  tell(outcome: RecognitionOutcome<T>): void;
}

export interface RecognitionQueueOptions {
  readonly deadlineMs: number;
  readonly atOnce: number;
  readonly mostWaiting: number;
}

/** Runs tasks side by side, in a bounded number, each within its deadline. */
export interface RecognitionQueue<T> {
  /** Where too many wait, the one that waited longest is given up. */
  add(task: RecognitionTask<T>): void;
  /** Gives up what is late, and tries again what hangs. */
  tick(nowMs: number): void;
  /** When `tick` has something to do, or a little before; undefined while there is nothing. */
  readonly nextTickMs: number | undefined;
  forget(ownerId: string): void;
  forgetAll(): void;
  /** Resolves when all was told. What fails meanwhile is not run again. */
  idle(): Promise<void>;
  /** Resolves when nothing runs, forgotten tasks included. */
  quiet(): Promise<void>;
}

/** One that hangs does not keep what its owner says next from being heard in time. */
const AT_ONCE_OF_ONE = 2;
/** The service's client has tried a few times by then. */
const AGAIN_MS = 2_000;

interface Entry<T> {
  readonly task: RecognitionTask<T>;
  readonly lateMs: number;
  isRunning: boolean;
  /** How often, and when the last time. */
  runs: number;
  startedMs: number;
  /** It failed, and is not run again before. */
  notBeforeMs: number;
  outcome: RecognitionOutcome<T> | undefined;
}

export const createRecognitionQueue = <T>(
  clock: Pick<Clock, 'nowMs'>,
  { deadlineMs, atOnce, mostWaiting }: RecognitionQueueOptions,
): RecognitionQueue<T> => {
  /** All that was not told yet, in the order in which it came. */
  let entries: Entry<T>[] = [];
  const running = new Set<Promise<void>>();
  const patience = createLatencyTracker(clock.nowMs);
  let idle = Promise.withResolvers<void>();
  /** Who waits until all was told. */
  let waiters = 0;

  const isBusy = ({ isRunning, outcome }: Entry<T>): boolean => isRunning && !outcome;
  const isWaiting = ({ isRunning, outcome }: Entry<T>): boolean => !isRunning && !outcome;

  const settleIdle = (): void => {
    if (entries.length > 0) return;
    idle.resolve();
    idle = Promise.withResolvers<void>();
  };

  const tellReady = (ownerId: string): void => {
    for (;;) {
      const first = entries.find(({ task }) => task.ownerId === ownerId);
      if (!first?.outcome) break;
      entries = entries.filter((entry) => entry !== first);
      first.task.tell(first.outcome);
    }
    settleIdle();
  };

  const finish = (entry: Entry<T>, outcome: RecognitionOutcome<T>): void => {
    if (entry.outcome || !entries.includes(entry)) return;
    entry.outcome = outcome;
    tellReady(entry.task.ownerId);
    pump();
  };

  const giveUp = (entry: Entry<T>, error: AppError): void => {
    entry.task.stop(error);
    finish(entry, { error });
  };

  /** What failed need not wait any longer. */
  const runAllAgain = (): void => {
    for (const entry of entries) entry.notBeforeMs = -Infinity;
  };
  /** What hangs need not either. */
  const worked = (startedMs: number): void => {
    patience.answered(startedMs);
    runAllAgain();
    for (const entry of entries) if (isBusy(entry) && patience.hangs(entry.startedMs)) run(entry);
  };

  const failed = (entry: Entry<T>, error: AppError): void => {
    const againMs = clock.nowMs() + Math.max(AGAIN_MS, error.retryAfterMs ?? 0);
    const isOver = entry.outcome !== undefined || !entries.includes(entry);
    if (isOver || waiters > 0 || !error.retryable || againMs >= entry.lateMs) {
      finish(entry, { error });
      return;
    }
    entry.isRunning = false;
    entry.notBeforeMs = againMs;
    entry.task.hindered(error);
    pump();
  };

  const start = async (entry: Entry<T>): Promise<void> => {
    const startedMs = clock.nowMs();
    const runs = entry.runs + 1;
    Object.assign(entry, { isRunning: true, runs, startedMs });
    try {
      const result = await entry.task.run(entry.lateMs - startedMs);
      // What was answered meanwhile tells nothing by being late.
      if (!entry.outcome) worked(startedMs);
      finish(entry, { result });
    } catch (thrown) {
      // Of one that hung, another run may be under way.
      if (entry.runs === runs) failed(entry, toAppError(thrown));
    } finally {
      patience.heard();
    }
  };
  const follow = (started: Promise<void>): void => {
    const one = started.finally(() => running.delete(one));
    running.add(one);
  };
  const run = (entry: Entry<T>): void => follow(start(entry));

  /** Where nothing at all is answered, one tries whether the service is there again, and is soon given up. */
  const probe = async (entry: Entry<T>): Promise<void> => {
    const startedMs = clock.nowMs();
    patience.probed();
    entry.task.hindered(
      new AppError('timeout', 'the recogniser does not answer', { retryable: true }),
    );
    try {
      const leftMs = Math.min(patience.ms, entry.lateMs - startedMs);
      const result = await entry.task.run(leftMs);
      finish(entry, { result });
      worked(startedMs);
    } catch {
      // The run that hangs tells what is wrong, if it ever ends.
    }
  };
  const longestBusy = (): Entry<T> | undefined => {
    const busy = entries.filter(isBusy);
    return busy.toSorted((a, b) => a.startedMs - b.startedMs)[0];
  };
  const probeMs = (): number => {
    const longest = longestBusy();
    return longest ? patience.probeAtMs(longest.startedMs) : Infinity;
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
      run(next);
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
    add: (task) => {
      entries.push({
        task,
        lateMs: clock.nowMs() + deadlineMs,
        isRunning: false,
        runs: 0,
        startedMs: 0,
        notBeforeMs: -Infinity,
        outcome: undefined,
      });
      pump();
      const waiting = entries.filter(isWaiting);
      if (waiting.length > mostWaiting)
        giveUp(
          waiting[0]!,
          new AppError('unavailable', 'too many utterances wait to be recognised', {
            retryable: true,
          }),
        );
    },
    tick: (nowMs) => {
      for (const entry of entries)
        if (!entry.outcome && nowMs >= entry.lateMs)
          giveUp(
            entry,
            new AppError('timeout', 'an utterance was not recognised in time', { retryable: true }),
          );
      const longest = longestBusy();
      if (longest && nowMs >= probeMs()) follow(probe(longest));
      pump();
    },
    get nextTickMs() {
      const late = entries.find(({ outcome }) => !outcome)?.lateMs;
      if (late === undefined) return undefined;
      const again = entries.filter((entry) => isWaiting(entry) && entry.notBeforeMs > -Infinity);
      return Math.min(late, probeMs(), ...again.map(({ notBeforeMs }) => notBeforeMs));
    },
    forget: (ownerId) => forgetWhere(({ task }) => task.ownerId === ownerId),
    forgetAll: () => forgetWhere(() => true),
    idle: async () => {
      if (entries.length === 0) return;
      waiters += 1;
      runAllAgain();
      pump();
      await idle.promise;
      waiters -= 1;
    },
    quiet: async () => {
      await Promise.allSettled(running);
    },
  };
};
