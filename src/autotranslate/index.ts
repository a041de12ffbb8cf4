import { realClock, DAY_MS } from '../async/clock.ts';
import type { SlotOwner } from '../cluster/slot-owner.ts';
import type { Texts } from '../i18n/texts.ts';
import type { Person } from '../model/place.ts';
import type { Message } from '../model/message.ts';
import type { Metrics } from '../ops/metrics.ts';
import type { ChannelFeedListener } from '../ports/channel-feed.ts';
import type { Leases } from '../ports/processes.ts';
import { createOwedHistories } from '../store/channels/histories.ts';
import { openRowsOf } from '../store/inbox/index.ts';
import type { Store } from '../store/index.ts';
import { createBackfill } from './backfill.ts';
import { createBacklog } from './backlog.ts';
import { createCatchUpHolds, createLinkedHolds } from './catch-up-holds.ts';
import { createFeedListener } from './feed-listener.ts';
import { createHistoryGapNotice } from './history-gap-notice.ts';
import { createInboxWork } from './inbox-work.ts';
import { createIngest } from './ingest.ts';
import { createInboxWriter } from './inbox-writer.ts';
import { createLeave } from './leave.ts';
import { createLinks } from './links.ts';
import { declareMessageMetrics } from './metrics.ts';
import { createTranslationContext } from './prepare/context.ts';
import { openStores } from './stores.ts';
import { startRowWork, type RowWorkDeps } from './row-work.ts';
import { startRetention } from './retention.ts';
import { createScheduler } from './scheduler.ts';
import { authorsOf, createWatchedPlatforms } from './watched-platforms.ts';
import { createWatches } from './watches.ts';

export interface AutoTranslateDeps {
  readonly store: Store;
  readonly leases: Leases;
  /** The slots of the partitions that this process works on. */
  readonly slots: SlotOwner;
  readonly services: RowWorkDeps['services'];
  readonly texts: Pick<Texts, 'rich'>;
  readonly telemetry: RowWorkDeps['telemetry'] & { readonly metrics: Metrics };
  /** Days for which outcomes of messages are stored, and the places of their mirrors. */
  readonly days: { readonly inbox: number; readonly mirrors: number };
  /** Names of the platforms that people can use now. Default: those that have reported messages. */
  readonly readyPlatforms?: () => readonly string[];
  /** Wall time, ms since 1970; monotonic time; random numbers from 0 to 1. Default: the real ones. */
  readonly times?: RowWorkDeps['times'];
}

export type AutoTranslate = Awaited<ReturnType<typeof openAutoTranslate>>;

/**
 * Opens automatic translation in the watched channels of all platforms, from the messages that
 * people write to their mirrors.
 */
export const openAutoTranslate = async ({
  store,
  leases,
  slots,
  services,
  texts,
  telemetry,
  days,
  readyPlatforms = () => [],
  times = { now: Date.now, nowMs: realClock.nowMs, random: Math.random },
}: AutoTranslateDeps) => {
  const { log, metrics, tracing } = telemetry;
  const { now } = times;
  const { privacy, spaces } = services;
  const platforms = createWatchedPlatforms();
  const { post } = platforms;
  const stores = await openStores(store, times.now, log);
  const { inbox, stored, cursors, gaps, invites, watches: watchStore } = stores;
  const context = createTranslationContext();
  const measured = declareMessageMetrics({ metrics, store, now });
  const scheduler = createScheduler({ slots, log, now });
  const holds = createCatchUpHolds({
    leases,
    owed: createOwedHistories(store, now),
    scheduler,
    now,
  });
  const { preparing, outages } = startRowWork({
    stores,
    services,
    texts,
    telemetry,
    times,
    platforms,
    context,
    measured,
    scheduler,
    isOnHold: holds.isOnHold,
  });

  const inboxWriter = createInboxWriter({
    inbox,
    scheduler,
    slots,
    watches: watchStore,
    context,
    platforms,
    measured,
    tracing,
    now,
  });
  const ingest = createIngest({
    inboxWriter,
    inbox,
    stored,
    cursors,
    watches: watchStore,
    spaces,
    privacy,
    platforms,
    // One day less than rows are stored, so that no row is cleared between the check and its use.
    rowsSinceMs: () => now() - (days.inbox - 1) * DAY_MS,
  });
  const backfill = createBackfill({
    cursors,
    platforms,
    noteGap: createHistoryGapNotice({ gaps, watches: watchStore, texts, log, post }),
    sinceMs: (channel) => {
      const watch = watchStore.of(channel);
      return watch ? watchStore.sinceMs(watch) : now();
    },
    // A fetch begins after the last message that was accepted.
    take: (message) => ingest.take(message, true),
    markDeleted: inboxWriter.markDeleted,
    // In linked channels, what was missed in one may come before what is known of another.
    ...createLinkedHolds(holds, watchStore),
    log,
    now,
  });
  const listener = createFeedListener({
    ingest,
    markDeleted: inboxWriter.markDeleted,
    backfill,
    watches: watchStore,
    inbox,
    platforms,
  });
  const { unfollow, ...watches } = createWatches({
    stored: watchStore,
    inbox,
    cursors,
    threads: stores.threads,
    gaps,
    backfill,
    scheduler,
    now,
    platforms,
  });
  const { tellOfEnd, ...links } = createLinks({
    stored: watchStore,
    watches,
    invites,
    texts,
    log,
    post,
  });
  const backlog = createBacklog({
    store,
    watches: watchStore,
    gaps,
    outages,
    scheduler,
    platforms,
    now,
  });
  const inboxWork = createInboxWork({ slots, inbox, scheduler, readyPlatforms, log });

  let retention: AsyncDisposable | undefined;
  /** Drops the words in memory, which only help to translate others. */
  const forgetAll = (): void => {
    context.forgetAll();
    preparing.forgetAll();
  };
  // What is known in memory of a space that some process has left.
  store.signals.subscribe('space-left', (space) => {
    if (!space) return forgetAll();
    for (const part of [backfill, cursors, context, preparing]) part.forgetSpace(space);
  });

  return {
    listener: {
      ...listener,
      channelDeleted: watches.channelDeleted,
      accessChanged: backlog.accessChanged,
      messagesMissed: (channels) => {
        listener.messagesMissed(channels);
        const [first] = channels;
        if (first) inboxWork.resume(first.channel.space.platform);
      },
      connected: inboxWork.resume,
    } satisfies Omit<ChannelFeedListener, 'spaceJoined' | 'spaceLeft'>,
    /** Ends auto-translate in a space; `remove` deletes what is stored of it. */
    leave: createLeave({
      stored: watchStore,
      inbox,
      memories: [backfill, cursors, context, preparing],
      scheduler,
      tellOfEnd,
      unfollow,
    }),
    /**
     * Serves the watched channels of a platform that has such; the platform then reports missed
     * messages.
     */
    attach: platforms.add,
    watches: { ...watches, ...links },
    inbox: backlog.inbox,
    /** Drops the words in memory: it is not known who opted out or is to be forgotten. */
    forgetAll,
    /** Drops data in memory of a person who opted out or is to be forgotten. */
    forget: async (person: Person): Promise<void> => {
      context.forget(person);
      preparing.forget(person.id);
      // Messages prepared again respect the person's new choice.
      for (const { ref, partition } of await openRowsOf(store, person)) {
        scheduler.interrupt(ref);
        scheduler.wake(partition);
      }
      await store.checkpoint();
    },
    /** See `authorsOf`. */
    authorsOf: (message: Message) => authorsOf(message, stored, platforms),
    /** Begins to clear what was stored for long enough. */
    startRetention: (): void => {
      retention ??= startRetention({ store, leases, cursors, invites, platforms, log, now, days });
    },
    /** Resolves when no due work is left. */
    idle: async (): Promise<void> => {
      await inboxWork.looked();
      await backfill.idle();
      await scheduler.idle();
      await store.written();
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      inboxWork[Symbol.dispose]();
      await backfill[Symbol.asyncDispose]();
      await scheduler[Symbol.asyncDispose]();
      await cursors[Symbol.asyncDispose]();
      await retention?.[Symbol.asyncDispose]();
      await store.written();
    },
  };
};
