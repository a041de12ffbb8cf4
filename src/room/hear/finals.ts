import { AppError, toAppError } from '../../errors.ts';
import type { Clock } from '../clock.ts';

export type Outcome<T> =
  | { readonly result: T; readonly error?: never }
  | { readonly error: AppError };

/** A task of somebody, of no use once it is late. */
export interface Task<T> {
  readonly ownerId: string;
  /** `leftMs`: how long its result is of use. */
  run(leftMs: number): Promise<T>;
  /** It is late or forgotten: what is under way is to end. */
  stop(reason: AppError): void;
  /** Called once, unless it is forgotten, after all earlier tasks of that owner were told. */
  tell(outcome: Outcome<T>): void;
}

export interface FinalsOptions {
  readonly deadlineMs: number;
  readonly atOnce: number;
  readonly mostWaiting: number;
}

/** Runs tasks side by side, in a bounded number, each within its deadline. */
export interface Finals<T> {
  /** Where too many wait, the one that waited longest is given up. */
  add(task: Task<T>): void;
  /** Gives up what is late. */
  tick(nowMs: number): void;
  /** When the next one is late; undefined while there is none. */
  readonly nextTickMs: number | undefined;
  forget(ownerId: string): void;
  forgetAll(): void;
  /** Resolves when all was told. */
  idle(): Promise<void>;
  /** Resolves when nothing runs, forgotten tasks included. */
  quiet(): Promise<void>;
}

/** One that hangs does not keep what its owner says next from being heard in time. */
const AT_ONCE_OF_ONE = 2;

interface Entry<T> {
  readonly task: Task<T>;
  readonly lateMs: number;
  hasStarted: boolean;
  outcome: Outcome<T> | undefined;
}

export const createFinals = <T>(
  clock: Pick<Clock, 'nowMs'>,
  { deadlineMs, atOnce, mostWaiting }: FinalsOptions,
): Finals<T> => {
  /** All that was not told yet, in the order in which it came. */
  let entries: Entry<T>[] = [];
  const running = new Set<Promise<void>>();
  let idle = Promise.withResolvers<void>();

  const isRunning = ({ hasStarted, outcome }: Entry<T>): boolean => hasStarted && !outcome;
  const isWaiting = ({ hasStarted, outcome }: Entry<T>): boolean => !hasStarted && !outcome;

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

  const finish = (entry: Entry<T>, outcome: Outcome<T>): void => {
    if (entry.outcome || !entries.includes(entry)) return;
    entry.outcome = outcome;
    tellReady(entry.task.ownerId);
    pump();
  };

  const giveUp = (entry: Entry<T>, error: AppError): void => {
    entry.task.stop(error);
    finish(entry, { error });
  };

  const start = async (entry: Entry<T>): Promise<void> => {
    entry.hasStarted = true;
    try {
      finish(entry, { result: await entry.task.run(entry.lateMs - clock.nowMs()) });
    } catch (thrown) {
      finish(entry, { error: toAppError(thrown) });
    }
  };

  const pump = (): void => {
    while (entries.filter(isRunning).length < atOnce) {
      const next = entries.find(
        (entry) =>
          isWaiting(entry) &&
          entries.filter((one) => isRunning(one) && one.task.ownerId === entry.task.ownerId)
            .length < AT_ONCE_OF_ONE,
      );
      if (!next) return;
      const run: Promise<void> = start(next).finally(() => running.delete(run));
      running.add(run);
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
        hasStarted: false,
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
    },
    get nextTickMs() {
      return entries.find(({ outcome }) => !outcome)?.lateMs;
    },
    forget: (ownerId) => forgetWhere(({ task }) => task.ownerId === ownerId),
    forgetAll: () => forgetWhere(() => true),
    idle: async () => {
      if (entries.length > 0) await idle.promise;
    },
    quiet: async () => {
      await Promise.allSettled(running);
    },
  };
};
