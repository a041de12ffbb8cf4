import { orAborted } from '../../src/async/abort.ts';
import type { Clock } from '../../src/async/clock.ts';
import { AppError } from '../../src/errors.ts';
import type { Rate } from './rates.ts';

/** The place of a call among those that wait for the same rate. */
export interface CallPriority {
  /** Lower ones go first. */
  readonly level: number;
  /** Decides between equal levels: higher ones go first. Default: in the order of the calls. */
  readonly rank?: number;
}

/** Levels of calls: somebody waits for the answer; ordinary work; what may take long. */
export const LEVEL = { answer: 0, work: 1, background: 2 } as const;

/** The priority of a call for whose end somebody waits. */
export const ANSWERING: CallPriority = { level: LEVEL.answer };

/** Calls of a level that may wait for one rate; above it the caller waits, who holds less. */
const MOST_WAITING = 100;
/** Calls that may be made at once, as a share of a minute's: "occasional bursts". */
const BURST_SHARE = 0.2;
/** Smallest lack of a token that is waited for; rounding may leave less. */
const NOTHING = 1e-6;

interface Waiter {
  readonly priority: CallPriority;
  readonly admit: () => void;
}

/** Calls that may be made at once. */
export const burstOf = ({ calls }: Rate): number => Math.max(1, Math.floor(calls * BURST_SHARE));
/** Tokens that are kept for answers. */
const reserveOf = (rate: Rate): number => Math.floor(burstOf(rate) / 2);
/** Tokens a millisecond: with a burst before them they are no more than the rate allows. */
export const flowOf = (rate: Rate): number => Math.max(1, rate.calls - burstOf(rate)) / rate.perMs;

const isBefore = (a: CallPriority, b: CallPriority): boolean =>
  a.level === b.level ? (a.rank ?? 0) > (b.rank ?? 0) : a.level < b.level;

export type Bucket = ReturnType<typeof createBucket>;

/** Creates a token bucket: it lets calls through at a rate, those of the lowest level first. */
export const createBucket = (clock: Clock, given: Rate) => {
  const waiting: Waiter[] = [];
  let rate = given;
  let tokens = burstOf(rate);
  let filledMs = clock.nowMs();
  let takenMs = -Infinity;
  let heldUntilMs = -Infinity;
  let unschedule: (() => void) | undefined;

  const waitOf = ({ level }: CallPriority): number => {
    const now = clock.nowMs();
    tokens = Math.min(burstOf(rate), tokens + (now - filledMs) * flowOf(rate));
    filledMs = now;
    const needed = level === LEVEL.answer ? 1 : 1 + reserveOf(rate);
    const lack = needed - tokens;
    return Math.max(0, heldUntilMs - now, lack > NOTHING ? lack / flowOf(rate) : 0);
  };

  const serve = (): void => {
    unschedule?.();
    for (let [first] = waiting; first; [first] = waiting) {
      const waitMs = waitOf(first.priority);
      if (waitMs > 0) {
        unschedule = clock.after(waitMs, serve);
        return;
      }
      waiting.shift();
      tokens -= 1;
      takenMs = clock.nowMs();
      first.admit();
    }
  };

  return {
    /**
     * Waits until a call may be made. Rejects with the signal's reason, and with `rate-limited` where
     * too many wait that go before it.
     */
    take: async (priority: CallPriority, signal?: AbortSignal): Promise<void> => {
      signal?.throwIfAborted();
      const before = waiting.filter((other) => other.priority.level <= priority.level).length;
      if (before >= MOST_WAITING)
        throw new AppError('rate-limited', 'too many calls wait for Slack', {
          retryable: true,
          retryAfterMs: before / flowOf(rate),
        });
      const admitted = Promise.withResolvers<void>();
      const waiter: Waiter = { priority, admit: admitted.resolve };
      const at = waiting.findIndex((other) => isBefore(priority, other.priority));
      waiting.splice(at < 0 ? waiting.length : at, 0, waiter);
      serve();
      try {
        await (signal ? orAborted(admitted.promise, signal) : admitted.promise);
      } catch (thrown) {
        const left = waiting.indexOf(waiter);
        if (left >= 0) waiting.splice(left, 1);
        serve();
        throw thrown;
      }
    },
    /** Lets nothing through for a time, as the server said. */
    hold: (waitMs: number): void => {
      heldUntilMs = Math.max(heldUntilMs, clock.nowMs() + waitMs);
      tokens = Math.min(tokens, 1);
      serve();
    },
    /** True while at most half of a burst was used lately. */
    isFresh: (): boolean => waitOf({ level: LEVEL.work }) === 0,
    /** Goes on at another rate; the last call counts in it. */
    setRate: (next: Rate): void => {
      rate = next;
      tokens = Math.min(burstOf(rate), (clock.nowMs() - takenMs) * flowOf(rate));
      filledMs = clock.nowMs();
      serve();
    },
  };
};
