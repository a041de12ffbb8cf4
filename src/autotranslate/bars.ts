import type { Message } from '../model/message.ts';
import { keyOf, type Channel } from '../model/place.ts';
import type { BlockStore } from '../store/blocks.ts';
import { ifSoon, type WatchedPlatforms } from './watched-platforms.ts';

/** Longest wait for a platform that is asked for a ban. */
const BAN_MS = 2_000;

export interface BarsDeps {
  readonly blocks: Pick<BlockStore, 'find' | 'unbanned'>;
  readonly platforms: Pick<WatchedPlatforms, 'find'>;
  readonly now: () => number;
}

export type Bars = ReturnType<typeof createBars>;

/** Creates the check of whose messages are not shown in channels of other spaces. */
export const createBars = ({ blocks, platforms, now }: BarsDeps) => {
  /** Bans that were noted before may have ended while nothing was reported. */
  const startedMs = now();

  return {
    /**
     * True where moderators of a channel's space stopped copies of a message's author, or where the author is banned there. A
     * ban that cannot be looked up in time bars nobody, and one that was noted bars until its end is known.
     */
    isBarred: async (
      { ref, author }: Pick<Message, 'ref' | 'author'>,
      { space }: Channel,
    ): Promise<boolean> => {
      const from = ref.channel.space;
      if (keyOf(from) === keyOf(space)) return false;
      const person = { platform: from.platform, id: author.id };
      const block = await blocks.find(space, person);
      if (block && !(block.isBan && block.sinceMs < startedMs)) return true;
      if (from.platform !== space.platform) return block !== undefined;
      const asking = platforms.find({ space })?.feed.isBanned?.(space, author.id);
      const isBanned = asking && (await ifSoon(BAN_MS, asking));
      if (block && isBanned === false) await blocks.unbanned(space, person);
      return isBanned ?? block !== undefined;
    },
  };
};
