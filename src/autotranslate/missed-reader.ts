import type { ModeratorNotices } from './moderators/notices.ts';
import type { Tell } from './tell.ts';
import { AppError, faultFields, toAppError } from '../errors.ts';
import type { Texts } from '../i18n/texts.ts';
import type { Log } from '../telemetry/log.ts';
import type { Message } from '../model/message.ts';
import type { Channel, MessageRef } from '../model/place.ts';
import { timestamp } from '../rich-text/rich-text.ts';
import type { HistoryGap, HistoryGaps } from '../store/channels/histories.ts';
import type { SpaceSettings } from '../store/settings.ts';
import { noticeLanguage } from './rules.ts';
import type { WatchStore } from '../store/channels/watches.ts';
import { backoffMs, type Backoff } from '../async/clock.ts';
import { createSemaphore, type Semaphore } from '../async/locks.ts';
import type { ChannelFeed } from '../ports/channel-feed.ts';
import type { CursorStore } from '../store/channels/cursors.ts';
import type { WatchedPlatforms } from './watched-platforms.ts';

export interface HistoryGapNoticeDeps {
  readonly gaps: Pick<HistoryGaps, 'put'>;
  readonly watches: Pick<WatchStore, 'of'>;
  readonly texts: Pick<Texts, 'rich'>;
  readonly spaces: Pick<SpaceSettings, 'of'>;
  readonly log: Log;
  readonly tell: Tell;
  readonly moderators: Pick<ModeratorNotices, 'told'>;
}

const at = (timeMs: number) => timestamp(Math.floor(timeMs / 1_000));

/**
 * Creates what records a time of a channel whose messages cannot be read, and says so in the channel:
 * people there know best what was written then.
 */
export const createHistoryGapNotice =
  ({ gaps, watches, texts, spaces, log, tell, moderators }: HistoryGapNoticeDeps) =>
  async (gap: HistoryGap): Promise<void> => {
    const { channel, fromMs, untilMs, reason } = gap;
    const where = { platform: channel.space.platform, channel: channel.id };
    log.warn({ ...where, fromMs, untilMs, reason }, 'missed messages of a channel were not read');
    if (!(await gaps.put(gap))) return;
    const t = texts.rich(noticeLanguage(watches.of(channel), await spaces.of(channel.space)));
    const times = { from: at(fromMs), until: at(untilMs) };
    const key = `autotranslate.gap-${reason}` as const;
    moderators.told(channel, { key, params: times }, 'gaps');
    await tell(channel, t(key, times));
  };

/**
 * Channels of one platform whose history is fetched at the same time; as many linked ones besides, as
 * all channels that are linked with them wait.
 */
const CHANNELS_AT_ONCE = 4;
/** Greatest age of missed messages that are still worth translating. */
const HORIZON_MS = 24 * 3_600_000;
/** Time before a gap whose messages are read again for unreported changes. */
const LOOK_BACK_MS = 3_600_000;
/** Age of a watch under which nothing can have been missed. */
const NEW_MS = 60_000;
const BACKOFF: Backoff = { firstMs: 1_000, longestMs: 60_000 };

export interface MissedDeps {
  readonly cursors: Pick<CursorStore, 'of' | 'recent' | 'advance'>;
  readonly platforms: Pick<WatchedPlatforms, 'find'>;
  /** The time at which the channel's watch was set, ms since 1970. */
  readonly sinceMs: (channel: Channel) => number;
  /** Takes a message; `isMissed`: false for one that may have been reported meanwhile. */
  readonly take: (message: Message, isMissed: boolean) => Promise<void>;
  readonly markDeleted: (refs: readonly MessageRef[]) => Promise<void>;
  /** Takes a time of a channel whose messages cannot be read. */
  readonly noteGap: (gap: HistoryGap) => Promise<void>;
  readonly log: Log;
  readonly now: () => number;
}

/** The range from the beginning of the first to the end of the last; empty where there is none. */
const rangeOf = (
  ranges: readonly { readonly after: string; readonly before: string }[],
): { readonly after?: string; readonly before?: string } => {
  const [after] = ranges.map((range) => range.after).toSorted();
  const before = ranges
    .map((range) => range.before)
    .toSorted()
    .at(-1);
  return after === undefined || before === undefined ? {} : { after, before };
};

/** One try of reading what was missed in a channel. */
export interface MissedReading {
  /** The channel's newest message as the platform knows it; undefined if it does not. */
  readonly newest?: string | undefined;
  /** Counts from 0. */
  readonly attempt: number;
  /** True for a channel whose hold others wait for. */
  readonly isLinked?: boolean;
  /** True while messages of the channel wait for it: it goes before other channels. */
  readonly isAwaited: () => boolean;
  /** Last position of what was missed; later messages are reported. */
  readonly until: string;
  /** True while these are left out. */
  readonly isUntilOnly: () => boolean;
  /** Called with the position of each message that is left out, in their order. */
  readonly leftOut: (position: string) => void;
  readonly signal: AbortSignal;
}

/** Creates what reads the messages of a channel that were not reported, or changed meanwhile. */
export const createMissedReader = (deps: MissedDeps) => {
  const { cursors, platforms, sinceMs, take, markDeleted, noteGap, log, now } = deps;
  const slots = new Map<string, Semaphore>();
  /** Slots of a platform: one that gives its histories slowly would else keep the others from theirs. */
  const slotsOf = (platform: string, isLinked: boolean): Semaphore => {
    const key = `${platform} ${isLinked}`;
    const known = slots.get(key) ?? createSemaphore(CHANNELS_AT_ONCE);
    slots.set(key, known);
    return known;
  };

  const fetch = async (
    channel: Channel,
    feed: ChannelFeed,
    { newest, until, isUntilOnly, leftOut, signal }: MissedReading,
  ): Promise<void> => {
    // Messages of the very millisecond of the watch come after the millisecond before it.
    const before = (position: string, ms: number): string =>
      feed.positionAt(feed.timeOf(position) - ms);
    const followed = await cursors.of(channel);
    const start = followed ?? feed.positionAt(sinceMs(channel) - 1);
    const horizon = feed.positionAt(now() - HORIZON_MS);
    const lookBack = before(start, LOOK_BACK_MS);
    const recent = await cursors.recent(channel, lookBack < horizon ? horizon : lookBack);
    const [oldest] = recent;
    const since = start < horizon ? horizon : start;
    if (newest !== undefined && newest <= since && !oldest) return;
    const first = oldest ? before(oldest.position, 1) : start;
    const after = [first, start].toSorted()[0] ?? start;
    const there = new Set<string>();
    const unread: { readonly after: string; readonly before: string }[] = [];
    const isUnread = (position: string): boolean =>
      unread.some(({ after: from, before: to }) => position >= from && position <= to);
    const history = feed.history(channel, after < horizon ? horizon : after, signal, {
      missedAfter: since,
      unread: (from, to) => void unread.push({ after: from, before: to }),
    });
    /** Records what is missing before the cursor moves on. */
    const noteUnread = async (): Promise<void> => {
      const { after: from = '', before: to = '' } = rangeOf(unread);
      if (to <= since) return;
      const fromMs = feed.timeOf(from > since ? from : since);
      await noteGap({ channel, fromMs, untilMs: feed.timeOf(to), reason: 'limited' });
    };
    let last = '';
    for await (const message of history) {
      if (there.size === 0) await noteUnread();
      const { ref, position } = message;
      there.add(ref.id);
      const isMissed = position <= until;
      if (!isMissed && isUntilOnly()) {
        leftOut(position);
        continue;
      }
      await take(message, isMissed);
      if (position > last) last = position;
    }
    if (there.size === 0) await noteUnread();
    // Earlier ones may have come after later ones.
    if (last !== '') cursors.advance(channel, last);
    const gone = recent.filter(({ ref, position }) => !there.has(ref.id) && !isUnread(position));
    await markDeleted(gone.map(({ ref }) => ref));
  };

  /** Records that nothing may be read since the last known message. */
  const noteForbidden = async (channel: Channel, feed: ChannelFeed): Promise<void> => {
    const cursor = await cursors.of(channel);
    const fromMs = cursor === undefined ? sinceMs(channel) : feed.timeOf(cursor);
    const untilMs = now();
    const isNew = cursor === undefined && untilMs - fromMs < NEW_MS;
    if (!isNew && untilMs > fromMs)
      await noteGap({ channel, fromMs, untilMs, reason: 'forbidden' });
  };

  /**
   * Resolves with the wait before another try, in ms; with undefined when there is none to come.
   * Rejects with the signal's reason.
   */
  return async (channel: Channel, reading: MissedReading): Promise<number | undefined> => {
    const { attempt, isLinked = false, isAwaited, signal } = reading;
    const feed = platforms.find(channel)?.feed;
    if (!feed) return undefined;
    signal.throwIfAborted();
    const read = (): Promise<void> => fetch(channel, feed, reading);
    try {
      // A slow one mostly waits, and would keep others from their history.
      if (feed.isHistorySlow?.(channel)) await read();
      else await slotsOf(channel.space.platform, isLinked).use(read, signal, isAwaited);
      return undefined;
    } catch (thrown) {
      const { code, retryable, retryAfterMs } = toAppError(thrown);
      signal.throwIfAborted();
      log.warn(faultFields(thrown, channel), 'the history of a channel could not be read');
      // After a permanent refusal only reported messages are known. Unknown faults may pass.
      if (thrown instanceof AppError && !retryable && code !== 'internal') {
        await noteForbidden(channel, feed);
        return undefined;
      }
      return backoffMs(BACKOFF, attempt, retryAfterMs);
    }
  };
};
