import { HOUR_MS, MINUTE_MS } from '../../async/clock.ts';
import { createCache, createLru } from '../../async/lru.ts';
import { AppError } from '../../errors.ts';
import type { Author, Message } from '../../model/message.ts';
import { keyOf, type Channel, type Space } from '../../model/place.ts';
import type { ChannelWatch } from '../../model/space.ts';
import { watchPartition } from '../../store/inbox/row.ts';
import type { SpaceSettings } from '../../store/settings.ts';
import { skeletonOf } from '../../text/skeleton.ts';
import { authorFor, NAMED_MS, within, type WatchedPlatforms } from '../watched-platforms.ts';

/** Names of people, of all spaces, that are remembered. */
const MOST_NAMES = 50_000;
/** Names of which it is remembered whether somebody may have them elsewhere, and how many are asked for at the same time. */
const MOST_LOOKED_UP = 10_000;
const LOOKED_UP_MS = HOUR_MS;
const LOOKED_UP_AT_ONCE = 4;
/** Most spaces kept whose look-ups were slow or failed, and the time for which no message waits for a look-up there. */
const MOST_LATE = 1_000;
const LATE_MS = MINUTE_MS;
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
  /** ms, of any clock. */
  readonly now: () => number;
}

/** A name that somebody of another space has, for readers of this one. */
interface NameElsewhere {
  readonly space: Space;
  readonly name: string;
}

const keyFor = (space: Space, name: string): string => `${keyOf(space)} ${skeletonOf(name)}`;

/** Creates the choice of the names under which people of other spaces are shown. */
export const createAuthorNames = ({ spaces, platforms, now }: AuthorNamesDeps) => {
  /** Looks of the names of people who wrote in watched channels of a space. */
  const known = createLru<string, true>(MOST_NAMES);

  let asked = 0;
  /** Says of names whether somebody here may have one that looks like them. Of more than are asked for at once it rejects. */
  const lookedUp = createCache(
    async ({ space, name }: NameElsewhere): Promise<boolean> => {
      if (asked >= LOOKED_UP_AT_ONCE)
        throw new AppError('rate-limited', 'too many names are looked up');
      asked += 1;
      try {
        const names = await platforms.of({ space }).feed.namesLike?.(space, name);
        return names?.some((each) => skeletonOf(each) === skeletonOf(name)) ?? true;
      } finally {
        asked -= 1;
      }
    },
    {
      keyOf: ({ space, name }) => keyFor(space, name),
      most: MOST_LOOKED_UP,
      lifeMs: LOOKED_UP_MS,
      now,
    },
  );

  /** The times at which spaces were late last, ms. */
  const late = createLru<string, number>(MOST_LATE);

  /** True where a name may be that of somebody here: also where that is not known soon. */
  const isLikeMember = async (space: Space, { name }: Author): Promise<boolean> => {
    if (SERVER_SIGN.test(name) || known.get(keyFor(space, name))) return true;
    if (skeletonOf(name) === '') return false;
    const isLate = now() - (late.get(keyOf(space)) ?? -Infinity) < LATE_MS;
    const looking = lookedUp.of({ space, name }).catch(() => true);
    const found = await within(isLate ? 0 : NAMED_MS, looking, undefined);
    if (found === undefined && !isLate) late.set(keyOf(space), now());
    return found ?? true;
  };

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
      return isBare && !(await isLikeMember(to.space, author))
        ? author
        : authorFor(author, ref.channel, to, platforms);
    },
    forgetSpace: (space: Space): void => {
      for (const [key] of known) if (key.startsWith(`${keyOf(space)} `)) known.delete(key);
      lookedUp.forgetWhere((each) => keyOf(each.space) === keyOf(space));
    },
  };
};

export type AuthorNames = ReturnType<typeof createAuthorNames>;
