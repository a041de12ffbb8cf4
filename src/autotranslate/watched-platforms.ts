import { AppError } from '../errors.ts';
import type { Naming } from '../model/command-info.ts';
import type { Content } from '../model/message.ts';
import type { Channel } from '../model/place.ts';
import type { ChannelFeed } from '../ports/channel-feed.ts';
import type { Mirrors } from '../ports/mirrors.ts';
import type { Platform } from '../ports/platform.ts';
import { normalise } from '../rich-text/normalise.ts';
import type { RichText } from '../rich-text/rich-text.ts';
import { asText, map } from '../rich-text/walk.ts';

/** The parts of a platform that watched channels need. */
export interface WatchedPlatform {
  readonly feed: ChannelFeed;
  readonly mirrors: Mirrors;
  /** The names that people type for commands. Default: plain. */
  readonly naming?: Naming;
}

export type WatchedPlatforms = ReturnType<typeof createWatchedPlatforms>;

/** The running platforms whose channels can be watched. */
export const createWatchedPlatforms = () => {
  const known = new Map<string, WatchedPlatform>();
  const posting = new Map<string, Pick<Platform, 'post'>>();
  /** The channel's platform; undefined while it is off. */
  const find = ({ space }: Pick<Channel, 'space'>): WatchedPlatform | undefined =>
    known.get(space.platform);
  return {
    add: (platform: Platform): void => {
      const { name, feed, mirrors, naming } = platform;
      if (!feed || !mirrors) return;
      known.set(name, { feed, mirrors, ...(naming && { naming }) });
      posting.set(name, platform);
    },
    /** Posts a message of the bot itself. Rejects with an `AppError`. */
    post: async (channel: Channel, content: Content): Promise<void> => {
      await posting.get(channel.space.platform)?.post(channel, content);
    },
    find,
    /** The channel's platform. Throws a retryable `unavailable` while it is off. */
    of: (channel: Pick<Channel, 'space'>): WatchedPlatform => {
      const found = find(channel);
      if (!found) throw new AppError('unavailable', 'the platform is off', { retryable: true });
      return found;
    },
    all: (): Iterable<readonly [string, WatchedPlatform]> => known,
  };
};

type Platforms = Pick<WatchedPlatforms, 'of'>;

const isSameSpace = ({ space: a }: Channel, { space: b }: Channel): boolean =>
  a.id === b.id && a.platform === b.platform;

/**
 * Names the mentions in a text of one channel as the readers of another may know them. Ids mean
 * something only in their own space: readers elsewhere know what every reader of the text's own
 * channel may know, whose words they read.
 */
export const namedFor = (
  text: RichText,
  from: Channel,
  to: Channel,
  platforms: Platforms,
): Promise<RichText> => {
  const readers = isSameSpace(from, to) ? to : from;
  return platforms.of(readers).feed.named(readers, text);
};

/**
 * Converts a text of one channel into one for another. Within a space mentions and custom emoji stay:
 * the platform shows each reader what they may know. Anywhere else they become names.
 */
export const textFor = async (
  text: RichText,
  from: Channel,
  to: Channel,
  platforms: Platforms,
): Promise<RichText> => {
  if (isSameSpace(from, to)) return text;
  const named = await namedFor(text, from, to, platforms);
  return normalise(
    map(named, (node) => (node.kind === 'mention' || node.kind === 'emoji' ? asText(node) : node)),
  );
};
