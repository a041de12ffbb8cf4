import { MINUTE_MS } from '../../async/clock.ts';
import { createLru } from '../../async/lru.ts';
import type { Message } from '../../model/message.ts';
import { keyOf, type Space } from '../../model/place.ts';
import type { ChannelWatch } from '../../model/space.ts';
import { watchPartition } from '../../store/inbox/row.ts';
import type { ModeratorNotices } from '../moderators/notices.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';
import type { Place } from './prepared.ts';

/**
 * Most messages that were written in one minute in the linked channels of one space and are copied into those of others:
 * more than people write, or read.
 */
export const MOST_A_MINUTE = 300;
/** Spaces, of each group of linked channels, of which the newest messages are remembered. */
const MOST_SOURCES = 2_000;
/** Messages that were left out and are remembered, so that an edit of one does not copy it. */
const MOST_LEFT = 50_000;

interface Copied {
  readonly id: string;
  readonly ms: number;
}

export interface FloodsDeps {
  readonly platforms: Pick<WatchedPlatforms, 'of'>;
  readonly moderators: Pick<ModeratorNotices, 'flooded'>;
}

/**
 * Creates the bound of what one space brings into linked channels of others. It counts by the time at which messages were
 * written, so that what is caught up on at once is no flood.
 */
export const createFloods = ({ platforms, moderators }: FloodsDeps) => {
  const copied = createLru<string, readonly Copied[]>(MOST_SOURCES);
  const left = createLru<string, true>(MOST_LEFT);

  const isOver = (key: string, { ref, position }: Message, mayStand: boolean): boolean => {
    const { id } = ref;
    if (left.get(`${key} ${id}`)) return true;
    const before = copied.get(key) ?? [];
    if (mayStand || before.some((each) => each.id === id)) return false;
    const ms = platforms.of(ref.channel).feed.timeOf(position);
    const together = before.filter((each) => Math.abs(each.ms - ms) < MINUTE_MS);
    if (together.length >= MOST_A_MINUTE) {
      left.set(`${key} ${id}`, true);
      return true;
    }
    copied.set(key, [...before, { id, ms }].slice(-MOST_A_MINUTE));
    return false;
  };

  return {
    /**
     * The places that a message may be copied into: those of its own space alone once its space has brought too much into
     * the others, whose moderators are told.
     *
     * @param mayStand true where copies of the message may stand already, which stay
     */
    within: (
      message: Message,
      watch: ChannelWatch,
      among: readonly Place[],
      mayStand: boolean,
    ): readonly Place[] => {
      const { space } = message.ref.channel;
      const own = among.filter(({ channel }) => keyOf(channel.space) === keyOf(space));
      if (own.length === among.length) return among;
      if (!isOver(`${keyOf(space)} ${watchPartition(watch)}`, message, mayStand)) return among;
      for (const place of among)
        if (!own.includes(place)) moderators.flooded(place.channel, space, MOST_A_MINUTE);
      return own;
    },
    forgetSpace: (space: Space): void => {
      for (const known of [copied, left])
        for (const [key] of known) if (key.startsWith(`${keyOf(space)} `)) known.delete(key);
    },
  };
};

export type Floods = ReturnType<typeof createFloods>;
