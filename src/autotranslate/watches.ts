import type { ChannelWatch, Watches } from '../model/watch.ts';
import type { WatchPort } from '../ports/channel-feed.ts';
import { isSameChannel, type Channel } from '../model/place.ts';
import { AppError } from '../errors.ts';

import type { CursorStore } from '../store/cursors.ts';
import type { InboxStore } from '../store/inbox/index.ts';
import type { WatchStore } from '../store/watches.ts';
import type { Backfill } from './backfill.ts';
import type { Scheduler } from './scheduler.ts';

export interface WatchesDeps {
  readonly kept: WatchStore;
  readonly inbox: Pick<InboxStore, 'abandon'>;
  readonly cursors: Pick<CursorStore, 'remove'>;
  readonly catchUp: Pick<Backfill, 'missed' | 'forget'>;
  readonly lanes: Pick<Scheduler, 'wake'>;
  readonly now: () => number;
  readonly port: (platform: string) => WatchPort | undefined;
}

export interface WatchesService extends Watches {
  /** The channel is no more, and so is its watch. */
  readonly channelGone: (channel: Channel) => Promise<void>;
}

/** What people set to be watched, and what begins and ends with it. */
export const createWatches = (deps: WatchesDeps): WatchesService => {
  const { kept, inbox, cursors, catchUp, lanes, now, port } = deps;

  const missing = async ({ channel, mode }: ChannelWatch): Promise<readonly string[]> =>
    port(channel.space.platform)?.missing(channel, mode) ?? [];

  const unfollow = async (
    channels: readonly Channel[],
    reason: 'not-watched' | 'channel-gone' = 'not-watched',
  ): Promise<void> => {
    for (const channel of channels) {
      catchUp.forget(channel);
      await cursors.remove(channel);
      for (const lane of await inbox.abandon(channel, reason)) lanes.wake(lane);
    }
  };

  return {
    of: kept.of,
    list: kept.list,
    missing,
    set: async (wanted) => {
      const sinceMs = now();
      const lacking = new Set((await Promise.all(wanted.map(missing))).flat());
      if (lacking.size > 0)
        throw new AppError('forbidden', 'permissions are missing in a channel to be watched', {
          sentence: { key: 'watch.missing', params: { permissions: [...lacking].join(', ') } },
        });
      const placed = wanted.map((watch) => ({
        ...watch,
        channel: port(watch.channel.space.platform)?.resolve(watch.channel) ?? watch.channel,
      }));
      await unfollow(await kept.set(placed, sinceMs));
      // What came while it was set is found in the history.
      for (const { channel } of placed) catchUp.missed(channel, undefined);
    },
    remove: async (channel) => {
      if (!kept.isOwn(channel)) return false;
      await unfollow(await kept.remove([channel]));
      return true;
    },
    channelGone: async (channel) => {
      const removed = kept.isOwn(channel) ? await kept.remove([channel]) : [];
      await unfollow([channel], 'channel-gone');
      await unfollow(removed.filter((each) => !isSameChannel(each, channel)));
    },
  };
};
