import { backoffMs, type Backoff } from '../async/backoff.ts';
import { realClock, sleep } from '../async/clock.ts';
import { AppError, toAppError } from '../errors.ts';
import type { Log } from '../log.ts';
import { channelKey, keyOf, type Channel, type MessageRef, type Space } from '../model/place.ts';
import type { Message } from '../model/message.ts';
import type { CursorStore } from '../store/cursors.ts';
import { createSemaphore } from '../async/semaphore.ts';
import type { ChannelFeed } from '../ports/channel-feed.ts';
import type { WatchedPlatforms } from './watched-platforms.ts';

/** Channels whose history is fetched at the same time. */
const CHANNELS_AT_ONCE = 4;
/** Greatest age of missed messages that are still worth translating. */
const HORIZON_MS = 24 * 3_600_000;
/** Time before a gap whose messages are read again for unreported changes. */
const LOOK_BACK_MS = 3_600_000;
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
  /** Aborted when the channel is followed no longer, or the program ends. */
  readonly ended: AbortController;
  tail: Promise<void>;
  /** Number of waiting messages. */
  held: number;
  /** A queued fetch that has not begun; later gaps join it. */
  coming: { newest: string | undefined } | undefined;
  /** Fetches that are queued or running. */
  looks: number;
  isWhole: boolean;
}

export const createBackfill = ({
  cursors,
  platforms,
  sinceMs,
  take,
  markDeleted,
  hold,
  log,
  now,
}: BackfillDeps) => {
  const stopping = new AbortController();
  const follows = new Map<string, Follow>();
  const slots = createSemaphore(CHANNELS_AT_ONCE);

  const tails = (): Promise<void>[] => [...follows.values()].map(({ tail }) => tail);

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
    const follow: Follow = {
      space: channel.space,
      ended: new AbortController(),
      tail: Promise.resolve(),
      held: 0,
      looks: 0,
      coming: undefined,
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
    const history = feed.history(channel, after < horizon ? horizon : after, signal);
    for await (const message of history) {
      there.add(message.ref.id);
      await take(message);
    }
    await markDeleted(recent.filter(({ ref }) => !there.has(ref.id)).map(({ ref }) => ref));
  };

  /** @param held disposed of once the history was read, or could not be: that may last */
  const look = async (
    channel: Channel,
    newest: string | undefined,
    held: Disposable,
    signal: AbortSignal,
  ): Promise<void> => {
    const feed = platforms.find(channel)?.feed;
    if (!feed) return;
    for (let attempt = 0; ; attempt += 1) {
      signal.throwIfAborted();
      try {
        await slots.use(() => fetch(channel, feed, newest, signal));
        return;
      } catch (thrown) {
        const { code, message: reason, retryable, retryAfterMs } = toAppError(thrown);
        signal.throwIfAborted();
        const fields = { platform: channel.space.platform, channel: channel.id, code, reason };
        log.warn(fields, 'the history of a channel could not be read');
        held[Symbol.dispose]();
        // After a permanent refusal only reported messages are known. Unknown faults may pass.
        if (thrown instanceof AppError && !retryable && code !== 'internal') return;
        await sleep(realClock, backoffMs(BACKOFF, attempt, retryAfterMs), signal);
      }
    }
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
    const signal = AbortSignal.any([stopping.signal, follow.ended.signal]);
    const run = async (waited: Promise<void>): Promise<void> => {
      using _ = held;
      try {
        await waited;
        if (follow.coming === coming) follow.coming = undefined;
        await look(channel, coming.newest, held, signal);
        follow.isWhole = true;
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
