import { keyOf, type Channel, type Space } from '../model/place.ts';
import type { InboxStore } from '../store/inbox/index.ts';
import type { WatchStore } from '../store/channels/watches.ts';
import type { Links } from './links.ts';
import type { Scheduler } from './scheduler.ts';

export interface LeaveDeps {
  readonly stored: Pick<WatchStore, 'list' | 'group' | 'remove'>;
  readonly inbox: Pick<InboxStore, 'openIn'>;
  /** The parts that know something of spaces in memory. */
  readonly memories: readonly { readonly forgetSpace: (space: Space) => void }[];
  readonly scheduler: Pick<Scheduler, 'interrupt' | 'wake'>;
  readonly tellOfEnd: Links['tellOfEnd'];
  /** Ends the work on channels that are not watched any more. */
  readonly unfollow: (channels: readonly Channel[]) => Promise<void>;
}

/**
 * Creates what ends auto-translate in a space that the bot was removed from. Groups with channels
 * elsewhere go on without its channels, as long as two are left.
 *
 * @param remove deletes what is stored of the space, once nothing works on it any more
 */
export const createLeave =
  ({ stored, inbox, memories, scheduler, tellOfEnd, unfollow }: LeaveDeps) =>
  async (space: Space, remove: () => Promise<void>): Promise<void> => {
    const isElsewhere = (channel: Channel): boolean => keyOf(channel.space) !== keyOf(space);
    const watched = stored.list(space);
    const linked = watched.flatMap((watch) =>
      stored
        .group(watch)
        .filter(({ channel }) => isElsewhere(channel))
        .map((reader) => ({ reader, about: watch.channel })),
    );
    const ended = await stored.remove(watched.map(({ channel }) => channel));
    await unfollow(ended.filter(isElsewhere));
    const open = await inbox.openIn(space);
    for (const { ref } of open) scheduler.interrupt(ref);
    const forget = (): void => {
      for (const memory of memories) memory.forgetSpace(space);
    };
    forget();
    await remove();
    // Work that ended meanwhile may have noted something.
    forget();
    // Work that waited for these rows goes on with those of other spaces.
    for (const partition of new Set(open.map((row) => row.partition))) scheduler.wake(partition);
    tellOfEnd(linked);
  };
