import { AppError } from '../errors.ts';
import type { Channel } from '../model/place.ts';
import type { ChannelFeed } from '../ports/channel-feed.ts';
import type { Mirrors } from '../ports/mirrors.ts';
import type { Platform } from '../ports/platform.ts';

/** The ports of a platform whose channels can be watched. */
export interface WatchedPlatform {
  readonly feed: ChannelFeed;
  readonly mirrors: Mirrors;
}

/** The platforms that are on and whose channels can be watched. */
export interface WatchedPlatforms {
  add(platform: Platform): void;
  /** Undefined where the platform is off. */
  find(channel: Pick<Channel, 'space'>): WatchedPlatform | undefined;
  /** Throws a retryable `unavailable` while the platform is off. */
  of(channel: Pick<Channel, 'space'>): WatchedPlatform;
  all(): Iterable<readonly [string, WatchedPlatform]>;
}

export const createWatchedPlatforms = (): WatchedPlatforms => {
  const known = new Map<string, WatchedPlatform>();
  const find: WatchedPlatforms['find'] = ({ space }) => known.get(space.platform);
  return {
    add: ({ name, feed, mirrors }) => {
      if (feed && mirrors) known.set(name, { feed, mirrors });
    },
    find,
    of: (channel) => {
      const found = find(channel);
      if (!found) throw new AppError('unavailable', 'the platform is off', { retryable: true });
      return found;
    },
    all: () => known,
  };
};
