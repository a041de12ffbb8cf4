import type { Message } from '../model/message.ts';
import { channelAround, isSameChannel, type Channel } from '../model/place.ts';
import { isKeptOut, isPaused, type ChannelWatch } from '../model/space.ts';
import type { MirrorStore } from '../store/channels/mirrors.ts';
import type { WatchStore } from '../store/channels/watches.ts';
import { outcomesOf } from '../store/inbox/outcomes.ts';
import { WATCH } from '../store/inbox/row.ts';
import type { Store } from '../store/index.ts';
import type { Bars } from './bars.ts';
import type { WatchedPlatforms } from './watched-platforms.ts';

export interface OpenSourcesDeps {
  readonly store: Pick<Store, 'selectFrom'>;
  readonly watches: Pick<WatchStore, 'of' | 'group' | 'joinedMs'>;
  readonly stored: Pick<MirrorStore, 'of'>;
  readonly platforms: Pick<WatchedPlatforms, 'find'>;
  readonly bars: Bars;
}

export type OpenSources = ReturnType<typeof createOpenSources>;

/** Creates the check of whose words readers of a copy may read as they are now. */
export const createOpenSources = ({ store, watches, stored, platforms, bars }: OpenSourcesDeps) => {
  const watchOf = (channel: Channel): ChannelWatch | undefined =>
    watches.of(platforms.find(channel)?.feed.resolve(channel) ?? channel);

  const isCopied = (from: Channel, to: Channel): boolean => {
    const [source, target] = [watchOf(from), watchOf(to)];
    if (source?.group === undefined || source.group !== target?.group) return false;
    return !isPaused(source) && !isKeptOut(from, target, watches.group(target));
  };

  return {
    /**
     * True where what somebody writes in their channel is shown in another one at this moment, or stands there itself. A copy
     * that is left from before is all that may be read there otherwise: its source may have changed since.
     */
    isOpen: async (written: Pick<Message, 'ref' | 'author'>, to: Channel): Promise<boolean> =>
      isSameChannel(written.ref.channel, to) ||
      (isCopied(written.ref.channel, to) && !(await bars.isBarred(written, to))),

    /**
     * True of what was kept out of another linked channel, left out of all of them or removed from that one, and of what is of
     * before their link: no quote brings it there.
     */
    wasKeptOut: async (
      { ref, position }: Pick<Message, 'ref' | 'position'>,
      to: Channel,
    ): Promise<boolean> => {
      const [from, around] = [ref.channel, to].map(channelAround) as [Channel, Channel];
      const [source, target] = [watchOf(from), watchOf(around)];
      if (source?.group === undefined || source.group !== target?.group) return false;
      if (isSameChannel(from, around)) return false;
      const copies = (await stored.of({ ref, purpose: WATCH })).filter((copy) =>
        isSameChannel(channelAround(copy.target.channel), around),
      );
      if (copies.length > 0) return copies.some(({ posted }) => !posted);
      // Rules may be others by now: only what is shown, or will be, was not left out.
      const own = (await outcomesOf(store, ref)).find(({ purpose }) => purpose === WATCH);
      if (!own || own.state === 'skipped') return true;
      const writtenMs = platforms.find(ref.channel)?.feed.timeOf(position) ?? Infinity;
      return (
        isPaused(source, writtenMs) ||
        isKeptOut(from, target, watches.group(target), writtenMs) ||
        writtenMs < Math.max(watches.joinedMs(source), watches.joinedMs(target))
      );
    },
  };
};
