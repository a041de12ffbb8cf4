import type { Message } from '../model/message.ts';
import { keyOf, type Channel } from '../model/place.ts';
import type { BlockStore } from '../store/blocks.ts';
import { within, type WatchedPlatforms } from './watched-platforms.ts';

/** Longest wait for a platform that is asked for a ban. */
const BAN_MS = 2_000;

export interface BarsDeps {
  readonly blocks: Pick<BlockStore, 'has'>;
  readonly platforms: Pick<WatchedPlatforms, 'find'>;
}

export type Bars = ReturnType<typeof createBars>;

/** Creates the check of whose messages are not shown in channels of other spaces. */
export const createBars = ({ blocks, platforms }: BarsDeps) => ({
  /**
   * True where moderators of a channel's space stopped copies of a message's author, or where the author is banned there. A
   * ban that cannot be looked up in time bars nobody.
   */
  isBarred: async (
    { ref, author }: Pick<Message, 'ref' | 'author'>,
    { space }: Channel,
  ): Promise<boolean> => {
    const from = ref.channel.space;
    if (keyOf(from) === keyOf(space)) return false;
    if (await blocks.has(space, { platform: from.platform, id: author.id })) return true;
    if (from.platform !== space.platform) return false;
    const asking = platforms.find({ space })?.feed.isBanned?.(space, author.id);
    return asking
      ? within(
          BAN_MS,
          asking.catch(() => false),
          false,
        )
      : false;
  },
});
