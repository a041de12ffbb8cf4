import { backoffMs, MINUTE_MS, realClock, waitUntil, withDeadline } from '../../async/clock.ts';
import { createKeyedMutex } from '../../async/locks.ts';
import { createSpacing } from '../../async/spacing.ts';
import { messageKey, type MessageRef } from '../../model/place.ts';
import type { Log } from '../../telemetry/log.ts';

export interface Look {
  readonly ref: MessageRef;
  readonly emoji: string;
  /** The linked channels that the message stands in. */
  readonly group: string;
  /** True where people may have reacted unseen to any of its copies. Default: to `ref` alone. */
  readonly everywhere?: true;
}

export interface LooksDeps {
  /** Resolves with false where a look has to be repeated, as it is where this rejects. The signal is aborted where it takes too long. */
  readonly look: (one: Look, signal: AbortSignal) => Promise<boolean>;
  readonly log: Pick<Log, 'warn'>;
  readonly nowMs: () => number;
}

/** Time between two looks at the same emoji under the same message, however many people press it. */
const LOOK_EVERY_MS = 1_000;
/** Looks of one group that may wait for their turn; what is left out is seen with the next press. */
const MOST_WAITING = 100;
/** Longest time of a look, and that for which others of its group wait for it. */
const LONGEST_MS = MINUTE_MS;
const PATIENCE_MS = 2_000;
const TRIES = 4;
const AGAIN = { firstMs: 2_000, longestMs: 30_000 };

/** Creates the queue of looks: one at a time in each group, so that a flood of presses makes few requests. */
export const createLooks = ({ look, log, nowMs }: LooksDeps) => {
  const turns = createKeyedMutex();
  const wait = createSpacing(nowMs, { everyMs: LOOK_EVERY_MS });
  /** The messages and emoji of looks that wait, by their group. */
  const waiting = new Map<string, Set<string>>();
  const timers = new Set<() => void>();
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();

  /** Has a look wait for its turn; false where it waits already, or too many do. */
  const enter = (group: string, key: string): boolean => {
    const keys = waiting.get(group) ?? new Set<string>();
    if (keys.has(key) || keys.size >= MOST_WAITING) return false;
    waiting.set(group, keys.add(key));
    return true;
  };
  const leave = (group: string, key: string): void => {
    const keys = waiting.get(group);
    keys?.delete(key);
    if (keys?.size === 0) waiting.delete(group);
  };

  /** Begins work that is waited for at the end. */
  const track = (work: Promise<void>): void => {
    const ended = work
      .catch((err: unknown) => {
        if (!stopping.signal.aborted) log.warn({ err }, 'reactions could not be looked at');
      })
      .finally(() => running.delete(ended));
    running.add(ended);
  };

  /** Begins a look in the turn of its group, which ends with it or after a moment. */
  const begin = async (one: Look, key: string): Promise<{ readonly isDone: Promise<boolean> }> => {
    using _ = await turns.take(one.group, stopping.signal);
    // Presses from now on may come too late for this look.
    leave(one.group, key);
    const looking = (signal: AbortSignal) => look(one, signal);
    const isDone = withDeadline(realClock, LONGEST_MS, looking, stopping.signal);
    await waitUntil(realClock, realClock.nowMs() + PATIENCE_MS, Promise.allSettled([isDone]));
    return { isDone };
  };

  const run = async (one: Look, key: string, tries: number): Promise<void> => {
    using _ = await turns.take(key, stopping.signal);
    const { isDone } = await begin(one, key);
    const isOver = await isDone.catch((err: unknown) => {
      stopping.signal.throwIfAborted();
      log.warn({ err }, 'reactions could not be looked at');
      return false;
    });
    if (isOver || tries === TRIES || !enter(one.group, key)) return;
    after(backoffMs(AGAIN, tries - 1), async () => run(one, key, tries + 1));
  };

  const after = (waitMs: number, work: () => Promise<void>): void => {
    if (stopping.signal.aborted) return;
    if (waitMs === 0) return track(work());
    const cancel = realClock.after(waitMs, () => {
      timers.delete(cancel);
      track(work());
    });
    timers.add(cancel);
  };

  return {
    track,
    /** Begins work after a time, unless the end comes first. */
    after,
    add: (one: Look): void => {
      const key = `${messageKey(one.ref)} ${one.emoji}`;
      if (!enter(one.group, key)) return;
      after(wait(key), async () => run(one, key, 1));
    },
    /** Resolves when no look is due. */
    idle: async (): Promise<void> => {
      while (running.size > 0) await Promise.allSettled(running);
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      stopping.abort();
      for (const cancel of timers) cancel();
      await Promise.allSettled(running);
    },
  };
};
