import { isInPlace, type ChannelWatch } from '../model/space.ts';
import {
  channelKey,
  channelMention,
  isSameChannel,
  keyOf,
  type Channel,
  type Space,
} from '../model/place.ts';
import { AppError, toAppError, userError, type Sentence } from '../errors.ts';
import { createCache, createLru } from '../async/lru.ts';
import { MINUTE_MS } from '../async/clock.ts';
import type { CursorStore } from '../store/channels/cursors.ts';
import type { InboxStore } from '../store/inbox/index.ts';
import type { HistoryGaps } from '../store/channels/histories.ts';
import type { LinkedThreadStore } from '../store/channels/linked-threads.ts';
import type { StandingThreads } from '../store/channels/standing-threads.ts';
import type { WatchStore } from '../store/channels/watches.ts';
import { unlessAbsent } from './absent.ts';
import type { Backfill } from './backfill.ts';
import { nameElsewhere } from './links/names.ts';
import { ifSoon, NAMED_MS, within, type WatchedPlatforms } from './watched-platforms.ts';
import type { Scheduler } from './scheduler.ts';

export interface WatchesDeps {
  readonly watches: WatchStore;
  readonly inbox: Pick<InboxStore, 'abandon'>;
  readonly cursors: Pick<CursorStore, 'remove'>;
  readonly threads: Pick<StandingThreads, 'remove'>;
  readonly linkedThreads: Pick<LinkedThreadStore, 'remove'>;
  readonly gaps: Pick<HistoryGaps, 'remove'>;
  readonly backfill: Pick<Backfill, 'begin' | 'forget'>;
  readonly scheduler: Pick<Scheduler, 'wake'>;
  readonly now: () => number;
  readonly platforms: Pick<WatchedPlatforms, 'find'>;
}

/** Longest wait for what a platform says of the bot in a channel. */
const CHECK_MS = 10_000;

/** Channels of which it is remembered whether the bot works there, and for how long it is that it does, or does not. */
const MOST_REACHED = 5_000;
const REACHED_MS = 2 * MINUTE_MS;
const LOST_MS = 15_000;

export type OwnWatches = ReturnType<typeof createWatches>;

/** Sets and ends watches, and starts and stops following their channels. */
export const createWatches = (deps: WatchesDeps) => {
  const {
    watches: stored,
    inbox,
    cursors,
    threads,
    linkedThreads,
    gaps,
    backfill,
    scheduler,
    now,
    platforms,
  } = deps;

  /** Channels that were deleted while this process ran. */
  const deleted = createLru<string, true>(MOST_REACHED);

  /** Rejects where a channel is known to be deleted. */
  const demandThere = async (channel: Channel): Promise<void> => {
    const asking = platforms.find(channel)?.feed.isDeleted?.(channel);
    if (deleted.get(channelKey(channel)) || (await ifSoon(CHECK_MS, asking)))
      throw userError('not-found', 'watch.deleted', { channel: channelMention(channel) });
  };

  /**
   * Lists what the bot lacks in a channel. Rejects where it is not there, or the channel is deleted, and where that cannot be
   * found out now.
   */
  const missing = async ({ channel, mode, below }: ChannelWatch): Promise<readonly string[]> => {
    const asking = platforms.find(channel)?.feed.missing(channel, mode, below);
    const found = await within(CHECK_MS, asking ?? Promise.resolve([]), undefined).catch(
      async (thrown: unknown) => {
        if (toAppError(thrown).retryable) return;
        await demandThere(channel);
        throw thrown;
      },
    );
    if (found && found.length > 0) await demandThere(channel);
    if (found) return found;
    const sentence = {
      key: 'watch.unchecked',
      params: { channel: channelMention(channel) },
    } as const;
    throw new AppError('timeout', 'a channel could not be checked', { retryable: true, sentence });
  };

  const losses = createCache(
    (watch: ChannelWatch) =>
      missing(watch).then(
        (lacking) => lacking.length > 0,
        (thrown: unknown) => !toAppError(thrown).retryable,
      ),
    {
      keyOf: ({ channel, mode }) => `${channelKey(channel)} ${mode}`,
      most: MOST_REACHED,
      lifeMs: REACHED_MS,
      lifeOf: (lost) => (lost ? LOST_MS : REACHED_MS),
      now,
    },
  );

  /** True where the bot is not in a channel any more, or lacks permissions there; false where that is not known soon. */
  const isLost = (watch: ChannelWatch): Promise<boolean> =>
    within(NAMED_MS, losses.of(watch), false);

  const drawback = async ({ channel, mode }: ChannelWatch): Promise<Sentence | undefined> =>
    isInPlace(mode) ? undefined : platforms.find(channel)?.feed.drawback?.(channel, mode);

  /** Rejects where another space, which shares the channel, has set its watch, and where permissions are missing. */
  const demandHere = async (asked: readonly ChannelWatch[]): Promise<void> => {
    for (const { channel } of asked) {
      const holder = stored.holder(channel);
      if (holder && keyOf(holder) !== keyOf(channel.space))
        throw userError('forbidden', 'watch.shared');
    }
    const lacking = new Set((await unlessAbsent(asked.map(missing))).flat());
    if (lacking.size > 0)
      throw new AppError('forbidden', 'permissions are missing in a channel to be watched', {
        sentence: { key: 'watch.missing', params: { permissions: { list: [...lacking] } } },
      });
  };

  /**
   * Rejects as `demandHere` does.
   *
   * @param space the one whose people read of it: what is lacking in others is told to these alone. Default: any
   */
  const demand = async (asked: readonly ChannelWatch[], space?: Space): Promise<void> => {
    const isHere = ({ channel }: ChannelWatch): boolean =>
      !space || keyOf(channel.space) === keyOf(space);
    await demandHere(asked.filter(isHere));
    for (const watch of asked.filter((each) => !isHere(each)))
      await demandHere([watch]).catch(async (thrown: unknown) => {
        const { key } = toAppError(thrown).sentence;
        if (!/^watch\.(?:not-there|deleted|missing|unchecked)$/.test(key)) throw thrown;
        const channel = await nameElsewhere(watch.channel, platforms);
        const isUnchecked = key === 'watch.unchecked';
        throw userError('forbidden', isUnchecked ? key : 'autotranslate.link-unreached', {
          channel,
        });
      });
  };

  const unfollow = async (
    channels: readonly Channel[],
    reason: 'not-watched' | 'channel-gone' = 'not-watched',
  ): Promise<void> => {
    for (const channel of channels) {
      backfill.forget(channel);
      await cursors.remove(channel);
      await gaps.remove(channel);
      if (reason === 'not-watched') await linkedThreads.remove(channel);
      for (const partition of await inbox.abandon(channel, reason)) scheduler.wake(partition);
    }
  };

  return {
    unfollow,
    /** The watch that moderators set for a channel, which its threads have where they are translated in place. */
    of: (channel: Channel): ChannelWatch | undefined => {
      const watch = stored.of(channel);
      return watch?.mode === 'mirror' && !stored.isOwn(channel) ? undefined : watch;
    },
    list: stored.list,
    missing,
    isLost,
    drawback,
    demand,
    /** @param claim see `WatchStore.set` */
    set: async (
      asked: readonly ChannelWatch[],
      claim?: Parameters<WatchStore['set']>[2],
    ): Promise<void> => {
      const sinceMs = now();
      await demand(asked);
      const placed = asked.map((watch) => ({
        ...watch,
        channel: platforms.find(watch.channel)?.feed.resolve(watch.channel) ?? watch.channel,
      }));
      await unfollow(await stored.set(placed, sinceMs, claim));
      // Messages written meanwhile are found in the history.
      for (const { channel } of placed) backfill.begin(channel);
    },
    /**
     * Changes watches as they are stored at this moment, without a look at permissions; resolves with those that `how`
     * gives.
     *
     * @param channel the only one that may be new
     */
    update: async (
      channel: Channel,
      how: (current: readonly ChannelWatch[]) => readonly ChannelWatch[],
    ): Promise<readonly ChannelWatch[]> => {
      let changed: readonly ChannelWatch[] = [];
      const isNew = !stored.isOwn(channel);
      const gone = await stored.update(channel, (current) => {
        changed = how(current);
        return changed;
      });
      await unfollow(gone);
      if (isNew && changed.length > 0) backfill.begin(channel);
      return changed;
    },
    /**
     * Ends watches at once; resolves with the channels of those that ended.
     *
     * @param group see `WatchStore.remove`
     */
    remove: async (channels: readonly Channel[], group?: string): Promise<readonly Channel[]> => {
      const own = channels.filter((channel) => stored.isOwn(channel));
      const gone = own.length > 0 ? await stored.remove(own, group) : [];
      await unfollow(gone);
      return own.filter((channel) => gone.some((each) => isSameChannel(each, channel)));
    },
    channelDeleted: async (channel: Channel): Promise<void> => {
      deleted.set(channelKey(channel), true);
      await threads.remove(channel);
      const removed = stored.isOwn(channel) ? await stored.remove([channel]) : [];
      await unfollow([channel], 'channel-gone');
      await unfollow(removed.filter((each) => !isSameChannel(each, channel)));
    },
  };
};
