import { backoffMs, type Backoff } from '../async/backoff.ts';
import { realClock, sleep } from '../async/clock.ts';
import { AppError, toAppError } from '../errors.ts';
import type { Log } from '../log.ts';
import { channelKey, keyOf, type Channel, type MessageRef, type Space } from '../model/place.ts';
import type { Message } from '../model/message.ts';
import type { CursorStore } from '../store/cursors.ts';
import { createSemaphore } from '../async/semaphore.ts';
import type { ChannelFeed } from '../ports/channel-feed.ts';
import type { HistoryGap } from '../store/history-gaps.ts';
import type { WatchedPlatforms } from './watched-platforms.ts';

/** Channels whose history is fetched at the same time. */
const CHANNELS_AT_ONCE = 4;
/** Greatest age of missed messages that are still worth translating. */
const HORIZON_MS = 24 * 3_600_000;
/** Time before a gap whose messages are read again for unreported changes. */
const LOOK_BACK_MS = 3_600_000;
/** Longest wait before another try of a history for which messages wait too. */
const PATIENCE_MS = 1_000;
/** Age of a watch under which nothing can have been missed. */
const NEW_MS = 60_000;
const BACKOFF: Backoff = { firstMs: 1_000, longestMs: 60_000 };
/**
 * Messages of a channel that wait while its history is fetched; more are fetched with the history
 * instead.
 */
const MOST_HELD = 1_000;
/**
 * Channels and threads known to have no gap that are remembered; for others the history is fetched
 * again.
 */
const MOST_FOLLOWED = 10_000;

export interface BackfillDeps {
  readonly cursors: Pick<CursorStore, 'of' | 'recent'>;
  readonly platforms: Pick<WatchedPlatforms, 'find'>;
  /** The time at which the channel's watch was set, ms since 1970. */
  readonly sinceMs: (channel: Channel) => number;
  readonly take: (message: Message) => Promise<void>;
  readonly markDeleted: (refs: readonly MessageRef[]) => Promise<void>;
  /** Takes a time of a channel whose messages cannot be read. */
  readonly noteGap: (gap: HistoryGap) => Promise<void>;
  /** Holds the work on a channel's messages until the result is disposed of. */
  readonly hold: (channel: Channel) => Disposable;
  readonly log: Log;
  readonly now: () => number;
}

/**
 * Handles one reported message.
 *
 * @param isWhole true when everything before this report is in the inbox
 */
type Report = (isWhole: boolean) => Promise<void>;

export type Backfill = ReturnType<typeof createBackfill>;

/** Work on one channel, one step after the other. */
interface Follow {
  readonly space: Space;
  readonly ended: AbortController;
  /** Aborted when the channel is followed no longer, or the program ends. */
  readonly signal: AbortSignal;
  tail: Promise<void>;
  /** Number of waiting messages. */
  held: number;
  /** A queued fetch that has not begun; later gaps join it. */
  coming: { newest: string | undefined } | undefined;
  /** Fetches that are queued or running. */
  looks: number;
  /** Fetches that take long, one after the other: messages do not wait for them. */
  slow: Promise<void>;
  /** True while one of these is queued; later gaps join it. */
  isSlowComing: boolean;
  isWhole: boolean;
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

export const createBackfill = ({
  cursors,
  platforms,
  sinceMs,
  take,
  markDeleted,
  noteGap,
  hold,
  log,
  now,
}: BackfillDeps) => {
  const stopping = new AbortController();
  const follows = new Map<string, Follow>();
  const slots = createSemaphore(CHANNELS_AT_ONCE);

  const tails = (): Promise<void>[] =>
    [...follows.values()].flatMap(({ tail, slow }) => [tail, slow]);

  const forgetOneAtRest = (): void => {
    for (const [key, { held, looks, isWhole }] of follows)
      if (held === 0 && looks === 0 && isWhole) {
        follows.delete(key);
        return;
      }
  };

  const end = (key: string): void => {
    follows.get(key)?.ended.abort();
    follows.delete(key);
  };

  const followOf = (channel: Channel): Follow => {
    const key = channelKey(channel);
    const known = follows.get(key);
    if (known) return known;
    const ended = new AbortController();
    const follow: Follow = {
      space: channel.space,
      ended,
      signal: AbortSignal.any([stopping.signal, ended.signal]),
      tail: Promise.resolve(),
      held: 0,
      looks: 0,
      coming: undefined,
      slow: Promise.resolve(),
      isSlowComing: false,
      isWhole: false,
    };
    follows.set(key, follow);
    if (follows.size > MOST_FOLLOWED) forgetOneAtRest();
    return follow;
  };

  const fetch = async (
    channel: Channel,
    feed: ChannelFeed,
    newest: string | undefined,
    signal: AbortSignal,
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
    for await (const message of history) {
      if (there.size === 0) await noteUnread();
      there.add(message.ref.id);
      await take(message);
    }
    if (there.size === 0) await noteUnread();
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
   * Fetches once.
   *
   * @param attempt counts from 0
   * @returns the wait before another try; undefined when there is none to come
   */
  const look = async (
    channel: Channel,
    newest: string | undefined,
    attempt: number,
    signal: AbortSignal,
  ): Promise<number | undefined> => {
    const feed = platforms.find(channel)?.feed;
    if (!feed) return undefined;
    signal.throwIfAborted();
    try {
      // A slow one mostly waits, and would keep others from their history.
      if (feed.isHistorySlow?.(channel)) await fetch(channel, feed, newest, signal);
      else await slots.use(() => fetch(channel, feed, newest, signal));
      return undefined;
    } catch (thrown) {
      const { code, message: reason, retryable, retryAfterMs } = toAppError(thrown);
      signal.throwIfAborted();
      const fields = { platform: channel.space.platform, channel: channel.id, code, reason };
      log.warn(fields, 'the history of a channel could not be read');
      // After a permanent refusal only reported messages are known. Unknown faults may pass.
      if (thrown instanceof AppError && !retryable && code !== 'internal') {
        await noteForbidden(channel, feed);
        return undefined;
      }
      return backoffMs(BACKOFF, attempt, retryAfterMs);
    }
  };

  /** Goes on fetching while messages are handled as they come. */
  const lookOn = (follow: Follow, channel: Channel, firstWaitMs: number): void => {
    follow.isWhole = false;
    if (follow.isSlowComing) return;
    follow.isSlowComing = true;
    follow.looks += 1;
    const run = async (waited: Promise<void>): Promise<void> => {
      try {
        await waited;
        await sleep(realClock, firstWaitMs, follow.signal);
        follow.isSlowComing = false;
        for (let attempt = 1; ; attempt += 1) {
          const waitMs = await look(channel, undefined, attempt, follow.signal);
          if (waitMs === undefined) break;
          await sleep(realClock, waitMs, follow.signal);
        }
        follow.isWhole = !follow.isSlowComing;
      } finally {
        follow.looks -= 1;
      }
    };
    follow.slow = run(follow.slow).catch(() => undefined);
  };

  /**
   * Fetches a channel's unreported messages.
   *
   * @param newest the channel's newest message as the platform knows it; undefined if it does not
   */
  const missed = (channel: Channel, newest: string | undefined): void => {
    const follow = followOf(channel);
    if (follow.coming) {
      const known = follow.coming.newest;
      const isNewer = known !== undefined && (newest === undefined || newest > known);
      if (isNewer) follow.coming.newest = newest;
      return;
    }
    const coming = { newest };
    follow.coming = coming;
    follow.looks += 1;
    const held = hold(channel);
    const run = async (waited: Promise<void>): Promise<void> => {
      using _ = held;
      try {
        await waited;
        if (follow.coming === coming) follow.coming = undefined;
        const isSlow = (): boolean =>
          platforms.find(channel)?.feed.isHistorySlow?.(channel) ?? false;
        let waitMs = isSlow() ? 0 : await look(channel, coming.newest, 0, follow.signal);
        // A fault that passes soon does not cost the channel its order; channels linked with it go on.
        if (waitMs !== undefined && waitMs <= PATIENCE_MS && !isSlow()) {
          held[Symbol.dispose]();
          await sleep(realClock, waitMs, follow.signal);
          waitMs = await look(channel, coming.newest, 1, follow.signal);
        }
        if (waitMs === undefined) follow.isWhole = !follow.isSlowComing;
        else lookOn(follow, channel, waitMs);
      } finally {
        follow.looks -= 1;
      }
    };
    follow.tail = run(follow.tail).catch(() => undefined);
  };

  const report = async (channel: Channel, run: Report, isLeftOut: boolean): Promise<void> => {
    if (!follows.has(channelKey(channel))) missed(channel, undefined);
    const follow = followOf(channel);
    if (isLeftOut && follow.held >= MOST_HELD) {
      missed(channel, undefined);
      return;
    }
    follow.held += 1;
    // A fetch queued before this report would not see gaps after it.
    follow.coming = undefined;
    const work = async (waited: Promise<void>): Promise<void> => {
      await waited;
      try {
        await run(follow.isWhole);
      } catch (thrown) {
        follow.isWhole = false;
        missed(channel, undefined);
        throw thrown;
      } finally {
        follow.held -= 1;
      }
    };
    const turn = work(follow.tail);
    follow.tail = turn.catch(() => undefined);
    await turn;
  };

  return {
    missed,
    /**
     * Runs the report of a message in its channel's order: at once where nothing was missed, after
     * the history otherwise. The first report of a channel since the start counts as a gap before it;
     * a report that fails makes a gap.
     */
    report: (channel: Channel, run: Report): Promise<void> => report(channel, run, true),
    /** Runs a report that the history cannot replace: it is never left out, however many wait. */
    reportAlways: (channel: Channel, run: Report): Promise<void> => report(channel, run, false),
    /** Stops following a channel; a fetch of its history that is under way ends. */
    forget: (channel: Channel): void => end(channelKey(channel)),
    /** Stops following the channels of a space. */
    forgetSpace: (space: Space): void => {
      for (const [key, follow] of follows) if (keyOf(follow.space) === keyOf(space)) end(key);
    },
    idle: async (): Promise<void> => {
      let seen: Promise<void>[] | undefined;
      while (!tails().every((tail, index) => tail === seen?.[index])) {
        seen = tails();
        await Promise.all(seen);
      }
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      stopping.abort();
      await Promise.allSettled(tails());
    },
  };
};
