import type { Channel, MessageRef } from '../../../src/model/place.ts';
import type { ChannelFeed } from '../../../src/ports/channel-feed.ts';
import type { Mirrors } from '../../../src/ports/mirrors.ts';
import { plainText } from '../../../src/rich-text/walk.ts';
import type { Faults } from './faults.ts';
import type { Messages } from './messages.ts';

/** The pinned messages of a feed as a test pins and sees them. */
export interface FeedPins {
  /** What is pinned in a channel. */
  pinned(of: Channel): string[];
  /** Somebody pins a message, or unpins it. */
  pin(ref: MessageRef, isPinned?: boolean): void;
}

export const createPins = ({ shownIn }: Messages, { meanwhile, meet }: Faults) => {
  const pinned = new Set<string>();
  const keyOf = ({ channel: { id: of }, id }: MessageRef): string => `${of} ${id}`;
  const pinnedIn = (of: Channel) =>
    shownIn(of)
      .map(({ message }) => message)
      .filter(({ ref }) => pinned.has(keyOf({ ...ref, channel: of })));
  const fake: FeedPins = {
    pinned: (of) => pinnedIn(of).map(({ text }) => plainText(text)),
    pin: (ref, isPinned = true) => void pinned[isPinned ? 'add' : 'delete'](keyOf(ref)),
  };
  const feed = {
    pinned: async (of) => {
      await meanwhile('pinned');
      meet('pinned', false, of);
      return pinnedIn(of).map(({ ref }) => ref);
    },
  } satisfies Partial<ChannelFeed>;
  const mirrors = {
    pin: async (ref, isPinned) => {
      await meanwhile('pin');
      meet('pin', false, ref.channel);
      fake.pin(ref, isPinned);
    },
  } satisfies Partial<Mirrors>;
  return { fake, feed, mirrors };
};
