import type { Clock } from '../../src/async/clock.ts';
import { createLru } from '../../src/async/lru.ts';
import { keyOf, type Space } from '../../src/model/place.ts';
import { burstOf, createBucket, flowOf, type Bucket, type CallPriority } from './bucket.ts';
import { isHistory, POSTS, RATES, type Rate, type SlackMethod } from './rates.ts';
import type { Quota, QuotaRate } from '../../src/ports/quota.ts';

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
 * refuse. Posts keep their channel's rate too. All processes keep the rates of a history together.
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
