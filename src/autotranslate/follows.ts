import { channelKey, keyOf, type Channel, type Space } from '../model/place.ts';

/**
 * Channels and threads known to have no gap that are remembered; for others the history is fetched
 * again.
 */
const MOST_FOLLOWED = 10_000;

/** Work on one channel, one step after the other. */
export interface Follow {
  readonly space: Space;
  readonly ended: AbortController;
  /** Aborted when the channel is followed no longer, or the program ends. */
  readonly signal: AbortSignal;
  tail: Promise<void>;
  /** Number of waiting messages. */
  held: number;
  /** The end of the last hold; it goes on until the reports that waited are handled. */
  holdEnding: Promise<void>;
  /** A queued fetch that has not begun; later gaps join it. */
  coming:
    | { newest: string | undefined; sinceMs: number; readonly read: Promise<boolean> }
    | undefined;
  /** Fetches that are queued or running. */
  looks: number;
  /** Positions of messages that were left out of a history and are still to be reported. */
  readonly leftOut: Set<string>;
  /**
   * Fetches that take long, one after the other: messages do not wait for them. Resolves with false where
   * the last one was ended before its time.
   */
  slow: Promise<boolean>;
  /** One of these that is queued; later gaps join it. */
  slowComing: { until: string | undefined } | undefined;
  isWhole: boolean;
}

/** Joins a fetch that is queued, which then reads up to now; undefined where there is none. */
export const joinComing = (
  { coming }: Follow,
  newest: string | undefined,
  nowMs: number,
): Promise<boolean> | undefined => {
  if (!coming) return undefined;
  const { newest: known } = coming;
  if (known !== undefined && (newest === undefined || newest > known)) coming.newest = newest;
  coming.sinceMs = nowMs;
  return coming.read;
};

/** Joins a slow fetch that is queued, which then reads up to `until` at least; false where there is none. */
export const joinSlow = ({ slowComing }: Follow, until: string | undefined): boolean => {
  if (!slowComing) return false;
  const { until: known } = slowComing;
  if (until === undefined || (known !== undefined && known < until)) slowComing.until = until;
  return true;
};

/**
 * Creates the followed channels.
 *
 * @param stopping aborted when the program ends
 */
export const createFollows = (stopping: AbortSignal) => {
  const follows = new Map<string, Follow>();

  const forgetOneAtRest = (): void => {
    for (const [key, { held, looks, isWhole }] of follows)
      if (held === 0 && looks === 0 && isWhole) {
        follows.delete(key);
        return;
      }
  };

  const end = (key: string): void => {
    follows.get(key)?.ended.abort();
    follows.delete(key);
  };

  const tails = (): Promise<unknown>[] =>
    [...follows.values()].flatMap(({ tail, slow, holdEnding }) => [tail, slow, holdEnding]);

  return {
    has: (channel: Channel): boolean => follows.has(channelKey(channel)),
    /** The work on a channel, which is followed from now on. */
    of: (channel: Channel): Follow => {
      const key = channelKey(channel);
      const known = follows.get(key);
      if (known) return known;
      const ended = new AbortController();
      const follow: Follow = {
        space: channel.space,
        ended,
        signal: AbortSignal.any([stopping, ended.signal]),
        tail: Promise.resolve(),
        held: 0,
        looks: 0,
        leftOut: new Set(),
        holdEnding: Promise.resolve(),
        coming: undefined,
        slow: Promise.resolve(true),
        slowComing: undefined,
        isWhole: false,
      };
      follows.set(key, follow);
      if (follows.size > MOST_FOLLOWED) forgetOneAtRest();
      return follow;
    },
    end: (channel: Channel): void => end(channelKey(channel)),
    endSpace: (space: Space): void => {
      for (const [key, follow] of follows) if (keyOf(follow.space) === keyOf(space)) end(key);
    },
    tails,
    /** Resolves when no work is under way or queued. */
    idle: async (): Promise<void> => {
      let seen: Promise<unknown>[] | undefined;
      while (!tails().every((tail, index) => tail === seen?.[index])) {
        seen = tails();
        await Promise.all(seen);
      }
    },
  };
};
