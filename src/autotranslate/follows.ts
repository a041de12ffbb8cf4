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
    | { newest: string | undefined; until: string; readonly read: Promise<boolean> }
    | undefined;
  /** The end of the last fetch; false where it was ended before its time. */
  reading: Promise<boolean>;
  /** Fetches that are queued or running. */
  looks: number;
  /** Positions of messages that were left out of a history and are still to be reported. */
  readonly leftOut: Set<string>;
  isWhole: boolean;
}

/** Joins a fetch that is queued, which then takes what stands up to a position for missed; undefined where there is none. */
export const joinComing = (
  { coming }: Follow,
  newest: string | undefined,
  until: string,
): Promise<boolean> | undefined => {
  if (!coming) return undefined;
  const { newest: known } = coming;
  if (known !== undefined && (newest === undefined || newest > known)) coming.newest = newest;
  if (until > coming.until) coming.until = until;
  return coming.read;
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
    [...follows.values()].flatMap(({ tail, reading, holdEnding }) => [tail, reading, holdEnding]);

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
        reading: Promise.resolve(true),
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
