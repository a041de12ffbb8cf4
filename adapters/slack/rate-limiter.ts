import { orAborted } from '../../src/async/abort.ts';
import type { Clock } from '../../src/async/clock.ts';
import { AppError } from '../../src/errors.ts';
import {
  type Rate,
  isHistory,
  POSTS,
  RATES,
  type SlackMethod,
  HISTORY_METHODS,
  LIMITED_HISTORY,
  LIMITED_PAGE,
} from './limits.ts';
import { createLru } from '../../src/async/lru.ts';
import { keyOf, type Space } from '../../src/model/place.ts';
import type { Quota, QuotaRate } from '../../src/ports/processes.ts';

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
        const index = waiting.indexOf(waiter);
        if (index >= 0) waiting.splice(index, 1);
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

/** Methods of workspaces, and channels, whose use is remembered. */
const REMEMBERED = 10_000;

/** A rate as a quota keeps it. */
const sharedRate = (rate: Rate, speed: number): QuotaRate => ({
  perSecond: flowOf(rate) * 1_000 * speed,
  burst: burstOf(rate),
});

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/**
 * Creates the limiter that says when a method may be called next in a workspace, so that Slack does not have to
 * refuse. Posts also obey the rate of their channel. The rates of reading history hold for all processes together.
 *
 * @param speed every rate is so many times higher
 * @param quota undefined where there is one process alone
 */
export const createRateLimiter = (clock: Clock, speed: number, quota?: Pick<Quota, 'take'>) => {
  /** Rates that differ from the methods' own, by workspace and method. */
  const changed = createLru<string, Rate>(REMEMBERED);
  const buckets = createLru<string, Bucket>(REMEMBERED);

  const scaled = ({ calls, perMs }: Rate): Rate => ({ calls, perMs: perMs / speed });
  const bucketOf = (key: string, rate: Rate): Bucket => {
    const bucket = buckets.get(key) ?? createBucket(clock, scaled(rate));
    buckets.set(key, bucket);
    return bucket;
  };
  const ofSpace = ({ id }: Space, method: SlackMethod): Bucket =>
    bucketOf(`${id} ${method}`, RATES[method]);
  const ofChannel = ({ id }: Space, method: SlackMethod, channel: unknown): Bucket | undefined =>
    method === 'chat.postMessage' ? bucketOf(`${id} ${String(channel)}`, POSTS) : undefined;

  return {
    /** Waits until a call may be made. Rejects as `Bucket.take` does. */
    take: async (
      space: Space,
      method: SlackMethod,
      channel: unknown,
      priority: CallPriority,
      signal?: AbortSignal,
    ): Promise<void> => {
      await ofChannel(space, method, channel)?.take(priority, signal);
      await ofSpace(space, method).take(priority, signal);
      if (quota && isHistory(method)) {
        const rate = changed.get(`${space.id} ${method}`) ?? RATES[method];
        // Another process may not know yet which rate it is.
        const name = `${keyOf(space)} ${method} ${rate.calls}`;
        await quota.take(name, sharedRate(rate, speed), signal);
      }
    },
    /** Has the next calls wait, as Slack said. */
    hold: (space: Space, method: SlackMethod, channel: unknown, waitMs: number): void =>
      (ofChannel(space, method, channel) ?? ofSpace(space, method)).hold(waitMs),
    /** True while a method was called rarely in a workspace. */
    isFresh: (space: Space, method: SlackMethod): boolean => ofSpace(space, method).isFresh(),
    /** Keeps another rate of a method in a workspace from now on. */
    setRate: (space: Space, method: SlackMethod, rate: Rate): void => {
      ofSpace(space, method).setRate(scaled(rate));
      changed.set(`${space.id} ${method}`, rate);
    },
  };
};

/** Shortest wait that tells Slack's limit on history from any other, in its own time. */
const LIMIT_MS = 20_000;

/** Messages of a page that Slack gave. */
interface Page {
  readonly asked: number;
  readonly got: number;
  readonly hasMore: boolean;
}

/** Tracks whether Slack limits the app's history, which Slack does not say. */
export const createHistoryLimits = (limiter: Pick<RateLimiter, 'isFresh' | 'setRate'>) => {
  const limited = new Set<string>();
  const setLimited = (space: Space, isLimited: boolean): void => {
    if (limited.has(space.id) === isLimited) return;
    if (isLimited) limited.add(space.id);
    else limited.delete(space.id);
    for (const method of HISTORY_METHODS)
      limiter.setRate(space, method, isLimited ? LIMITED_HISTORY : RATES[method]);
  };
  return {
    /** True where the app gets 15 messages a minute, as commercial apps outside the Marketplace do. */
    isLimited: ({ id }: Space): boolean => limited.has(id),
    /** Learns from a page: one that ends at 15 messages shows the limit, a longer one that there is none. */
    sawPage: (space: Space, { asked, got, hasMore }: Page): void => {
      if (got > LIMITED_PAGE) setLimited(space, false);
      else if (asked > LIMITED_PAGE && got === LIMITED_PAGE && hasMore) setLimited(space, true);
    },
    /** Learns from a refusal: few calls were made, and Slack demands a long wait. */
    refused: (space: Space, method: SlackMethod, waitMs: number): void => {
      if (isHistory(method) && waitMs >= LIMIT_MS && limiter.isFresh(space, method))
        setLimited(space, true);
    },
  };
};
