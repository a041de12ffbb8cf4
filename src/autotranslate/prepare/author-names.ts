import { MINUTE_MS } from '../../async/clock.ts';
import { createLru } from '../../async/lru.ts';
import type { Author, Message } from '../../model/message.ts';
import { keyOf, type Channel, type Space } from '../../model/place.ts';
import type { ChannelWatch } from '../../model/space.ts';
import { watchPartition } from '../../store/inbox/row.ts';
import type { SpaceSettings } from '../../store/settings.ts';
import { skeletonOf } from '../../text/skeleton.ts';
import { authorFor, type WatchedPlatforms } from '../watched-platforms.ts';

/** Names of people, of all spaces, that are remembered. */
const MOST_NAMES = 50_000;
/** Time after which a message stands for itself, and not below the one before. */
const TOGETHER_MS = 10 * MINUTE_MS;
/** Linked channels, and the newest messages of each, of which it is remembered whose space they come from. */
const MOST_GROUPS = 2_000;
const MOST_NEWEST = 30;
/** The sign before the name of a server, which nobody else may seem to have. */
const SERVER_SIGN = /[·•∙⋅・]/u;

export interface AuthorNamesDeps {
  readonly spaces: Pick<SpaceSettings, 'of'>;
  readonly platforms: Pick<WatchedPlatforms, 'of'>;
}

const keyFor = (space: Space, name: string): string => `${keyOf(space)} ${skeletonOf(name)}`;

/** Creates the choice of the names under which people of other spaces are shown. */
export const createAuthorNames = ({ spaces, platforms }: AuthorNamesDeps) => {
  /** Looks of the names of people who wrote in watched channels of a space. */
  const known = createLru<string, true>(MOST_NAMES);

  const isLikeMember = (space: Space, { name }: Author): boolean =>
    SERVER_SIGN.test(name) || (skeletonOf(name) !== '' && known.get(keyFor(space, name)) === true);

  /** The newest messages of linked channels that were worked on, by their partition. */
  const newest = createLru<string, readonly { readonly ms: number; readonly space: string }[]>(
    MOST_GROUPS,
  );

  const writtenMs = ({ ref, position }: Message): number =>
    platforms.of(ref.channel).feed.timeOf(position);

  /** True where the message before one came from the same space, not long ago. */
  const followsOwn = (message: Message, watch: ChannelWatch): boolean => {
    const ms = writtenMs(message);
    const before = (newest.get(watchPartition(watch)) ?? [])
      .filter((each) => each.ms < ms && each.ms > ms - TOGETHER_MS)
      .toSorted((a, b) => b.ms - a.ms)[0];
    return before?.space === keyOf(message.ref.channel.space);
  };

  return {
    /** Remembers a message of a watched channel: whose name is one of its space, and what comes after it. */
    note: (message: Message, watch: ChannelWatch): void => {
      const { author, ref } = message;
      const { space } = ref.channel;
      if (author.kind === 'person') known.set(keyFor(space, author.name), true);
      if (watch.group === undefined) return;
      const partition = watchPartition(watch);
      const more = { ms: writtenMs(message), space: keyOf(space) };
      newest.set(partition, [...(newest.get(partition) ?? []), more].slice(-MOST_NEWEST));
    },
    /** The author of a message of linked channels, as readers of a channel see them. */
    shownIn: async (to: Channel, message: Message, watch: ChannelWatch): Promise<Author> => {
      const { author, ref } = message;
      if (keyOf(ref.channel.space) === keyOf(to.space)) return author;
      const { serverNames } = await spaces.of(to.space);
      const isBare =
        serverNames === 'off' || (serverNames === 'change' && followsOwn(message, watch));
      return isBare && !isLikeMember(to.space, author)
        ? author
        : authorFor(author, ref.channel, to, platforms);
    },
    forgetSpace: (space: Space): void => {
      for (const [key] of known) if (key.startsWith(`${keyOf(space)} `)) known.delete(key);
    },
  };
};

export type AuthorNames = ReturnType<typeof createAuthorNames>;
