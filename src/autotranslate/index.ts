import { DAY_MS, realClock } from '../async/clock.ts';
import type { SlotOwner } from '../cluster/slot-owner.ts';
import type { Texts } from '../i18n/texts.ts';
import type { Space } from '../model/place.ts';
import type { Metrics } from '../ops/metrics.ts';
import type { ChannelFeedListener } from '../ports/channel-feed.ts';
import type { Leases } from '../ports/processes.ts';
import { isBackfill, isGroup, reportedPartition } from '../store/inbox/row.ts';
import type { Store } from '../store/index.ts';
import type { Log } from '../telemetry/log.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { createOptedOutOf } from './asked/authors.ts';
import { createAskedMessages } from './asked/messages.ts';
import { createReadTranslations } from './asked/translations.ts';
import { createBackfill } from './backfill.ts';
import { createBacklog } from './backlog.ts';
import { createBars } from './bars.ts';
import { createCatchUpHolds, createLinkedHolds } from './catch-up-holds.ts';
import { createEndedWatches } from './ended-watches.ts';
import { createExplain } from './explain.ts';
import { createFlagRefusals } from './flags/refusals.ts';
import { createCopiedPins } from './pins/copied.ts';
import { createMissedPins } from './pins/missed.ts';
import { createCopiedReactions } from './reactions/reactions.ts';
import { createFeedListener, createIngest, createInboxWriter } from './ingest.ts';
import { createForgetting } from './forgetting.ts';
import { createFlagPressers } from './flags/pressers.ts';
import { createInboxWork } from './inbox-work.ts';
import { createLinks } from './links/links.ts';
import { createSetupLines } from './links/setup-lines.ts';
import { createPeopleElsewhere } from './links/people.ts';
import { declareMessageMetrics, logSkip, traceWork } from './telemetry.ts';
import { createCompactReplies } from './mirror/compact-replies.ts';
import { createAnswered, type AnsweredDeps } from './mirror/answered.ts';
import { createLateNotices } from './mirror/late-notices.ts';
import { createLateTargets } from './mirror/late-targets.ts';
import { createReconcile } from './mirror/reconcile.ts';
import { createHistoryGapNotice } from './missed-reader.ts';
import { createModeratorNotices } from './moderators/notices.ts';
import { createOpenSources } from './open-sources.ts';
import { createOutages, type OutagesDeps } from './outages/outage.ts';
import { isOnPause } from './paused-edits.ts';
import { createOutageWaits } from './outages/waits.ts';
import { createPartitionWorker } from './partition-worker.ts';
import { createAuthorNames } from './prepare/author-names.ts';
import { createFloods } from './prepare/floods.ts';
import { createBotLoops } from './prepare/bot-loops.ts';
import { createTranslationContext } from './prepare/context.ts';
import { createLinkedThreads } from './prepare/linked-threads.ts';
import { createPlaces } from './prepare/prepared.ts';
import { createPrepare, type PrepareDeps } from './prepare/prepare.ts';
import { createProgress } from './prepare/progress.ts';
import { createRecognitionOutages } from './outages/recognition.ts';
import { createScheduler } from './scheduler.ts';
import { createWatchedPlatforms } from './watched-platforms.ts';
import { createStalledSpaces } from './stalled-spaces.ts';
import { openStores } from './stores.ts';
import { createRepeatedWork } from './repeated-work.ts';
import { spaceElsewhere } from './links/names.ts';
import { createTell } from './tell.ts';
import { createThreadChanges } from './thread-changes.ts';
import { createWatches } from './watches.ts';

export interface AutoTranslateDeps {
  readonly store: Store;
  readonly leases: Leases;
  /** The slots of the partitions that this process works on. */
  readonly slots: SlotOwner;
  readonly services: PrepareDeps['services'] &
    Pick<OutagesDeps, 'serviceKeyOf'> &
    Pick<AnsweredDeps, 'settings'>;
  readonly texts: Pick<Texts, 'rich' | 'in' | 'pick'>;
  readonly telemetry: { readonly log: Log; readonly metrics: Metrics; readonly tracing: Tracing };
  /** Days for which outcomes of messages are stored, and the places of their mirrors. */
  readonly days: { readonly inbox: number; readonly mirrors: number };
  /** Names of the platforms that people can use now. Default: those that have reported messages. */
  readonly readyPlatforms?: () => readonly string[];
  /** Wall time, ms since 1970; monotonic time; random numbers from 0 to 1. Default: the real ones. */
  readonly times?: {
    readonly now: () => number;
    readonly nowMs: () => number;
    readonly random: () => number;
  };
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
  const platforms = createWatchedPlatforms();
  const measured = declareMessageMetrics({ metrics, store, now });
  const context = createTranslationContext();
  const translations = createReadTranslations(now);
  const scheduler = createScheduler({ slots, log, now });
  const stores = await openStores(store, now, log, platforms);
  const { stored, cursors, watches: watchStore } = stores;
  const { post } = platforms;
  const tell = createTell(platforms.send, log);
  const given = { ...services, ...stores, ...telemetry, ...times, leases, slots, texts };
  /** The dependencies that all parts share; each takes those that it names. */
  const shared = {
    ...given,
    services,
    platforms,
    post,
    tell,
    setupLines: createSetupLines(platforms, tell, times),
    moderators: createModeratorNotices({ ...given, platforms, post }),
    context,
    scheduler,
    measured,
  };
  const bars = createBars(shared);
  const optedOutOf = createOptedOutOf({ ...shared, privacy: services.privacy });
  const openSources = createOpenSources({ ...shared, bars });
  const names = createAuthorNames(shared);
  const floods = createFloods(shared);
  const holds = createCatchUpHolds(shared);
  const botLoops = createBotLoops(shared);
  const pressers = createFlagPressers(shared);
  const waits = createOutageWaits(shared);
  const stalled = createStalledSpaces();
  const wakeWaiting = (): void => {
    stalled.liftAll();
    waits.all().forEach(scheduler.wake);
  };
  const outages = createOutages({ ...shared, ended: wakeWaiting });
  const recognitions = createRecognitionOutages(shared);
  /** Tries again what waits for the end of an outage, as somebody asked for it or set another key. */
  const tryAgain = (space: Space | undefined): void => {
    wakeWaiting();
    if (!space) return;
    void outages.tryAgain(space);
    void recognitions.tryAgain(space);
  };
  store.signals.subscribe('retried', tryAgain);
  store.signals.subscribe('space-key', tryAgain);
  // What was read is translated anew, with its new terms.
  store.signals.subscribe('glossary', (place) =>
    translations.forget(place && ('space' in place ? place.space : place)),
  );
  const late = createLateTargets(stores.inbox);
  const notices = createLateNotices(shared);
  const linkedThreads = createLinkedThreads({ ...shared, bars, privacy: services.privacy });
  const threadChanges = createThreadChanges({ ...shared, nameIn: linkedThreads.nameIn });
  const preparing = createPrepare({
    ...shared,
    botLoops,
    pressers,
    bars,
    openSources,
    floods,
    names,
    places: createPlaces(shared),
    linkedThreads,
    outages,
    late,
    recognitions,
    progressOf: (row, tenure, signal, line) => {
      const { mirrors } = platforms.of(row.ref.channel);
      return createProgress({ ...shared, mirrors }, row, tenure, signal, line);
    },
  });
  const replies = createCompactReplies({ ...shared, lineOf: preparing.lineOf });
  const reconcile = createReconcile({
    ...shared,
    late,
    bars,
    openSources,
    replies,
    answered: createAnswered(shared),
    wakeIdle: scheduler.wakeIdle,
    wakeAt: (partition, atMs) => scheduler.wakeAt(partition, { atMs, isStored: true }),
    isWanted: preparing.isWanted,
  });
  const workOn = createPartitionWorker({
    ...shared,
    waits,
    stalled,
    wake: scheduler.wake,
    late,
    notices,
    ...traceWork(tracing, { prepare: preparing.prepare, reconcile }),
    isOnHold: async (partition) =>
      scheduler.isOnHold(partition) ||
      isOnPause(partition, watchStore) ||
      (isGroup(partition) && holds.isOnHold(partition)),
  });
  scheduler.start(async (work, register) => {
    const due = await workOn(work, register);
    // What is reported may have waited for what was missed before it.
    if (isBackfill(work.partition)) scheduler.wake(reportedPartition(work.partition));
    return due;
  });

  const inboxWriter = createInboxWriter(shared);
  // One day less than rows are stored, so that no row is cleared between the check and its use.
  const rowsSinceMs = (): number => now() - (days.inbox - 1) * DAY_MS;
  const refusals = createFlagRefusals((row, reason) => logSkip(log, row, reason));
  const ingest = createIngest({
    ...shared,
    optedOutOf,
    openSources,
    pressers,
    inboxWriter,
    refusals,
    rowsSinceMs,
  });
  const { markDeleted } = inboxWriter;
  const backfill = createBackfill({
    ...shared,
    noteGap: createHistoryGapNotice(shared),
    sinceMs: (channel) => {
      const watch = watchStore.of(channel);
      return watch ? watchStore.sinceMs(watch) : now();
    },
    take: (message, isMissed) => ingest.take(message, isMissed ? 'history' : 'history-reported'),
    markDeleted,
    // In linked channels, what was missed in one may come before what is known of another.
    ...createLinkedHolds(holds, watchStore),
  });
  const copiedReactions = createCopiedReactions({ ...shared, bars });
  store.signals.subscribe('watches', copiedReactions.watchesChanged);
  const blocks = copiedReactions.watching(stores.blocks);
  const listener = createFeedListener({
    ...shared,
    blocks,
    copiedReactions,
    ingest,
    markDeleted,
    backfill,
  });
  const { unfollow, ...watches } = createWatches({ ...shared, backfill });
  /** The parts that know something of spaces in memory. */
  const memories = [
    names,
    floods,
    backfill,
    cursors,
    context,
    preparing,
    botLoops,
    late,
    replies,
    shared.setupLines,
    shared.moderators,
    // Forgotten after the moderators' channel: a space that left is told nothing.
    waits,
  ];
  const { leave, ageRestrictionChanged, renamed, resume, channelDeleted, ...links } = createLinks({
    ...shared,
    own: { ...watches, unfollow },
    memories,
  });
  const allWatches = { ...watches, ...links };
  const backlog = createBacklog({ ...shared, outages, recognitions });
  const inboxWork = createInboxWork({ ...shared, readyPlatforms });

  /** Begins with what waits for a platform that is ready. */
  const connected = (platform: string): void => {
    inboxWork.resume(platform);
    resume(platform);
    copiedReactions.resume(platform);
  };

  const copiedPins = createCopiedPins(shared);
  const missedPins = createMissedPins({ ...shared, copiedPins, threadChanges });

  const repeated = createRepeatedWork({ ...shared, ...links, days, markDeleted });
  const { forgetAll, forget } = createForgetting({
    ...shared,
    translations,
    preparing,
    replies,
    late,
    copiedReactions,
    memories,
    forgetNames: links.forgetNames,
  });

  return {
    listener: {
      ...listener,
      threadChanged: threadChanges.changed,
      pinChanged: copiedPins.changed,
      channelDeleted: async (channel) => {
        await channelDeleted(channel);
        // The messages of a thread are deleted with it, and so are their copies, also after a link has ended.
        const wasLinked = await stores.linkedThreads.gone(channel);
        if (wasLinked || channel.parentId !== undefined)
          await markDeleted(await stored.sourcesIn(channel));
      },
      ageRestrictionChanged,
      spaceRenamed: renamed,
      accessChanged: backlog.accessChanged,
      messagesMissed: (channels) => {
        listener.messagesMissed(channels);
        missedPins.missed(channels.map(({ channel }) => channel));
        const [first] = channels;
        if (first) connected(first.channel.space.platform);
        if (first) links.learnName(first.channel.space);
      },
      readMissed: async (channel) => {
        links.learnName(channel.space);
        return listener.readMissed(channel);
      },
      connected,
    } satisfies Omit<ChannelFeedListener, 'spaceJoined' | 'spaceLeft'>,
    /** Ends auto-translate in a space; `remove` deletes what is stored of it. */
    leave,
    /**
     * Serves the watched channels of a platform that has such; the platform then reports missed
     * messages.
     */
    attach: (platform: Parameters<typeof platforms.add>[0]): void => {
      measured.attached(platform.name);
      platforms.add(platform);
    },
    watches: allWatches,
    endedWatches: createEndedWatches({ ...shared, watches: allWatches }),
    inbox: {
      ...backlog.inbox,
      flagsOf: pressers.flagsOf,
      explain: createExplain({
        ...shared,
        outages,
        refusals,
        rowsSinceMs,
        serverName: (space) => spaceElsewhere(space, platforms),
      }),
    },
    blocks: {
      ...blocks,
      lookUp: createPeopleElsewhere({ watches: stores.watches, platforms }),
    },
    messages: createAskedMessages({
      ...shared,
      translations,
      openSources,
      optedOutOf,
      privacy: services.privacy,
    }),
    forgetAll,
    forget,
    /** Tells the moderators of a space of what a member proposes for the glossary. */
    proposed: shared.moderators.proposed,
    /** Announces an accepted entry of the glossary. Never rejects. */
    termAccepted: repeated.announce,
    /** See `MirrorStore.modelsOf`. */
    modelsOf: stored.modelsOf,
    optedOutOf,
    /** Tells moderators of what waits for them, before the program stops. */
    drain: shared.moderators.drain,
    /** Begins what one of all processes does: clearing what is old, and telling what was not told. */
    startRepeated: repeated.start,
    /** Resolves when no due work is left. */
    idle: async (): Promise<void> => {
      await inboxWork.looked();
      for (const part of [backfill, scheduler, copiedReactions, repeated]) await part.idle();
      await store.written();
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      for (const part of [inboxWork, copiedPins, missedPins, threadChanges]) part[Symbol.dispose]();
      for (const part of [copiedReactions, backfill, scheduler, cursors, repeated])
        await part[Symbol.asyncDispose]();
      await store.written();
    },
  };
};
