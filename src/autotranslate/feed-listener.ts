import { realClock, sleep } from '../async/clock.ts';
import { createKeyedMutex } from '../async/locks.ts';
import { messageKey, type MessageRef } from '../model/place.ts';
import type { ChannelFeed, ChannelFeedListener } from '../ports/channel-feed.ts';
import type { WatchStore } from '../store/channels/watches.ts';
import type { InboxStore } from '../store/inbox/index.ts';
import type { Backfill } from './backfill.ts';
import type { Ingest, InboxWriter } from './ingest.ts';
import type { WatchedPlatforms } from './watched-platforms.ts';

/** Messages of a banned person that are checked, the newest first. */
const BANNED_LOOKED_AT = 500;
/** Checks of a message of a banned person that could not be read, with the wait between them. */
const BAN_LOOKS = 4;
const BAN_WAIT_MS = 10_000;

export interface FeedListenerDeps {
  readonly ingest: Ingest;
  readonly markDeleted: InboxWriter['markDeleted'];
  readonly backfill: Pick<Backfill, 'report' | 'reportAlways' | 'missed'>;
  readonly watches: Pick<WatchStore, 'of' | 'holder'>;
  readonly inbox: Pick<InboxStore, 'writtenBy'>;
  readonly platforms: Pick<WatchedPlatforms, 'find'>;
}

/** Creates the listener that brings the reports of platforms to the inbox, in the order of their channels. */
export const createFeedListener = (deps: FeedListenerDeps) => {
  const { ingest, markDeleted, backfill, watches, inbox, platforms } = deps;
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
        await backfill.report(channel, (isWhole) => ingest.take(message, isWhole), position);
      else await ingest.take(message, false);
    },
    messagesDeleted: async (refs) => {
      const [first] = refs;
      if (!first) return;
      if (watches.of(first.channel))
        await backfill.reportAlways(first.channel, () => markDeleted(refs, { isWatched: true }));
      else await markDeleted(refs);
    },
    reactionChanged: async (ref, emoji, isPresent) => {
      // A flag that is pressed and removed at once ends removed.
      using _ = await turns.take(messageKey(ref));
      await ingest.react(ref, emoji, isPresent);
    },
    memberBanned: async (space, authorId) => {
      const feed = platforms.find({ space })?.feed;
      if (!feed) return;
      let unseen = await inbox.writtenBy(space, authorId, BANNED_LOOKED_AT);
      for (let look = 0; unseen.length > 0 && look < BAN_LOOKS; look += 1) {
        if (look > 0) await sleep(realClock, BAN_WAIT_MS);
        unseen = await markDeletedOnes(feed, unseen);
      }
    },
    messagesMissed: (channels) => {
      for (const { channel, newest } of channels)
        if (watches.of(channel)) void backfill.missed(channel, newest);
    },
    readMissed: async (channel) =>
      watches.of(channel) === undefined || backfill.missed(channel, undefined),
  } satisfies Partial<ChannelFeedListener>;
};
