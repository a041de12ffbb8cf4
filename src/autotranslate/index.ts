import { realClock } from '../async/clock.ts';
import { DAY_MS } from '../async/time.ts';
import { createBackfill } from './backfill.ts';
import {
  openRowsOf,
  createInboxStore,
  backlogOf,
  reviveDead,
  type Inbox,
  type Outage,
} from '../store/inbox/index.ts';
import { groupPartition, isGroup } from '../store/inbox/row.ts';
import { createDeletedMessages } from './deleted-messages.ts';
import { createHistoryGapNotice } from './history-gap-notice.ts';
import { createCatchUpHolds } from './catch-up-holds.ts';
import { createInboxWork } from './inbox-work.ts';
import { createIngest } from './ingest.ts';
import { createLeave } from './leave.ts';
import { createLinks } from './links.ts';
import { createOutages, type OutagesDeps } from './outage.ts';
import { createReconcile } from './mirror/reconcile.ts';
import { createPartitionWorker } from './partition-worker.ts';
import { createPrepare, type PrepareDeps } from './prepare/prepare.ts';
import { createTranslationContext } from './prepare/context.ts';
import { declareMessageMetrics } from './metrics.ts';
import { traceWork } from './traced-work.ts';
import { startRetention } from './retention.ts';
import { createScheduler } from './scheduler.ts';
import { createWatchedPlatforms } from './watched-platforms.ts';
import { createWatches } from './watches.ts';
import type { Metrics } from '../ops/metrics.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { userError } from '../errors.ts';
import type { Texts } from '../i18n/texts.ts';
import type { Log } from '../telemetry/log.ts';
import type { Person } from '../model/member.ts';
import type { Message } from '../model/message.ts';
import { isSameChannel, keyOf, type Channel, type Space } from '../model/place.ts';
import type { ChannelFeedListener } from '../ports/channel-feed.ts';
import type { Leases } from '../ports/leases.ts';
import type { SlotOwner } from '../cluster/slot-owner.ts';
import { createCursorStore } from '../store/channels/cursors.ts';
import type { Store } from '../store/index.ts';
import { createHistoryGaps } from '../store/channels/history-gaps.ts';
import { createLinkInvites } from '../store/channels/link-invites.ts';
import { createMirrorStore } from '../store/channels/mirrors.ts';
import { createOwedHistories } from '../store/channels/owed-histories.ts';
import { createStandingThreads } from '../store/channels/standing-threads.ts';
import { openWatchStore } from '../store/channels/watches.ts';

/** Greatest age of forbidden mirrors that are still posted when the bot may do so. */
const REVIVED_MS = DAY_MS;

export interface AutoTranslateDeps {
  readonly store: Store;
  readonly leases: Leases;
  /** The slots of the partitions that this process works on. */
  readonly slots: SlotOwner;
  readonly serviceKeyOf: OutagesDeps['serviceKeyOf'];
  readonly log: Log;
  /** Texts for replies to people who pressed a flag. */
  readonly texts: Pick<Texts, 'rich'>;
  readonly services: PrepareDeps['services'];
  readonly inboxDays: number;
  readonly mirrorDays: number;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  /** Names of the platforms that people can use now. Default: those that have reported messages. */
  readonly readyPlatforms?: () => readonly string[];
  readonly now?: () => number;
  /** Monotonic time. Default: the real one. */
  readonly nowMs?: () => number;
  readonly random?: () => number;
}

export type AutoTranslate = Awaited<ReturnType<typeof openAutoTranslate>>;

/**
 * Opens automatic translation in the watched channels of all platforms, from the messages that
 * people write to their mirrors.
 */
export const openAutoTranslate = async (options: AutoTranslateDeps) => {
  const deps = {
    now: Date.now,
    nowMs: realClock.nowMs,
    random: Math.random,
    readyPlatforms: () => [],
    ...options,
  };
  const { store, leases, slots, log, inboxDays, now } = deps;
  const platforms = createWatchedPlatforms();
  const inbox = createInboxStore({ store, now });
  const stored = createMirrorStore(store, now);
  const cursors = createCursorStore(store, (err) => {
    log.warn({ err }, 'cursors could not be stored');
  });
  const threads = createStandingThreads(store);
  const watchStore = await openWatchStore(store, now);
  const context = createTranslationContext();
  const measured = declareMessageMetrics(deps);
  const kept = {
    measured,
    platforms,
    inbox,
    stored,
    cursors,
    context,
    threads,
    watches: watchStore,
  };
  const shared = { ...deps, ...deps.services, ...kept };

  const outages = createOutages({
    serviceKeyOf: deps.serviceKeyOf,
    translator: deps.services.translator,
    log,
    nowMs: deps.nowMs,
  });
  const preparing = createPrepare({ ...shared, outages });
  const reconcile = createReconcile({
    ...shared,
    isWanted: preparing.isWanted,
    wakeAt: (partition, atMs) => scheduler.wakeAt(partition, { atMs, isStored: true }),
  });
  const work = createPartitionWorker({
    ...shared,
    ...traceWork(deps.tracing, { prepare: preparing.prepare, reconcile }),
    isOnHold: async (partition) =>
      scheduler.isOnHold(partition) || (isGroup(partition) && holds.isOnHold(partition)),
  });
  const scheduler = createScheduler({ ...shared, work });
  const holds = createCatchUpHolds({
    leases,
    owed: createOwedHistories(store, now),
    scheduler,
    now,
  });
  const gaps = createHistoryGaps(store);
  const backfill = createBackfill({
    ...shared,
    noteGap: createHistoryGapNotice({ ...shared, gaps, watches: watchStore, post: platforms.post }),
    sinceMs: (channel) => {
      const watch = watchStore.of(channel);
      return watch ? watchStore.sinceMs(watch) : now();
    },
    // A fetch begins after the last message that was accepted.
    take: (message) => ingest.take(message, true),
    markDeleted: (refs) => ingest.markDeleted(refs),
    // In linked channels, what was missed in one may come before what is known of another.
    hold: (channel) => {
      const group = watchStore.of(channel)?.group;
      return group === undefined ? undefined : holds.hold(groupPartition(group), channel);
    },
    heeded: async (channel) => {
      const group = watchStore.of(channel)?.group;
      if (group !== undefined) await holds.heeded(groupPartition(group));
    },
  });
  const { unfollow, ...watches } = createWatches({
    ...shared,
    kept: watchStore,
    gaps,
    backfill,
    scheduler,
  });
  const invites = createLinkInvites(store, now);
  const { tellOfEnd, ...links } = createLinks({
    kept: watchStore,
    watches,
    invites,
    texts: deps.texts,
    log,
    post: platforms.post,
  });
  const leave = createLeave({
    ...shared,
    kept: watchStore,
    backfill,
    scheduler,
    preparing,
    tellOfEnd,
    unfollow,
  });
  const ingest = createIngest({
    ...shared,
    dropDeleted: createDeletedMessages({ ...shared, scheduler }),
    scheduler,
    backfill,
    channelDeleted: watches.channelDeleted,
    // One day less than rows are kept, so that no row is cleared between the check and its use.
    keptMs: (inboxDays - 1) * DAY_MS,
  });

  const inboxWork = createInboxWork({
    slots,
    inbox,
    scheduler,
    readyPlatforms: deps.readyPlatforms,
    log,
  });

  const revive = async (space: Space, only?: Parameters<typeof reviveDead>[2]): Promise<number> => {
    const revived = await reviveDead(store, space, only);
    for (const partition of revived) scheduler.wake(partition);
    return revived.length;
  };

  /** Retries what was forbidden in a space, and mirrors in it of messages from linked channels. */
  const accessChanged = async (space: Space): Promise<void> => {
    const linked = watchStore.list(space).flatMap(watchStore.group);
    const spaces = [space, ...linked.map(({ channel }) => channel.space)];
    const byKey = new Map(spaces.map((one) => [`${one.platform} ${one.id}`, one]));
    for (const each of byKey.values()) {
      const from = platforms.find({ space: each })?.feed.positionAt(now() - REVIVED_MS);
      if (from !== undefined) await revive(each, { reason: 'forbidden', from });
    }
  };

  /** The outage that messages of a space's watched channels wait for. */
  const outageIn = (space: Space): Promise<Outage | undefined> => {
    const watched = watchStore.list(space);
    const linked = watched.flatMap(watchStore.group);
    const wanted = [...watched, ...linked].flatMap(({ languages }) => languages);
    return outages.among(wanted, space);
  };

  /** Finds what the places of a channel's mirrors lack, as far as they are in its space. */
  const lacksOf = async (source: Channel) => {
    const watch = watchStore.of(source);
    const targets =
      watch?.group === undefined
        ? [source]
        : watchStore
            .group(watch)
            .map(({ channel }) => channel)
            .filter((channel) => !isSameChannel(channel, source));
    const lacks = targets
      .filter(({ space }) => keyOf(space) === keyOf(source.space))
      .map(async (channel) => {
        const missing = platforms
          .find(channel)
          ?.feed.missing(channel, watch?.mode ?? 'reply', watch?.below);
        return { channel, permissions: (await missing?.catch(() => [])) ?? [] };
      });
    return (await Promise.all(lacks)).filter(({ permissions }) => permissions.length > 0);
  };

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
      ...ingest.listener,
      accessChanged,
      messagesMissed: (channels) => {
        ingest.listener.messagesMissed(channels);
        const [first] = channels;
        if (first) inboxWork.resume(first.channel.space.platform);
      },
      connected: inboxWork.resume,
    } satisfies Omit<ChannelFeedListener, 'spaceJoined' | 'spaceLeft'>,
    /** Ends auto-translate in a space; `remove` deletes what is stored of it. */
    leave,
    /**
     * Serves the watched channels of a platform that has such; the platform then reports missed
     * messages.
     */
    attach: platforms.add,
    watches: { ...watches, ...links },
    inbox: {
      backlog: async (space) => {
        const timeOf = (at: string) => platforms.find({ space })?.feed.timeOf(at);
        const { newestDead, ...backlog } = await backlogOf(store, space, timeOf, now());
        const explained = newestDead.map(async (dead) =>
          dead.code === 'forbidden' ? { ...dead, lacks: await lacksOf(dead.ref.channel) } : dead,
        );
        return {
          ...backlog,
          gaps: await gaps.of(space),
          newestDead: await Promise.all(explained),
          outage: await outageIn(space),
        };
      },
      revive: (space) => revive(space),
    } satisfies Inbox,
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
    /**
     * Ids of the people whose words a message holds: its author, or for a mirror the authors of all
     * its sources. Rejects with `not-found` where one of these is deleted.
     */
    authorsOf: async ({ ref, author }: Message): Promise<readonly string[]> => {
      const isOurs = author.kind === 'ourselves' && platforms.find(ref.channel) !== undefined;
      const sources = isOurs ? await stored.sourcesOf(ref) : [];
      if (sources.length === 0) return [author.id];
      return Promise.all(
        sources.map(async (source) => {
          const written = await platforms.of(source.ref.channel).feed.read(source.ref);
          if (!written) throw userError('not-found', 'errors.not-found');
          return written.author.id;
        }),
      );
    },
    /** Begins to clear what was kept for long enough. */
    startRetention: (): void => {
      retention ??= startRetention({ ...shared, invites });
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
