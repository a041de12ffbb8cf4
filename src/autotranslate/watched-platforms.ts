import { realClock } from '../async/clock.ts';
import { createLru, type Lru } from '../async/lru.ts';
import { AppError } from '../errors.ts';
import type { Naming } from '../model/command-info.ts';
import type { Content, Message } from '../model/message.ts';
import type { Channel, Posted } from '../model/place.ts';
import type { ChannelFeed } from '../ports/channel-feed.ts';
import type { Mirrors } from '../ports/mirrors.ts';
import type { Platform } from '../ports/platform.ts';
import type { WhileHeld } from '../ports/processes.ts';
import { quotedWords } from '../text/quoted-words.ts';
import { normalise } from '../rich-text/normalise.ts';
import type { RichText } from '../rich-text/rich-text.ts';
import { asText, map } from '../rich-text/walk.ts';

/** The parts of a platform that watched channels need. */
export interface WatchedPlatform {
  /** The platform's name as people write it. */
  readonly title?: string;
  readonly feed: ChannelFeed;
  readonly mirrors: Mirrors;
  /** The names that people type for commands. Default: plain. */
  readonly naming?: Naming;
  /** See `Capabilities`. */
  readonly repliesInThreads?: true;
  /** The last known names of its spaces, by their keys, and of their channels, by that, a slash and the ID. */
  readonly lastNames?: Lru<string, string>;
}

/** Names of spaces and channels that are remembered of a platform. */
const MOST_NAMES = 10_000;

export type WatchedPlatforms = ReturnType<typeof createWatchedPlatforms>;

/** The running platforms whose channels can be watched. */
export const createWatchedPlatforms = () => {
  const known = new Map<string, WatchedPlatform>();
  const posting = new Map<string, Pick<Platform, 'post' | 'edit' | 'whisper'>>();
  /** The channel's platform; undefined while it is off. */
  const find = ({ space }: Pick<Channel, 'space'>): WatchedPlatform | undefined =>
    known.get(space.platform);
  return {
    add: (platform: Platform): void => {
      const { name, title, feed, mirrors, naming, capabilities } = platform;
      if (!feed || !mirrors) return;
      known.set(name, {
        title: title ?? name,
        feed,
        mirrors,
        ...(naming && { naming }),
        ...(capabilities.repliesInThreads && { repliesInThreads: true }),
        lastNames: createLru(MOST_NAMES),
      });
      posting.set(name, platform);
    },
    /** Posts a message of the bot itself. Rejects with an `AppError`. */
    post: async (channel: Channel, content: Content): Promise<void> => {
      await posting.get(channel.space.platform)?.post(channel, content);
    },
    /** Posts as `post` does a message that is edited later; resolves with undefined while the platform is off. */
    send: async (
      channel: Channel,
      content: Content,
      options?: WhileHeld,
    ): Promise<Posted | undefined> =>
      posting.get(channel.space.platform)?.post(channel, content, options),
    /** Edits a message of the bot itself; resolves with undefined while the platform is off. Rejects with an `AppError`. */
    edit: async (posted: Posted, content: Content): Promise<Posted | undefined> =>
      posting.get(posted.channel.space.platform)?.edit(posted, content),
    /** Shows something to one person alone; nothing where the platform cannot. Rejects with an `AppError`. */
    whisper: async (
      ...[to, ...rest]: Parameters<NonNullable<Platform['whisper']>>
    ): Promise<void> => {
      await posting.get(to.space.platform)?.whisper?.(to, ...rest);
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

/** Longest wait for names: a place that does not answer would keep messages, and decisions, from all others. */
export const NAMED_MS = 2_000;

/** Resolves as the work does, and with something instead where it takes longer. Rejects as the work does in time. */
export const within = async <Value>(
  limitMs: number,
  work: Promise<Value>,
  instead: Value,
): Promise<Value> => {
  const late = Promise.withResolvers<Value>();
  const cancel = realClock.after(limitMs, () => late.resolve(instead));
  return Promise.race([work, late.promise]).finally(cancel);
};

/** Resolves as the work does; with undefined where it fails, or takes longer. */
export const ifSoon = <Value>(
  limitMs: number,
  work: Promise<Value> | undefined,
): Promise<Value | undefined> =>
  within(
    limitMs,
    Promise.resolve(work).catch(() => undefined),
    undefined,
  );

const isSameSpace = ({ space: a }: Channel, { space: b }: Channel): boolean =>
  a.id === b.id && a.platform === b.platform;

/**
 * Names the mentions in a text of one channel as the readers of another may know them. Ids mean
 * something only in their own space: readers elsewhere know what every reader of the text's own
 * channel may know, whose words they read.
 */
export const namedFor = async (
  text: RichText,
  from: Channel,
  to: Channel,
  platforms: Platforms,
): Promise<RichText> => {
  const readers = isSameSpace(from, to) ? to : from;
  return within(NAMED_MS, platforms.of(readers).feed.named(readers, text), text);
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

/** Longest parts of a name with its server, in UTF-16 units; together they fit on every platform. */
const NAME_CHARS = 46;
const SERVER_CHARS = 30;

/** The author of a message as the readers of another space see them: their name with that of their server or workspace. */
export const authorFor = async (
  author: Message['author'],
  from: Channel,
  to: Channel,
  platforms: Platforms,
): Promise<Message['author']> => {
  if (isSameSpace(from, to)) return author;
  const server = await ifSoon(NAMED_MS, platforms.of(from).feed.spaceName?.(from.space));
  if (server === undefined) return author;
  // The server is shown however long a name is.
  const name = `${quotedWords(author.name, NAME_CHARS)} · ${quotedWords(server, SERVER_CHARS)}`;
  return { ...author, name };
};
