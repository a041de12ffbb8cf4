import { setImmediate } from 'node:timers/promises';
import type { SlotOwner } from '../cluster/slot-owner.ts';
import { channelKey, keyOf, type MessageRef, messageKey } from '../model/place.ts';
import type { BlockStore } from '../store/blocks.ts';
import type { WatchStore } from '../store/channels/watches.ts';
import type { InboxStore } from '../store/inbox/index.ts';
import {
  backfillPartition,
  watchPartition,
  type Accepted,
  type Arrival,
  flaggedLanguage,
  flagPurpose,
  ownPartition,
  WATCH,
} from '../store/inbox/row.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import type { Log } from '../telemetry/log.ts';
import { logSkip, type MessageMetrics, startAccept } from './telemetry.ts';
import type { TranslationContext } from './prepare/context.ts';
import type { OptedOutOf } from './asked/authors.ts';
import type { FlagPressers } from './flags/pressers.ts';
import type { Scheduler } from './scheduler.ts';
import { readFlagged, type FlaggedDeps } from './read-source.ts';
import type { WatchedPlatforms } from './watched-platforms.ts';
import type { FlagRefusals, RefusedFlag } from './flags/refusals.ts';
import type { CopiedReactions } from './reactions/reactions.ts';
import { isCountryFlag } from '../text/language/languages.ts';
import { languageOfReaction, skipReason } from './policy.ts';
import { writerOf, type Message } from '../model/message.ts';
import { isQuiet } from '../model/space.ts';
import type { CursorStore } from '../store/channels/cursors.ts';
import type { Privacy } from '../store/privacy/person-data.ts';
import type { SpaceSettings } from '../store/settings.ts';
import { MINUTE_MS, realClock, sleep } from '../async/clock.ts';
import { createSpacing } from '../async/spacing.ts';
import { createKeyedMutex } from '../async/locks.ts';
import type { ChannelFeed, ChannelFeedListener } from '../ports/channel-feed.ts';
import type { Backfill } from './backfill.ts';

export interface InboxWriterDeps {
  readonly inbox: Pick<InboxStore, 'accept' | 'markDeleted'>;
  readonly scheduler: Pick<Scheduler, 'wake' | 'interrupt'>;
  readonly slots: Pick<SlotOwner, 'serve' | 'tenureOf' | 'tell'>;
  readonly watches: Pick<WatchStore, 'of'>;
  readonly context: Pick<TranslationContext, 'forget'>;
  readonly platforms: Pick<WatchedPlatforms, 'of'>;
  readonly measured: MessageMetrics;
  readonly tracing: Tracing;
  readonly log: Pick<Log, 'debug'>;
  readonly now: () => number;
}

/** Name of the notices of deleted messages to the process that works on their channel. */
const DELETED = 'deleted';
/** Deletions that are written at once: a thread may have thousands, between which others are served. */
const MARKED_AT_ONCE = 50;

export type InboxWriter = ReturnType<typeof createInboxWriter>;

/** Creates the functions that write messages and deletions to the inbox, and wake or end the work on them. */
export const createInboxWriter = (deps: InboxWriterDeps) => {
  const { inbox, scheduler, slots, watches, context, platforms, measured, tracing, log, now } =
    deps;
  const drop = (ref: MessageRef): void => {
    scheduler.interrupt(ref);
    context.forget(ref);
  };
  slots.serve(DELETED, { hear: (message) => drop(JSON.parse(message) as MessageRef) });
  /** Ends the work on a deleted message and drops its words from memory, also in the process that works on its channel. */
  const dropEverywhere = (ref: MessageRef): void => {
    drop(ref);
    const watch = watches.of(ref.channel);
    if (!watch) return;
    const partition = watchPartition(watch);
    for (const each of [partition, backfillPartition(partition)])
      if (!slots.tenureOf(each)) slots.tell(DELETED, each, JSON.stringify(ref));
  };

  return {
    accept: async (arrival: Omit<Arrival, 'writtenMs'>): Promise<Accepted> => {
      const { ref, position } = arrival.message;
      const writtenMs = platforms.of(ref.channel).feed.timeOf(position);
      const accepted = startAccept(tracing, { ref, purpose: arrival.purpose });
      const { was, partition } = await inbox.accept({ ...arrival, writtenMs });
      accepted(was);
      if (was === 'new' && arrival.skip !== undefined) {
        measured.settled(ref.channel.space.platform, 'skipped', now());
        logSkip(log, { ref, purpose: arrival.purpose }, arrival.skip);
      }
      if (was === 'changed') scheduler.interrupt(ref);
      if (was === 'changed' || (was === 'new' && arrival.skip === undefined))
        scheduler.wake(partition);
      return was;
    },
    markDeleted: async (
      refs: readonly MessageRef[],
      options: Parameters<InboxStore['markDeleted']>[1] = {},
    ): Promise<void> => {
      for (const ref of refs) {
        if (options.purpose === undefined) dropEverywhere(ref);
        else scheduler.interrupt(ref);
      }
      for (let from = 0; from < refs.length; from += MARKED_AT_ONCE) {
        if (from > 0) await setImmediate();
        const part = refs.slice(from, from + MARKED_AT_ONCE);
        for (const partition of await inbox.markDeleted(part, options)) scheduler.wake(partition);
      }
    },
  };
};

/** Delay of a report beyond which its message counts as missed: the platform has reported it again. */
const LATE_MS = 30_000;

export interface IngestDeps extends Pick<FlaggedDeps, 'stored' | 'openSources'> {
  readonly inboxWriter: InboxWriter;
  readonly inbox: Pick<InboxStore, 'purposes' | 'shownMs'>;
  readonly cursors: Pick<CursorStore, 'advance'>;
  readonly watches: Pick<WatchStore, 'of' | 'sinceMs' | 'languagesMs'>;
  readonly spaces: SpaceSettings;
  readonly privacy: Pick<Privacy, 'optedOut'>;
  readonly optedOutOf: OptedOutOf;
  readonly pressers: FlagPressers;
  readonly platforms: WatchedPlatforms;
  readonly refusals: Pick<FlagRefusals, 'note' | 'drop'>;
  /** The time since which no row has been cleared, ms since 1970. */
  readonly rowsSinceMs: () => number;
  /** Wall time, ms since 1970; monotonic time. */
  readonly now: () => number;
  readonly nowMs: () => number;
}

/** Flag replies that come at once in a channel; more come evenly apart, between what everybody waits for. */
const FLAGS_AT_ONCE = 3;
const FLAG_EVERY_MS = 2_000;
const LONGEST_FLAG_WAIT_MS = MINUTE_MS;

export type Ingest = ReturnType<typeof createIngest>;

/** Creates the functions that judge new and changed messages and reactions, and hand them to the inbox. */
export const createIngest = ({
  inboxWriter,
  inbox,
  stored,
  openSources,
  cursors,
  watches,
  spaces,
  privacy,
  optedOutOf,
  pressers,
  platforms,
  refusals,
  rowsSinceMs,
  now,
  nowMs,
}: IngestDeps) => {
  const { accept, markDeleted } = inboxWriter;
  const flagged = { stored, platforms, openSources };
  const flagTurn = createSpacing(nowMs, { everyMs: FLAG_EVERY_MS, burst: FLAGS_AT_ONCE });
  const optedOut = (message: Message): Promise<boolean> => privacy.optedOut(writerOf(message));

  /** Updates flag replies after a change of their message; those under a mirror follow its source. */
  const acceptForFlags = async (seen: Message, purposes: readonly string[]): Promise<void> => {
    const flags = purposes.filter((one) => flaggedLanguage(one) !== undefined);
    if (flags.length === 0) return;
    const isOurs = seen.author.kind === 'ourselves';
    const message = isOurs ? await readFlagged(seen.ref, flagged) : seen;
    if (!message) return;
    const skip = (await optedOut(message)) ? 'opted-out' : undefined;
    for (const purpose of flags)
      await accept({ message, purpose, partition: ownPartition('flag', seen.ref), skip });
  };

  return {
    /**
     * Accepts a message.
     *
     * @param from how it is known; `whole`: reported, and everything before it is in the inbox; `history`: read, as it was
     * missed, or, `history-reported`, may have been
     */
    take: async (
      message: Message,
      from: 'report' | 'whole' | 'history' | 'history-reported',
    ): Promise<void> => {
      const { ref, author, position } = message;
      const { channel } = ref;
      const watch = watches.of(channel);
      const advance = (): void => {
        if (watch && from === 'whole') cursors.advance(channel, position);
      };
      if (author.kind === 'ourselves') {
        // A message just posted has no reactions yet.
        if (message.edited) await acceptForFlags(message, await inbox.purposes(ref));
        advance();
        return;
      }

      // Rows of older messages may have been cleared: only those in the inbox are handled.
      const fromMs = watch && Math.max(watches.sinceMs(watch), rowsSinceMs());
      const first =
        fromMs === undefined ? undefined : platforms.find(channel)?.feed.positionAt(fromMs);
      const isLater = first !== undefined && position >= first;
      const known = isLater ? [] : await inbox.purposes(ref);
      if (!watch || !(isLater || known.includes(WATCH))) {
        await acceptForFlags(message, known);
        return;
      }
      const choices = await spaces.of(channel.space);
      const writtenMs = platforms.of(channel).feed.timeOf(position);
      const skip = skipReason(message, watch, choices, await optedOut(message), writtenMs);
      const own = watchPartition(watch);
      const isMissed = from === 'history' || now() - writtenMs > LATE_MS;
      const partition = isMissed ? backfillPartition(own) : own;
      const isReread = from === 'history' || from === 'history-reported';
      const was = await accept({ message, purpose: WATCH, partition, skip, isReread });
      advance();
      if (was !== 'new') await acceptForFlags(message, await inbox.purposes(ref));
    },
    /** Handles a reaction that was added, or removed. */
    react: async (
      ref: MessageRef,
      emoji: string,
      isPresent: boolean,
      memberId?: string,
    ): Promise<void> => {
      const { channel } = ref;
      const feed = platforms.find(channel)?.feed;
      const choices = await spaces.of(channel.space);
      if (!isPresent) refusals.drop(ref, emoji);
      const language = languageOfReaction(emoji, choices);
      const heard = (flag: string): void => {
        if (isPresent && memberId !== undefined) pressers.flagged(ref, flag, memberId);
      };
      if (language !== undefined) heard(language);
      const refuse = (refusal: RefusedFlag['refusal'], meant = language): void => {
        heard(meant ?? emoji);
        if (isPresent) refusals.note(ref, { emoji, language: meant, refusal });
      };
      if (language === undefined) {
        const meant = languageOfReaction(emoji, { flags: { ...choices.flags, on: true } });
        if (meant !== undefined) refuse('off', meant);
        else if (isCountryFlag(emoji)) refuse('no-language');
        return;
      }
      if (!feed) return;
      const purpose = flagPurpose(language);
      if (!isPresent) {
        if ((await feed.reactors(ref, emoji)).length === 0) await markDeleted([ref], { purpose });
        return;
      }
      if (isQuiet(channel, choices)) return refuse('quiet-channel');
      const watch = watches.of(channel);
      if (watch?.mode === 'reply' && watch.languages.includes(language)) {
        // What was made before a language was added lacks it.
        const shownMs = await inbox.shownMs(ref);
        if (shownMs !== undefined && shownMs >= watches.languagesMs(watch)) return refuse('shown');
      }
      const message = await readFlagged(ref, flagged);
      if (!message) return;
      if (memberId !== undefined) pressers.note({ ref, purpose }, memberId);
      const hasOptedOut = (await optedOutOf(message)).length > 0;
      if (message.system || hasOptedOut) {
        // The same words for both: who opted out is named to moderators alone.
        void pressers.tell({ ref, purpose }, message, { key: 'flags.not-translated' });
        return refuse(hasOptedOut ? 'opted-out' : 'system');
      }
      refusals.drop(ref, emoji);
      const waitMs = Math.min(LONGEST_FLAG_WAIT_MS, flagTurn(channelKey(channel)));
      const dueMs = waitMs > 0 ? now() + waitMs : 0;
      await accept({ message, purpose, partition: ownPartition('flag', ref), dueMs });
    },
  };
};

/** Messages of a banned person that are checked, the newest first. */
const BANNED_LOOKED_AT = 500;
/** Checks of a message of a banned person that could not be read, with the wait between them. */
const BAN_LOOKS = 4;
const BAN_WAIT_MS = 10_000;

export interface FeedListenerDeps {
  readonly ingest: Ingest;
  readonly copiedReactions: Pick<CopiedReactions, 'changed'>;
  readonly markDeleted: InboxWriter['markDeleted'];
  readonly backfill: Pick<Backfill, 'report' | 'reportAlways' | 'missed'>;
  readonly watches: Pick<WatchStore, 'of' | 'holder' | 'list' | 'group'>;
  readonly blocks: Pick<BlockStore, 'add' | 'unbanned'>;
  readonly inbox: Pick<InboxStore, 'writtenBy'>;
  readonly platforms: Pick<WatchedPlatforms, 'find'>;
}

/** Creates the listener that brings the reports of platforms to the inbox, in the order of their channels. */
export const createFeedListener = (deps: FeedListenerDeps) => {
  const { ingest, copiedReactions, markDeleted, backfill, watches, inbox, platforms, blocks } =
    deps;
  const turns = createKeyedMutex();

  /** Marks the deleted ones among messages; resolves with those that could not be read. */
  const markDeletedOnes = async (
    feed: ChannelFeed,
    refs: readonly MessageRef[],
  ): Promise<readonly MessageRef[]> => {
    const unseen: MessageRef[] = [];
    for (const ref of refs) {
      const isDeleted = await feed.read(ref).then(
        (message) => message === undefined,
        () => undefined,
      );
      if (isDeleted) await markDeleted([ref]);
      else if (isDeleted === undefined) unseen.push(ref);
    }
    return unseen;
  };

  return {
    follows: (channel) => watches.of(channel) !== undefined,
    spaceOf: (channel) => watches.holder(channel) ?? channel.space,
    messageChanged: async (message) => {
      const { channel } = message.ref;
      const { position } = message;
      if (watches.of(channel))
        await backfill.report(
          channel,
          (isWhole) => ingest.take(message, isWhole ? 'whole' : 'report'),
          position,
        );
      else await ingest.take(message, 'report');
    },
    messagesDeleted: async (refs) => {
      const [first] = refs;
      if (!first) return;
      if (watches.of(first.channel))
        await backfill.reportAlways(first.channel, () => markDeleted(refs, { isWatched: true }));
      else await markDeleted(refs);
    },
    reactionChanged: async (
      ref: MessageRef,
      emoji: string,
      isPresent: boolean,
      memberId?: string,
    ) => {
      copiedReactions.changed(ref, emoji);
      // A flag that is pressed and removed at once ends removed.
      using _ = await turns.take(messageKey(ref));
      await ingest.react(ref, emoji, isPresent, memberId);
    },
    memberBanned: async (space, authorId, name?: string) => {
      const feed = platforms.find({ space })?.feed;
      if (!feed) return;
      const isLinked = watches
        .list(space)
        .some((watch) =>
          watches.group(watch).some(({ channel }) => keyOf(channel.space) !== keyOf(space)),
        );
      const person = { platform: space.platform, id: authorId };
      if (isLinked) await blocks.add(space, person, { name, isBan: true });
      let unseen = await inbox.writtenBy(space, authorId, BANNED_LOOKED_AT);
      for (let look = 0; unseen.length > 0 && look < BAN_LOOKS; look += 1) {
        if (look > 0) await sleep(realClock, BAN_WAIT_MS);
        unseen = await markDeletedOnes(feed, unseen);
      }
    },
    memberUnbanned: async (space, id) => blocks.unbanned(space, { platform: space.platform, id }),
    messagesMissed: (channels) => {
      for (const { channel, newest } of channels)
        if (watches.of(channel)) void backfill.missed(channel, newest);
    },
    readMissed: async (channel) =>
      watches.of(channel) === undefined || backfill.missed(channel, undefined),
  } satisfies Partial<ChannelFeedListener>;
};
