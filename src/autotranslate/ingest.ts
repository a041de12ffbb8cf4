import { realClock, sleep } from '../async/clock.ts';
import type { Message } from '../model/message.ts';
import type { MessageRef } from '../model/place.ts';
import { isQuiet } from '../model/space-choices.ts';
import type { ChannelWatch } from '../model/watch.ts';
import type { Privacy } from '../store/privacy.ts';
import type { SpaceSettings } from '../store/space-settings.ts';
import type { MirrorStore } from '../store/mirrors.ts';
import type { CursorStore } from '../store/cursors.ts';
import { flagPurpose, WATCH } from '../store/inbox/purpose.ts';
import type { InboxStore } from '../store/inbox/index.ts';
import type { Accepted, Arrival, Partition } from '../store/inbox/row.ts';
import type { WatchStore } from '../store/watches.ts';
import type { Backfill } from './backfill.ts';
import type { Scheduler } from './scheduler.ts';
import type { TranslationContext } from './context.ts';
import { createKeyedMutex } from '../async/keyed-mutex.ts';
import { skipReason } from './policy.ts';
import type { Watcher, WatchPort } from '../ports/channel-feed.ts';
import { flagPartition, languageOfReaction, readFlagged } from './reactions.ts';

/** Messages of somebody who was banned that are looked at, the newest first. */
const BANNED_LOOKED_AT = 500;
/** What could not be looked at is looked at again this often, with this wait between. */
const BAN_LOOKS = 4;
const BAN_WAIT_MS = 10_000;

export interface WatcherDeps {
  readonly inbox: InboxStore;
  readonly copies: Pick<MirrorStore, 'sourceOf'>;
  readonly cursors: Pick<CursorStore, 'advance'>;
  readonly watches: Pick<WatchStore, 'of' | 'sinceMs'>;
  readonly spaces: SpaceSettings;
  readonly privacy: Pick<Privacy, 'optedOut'>;
  readonly lanes: Pick<Scheduler, 'wake' | 'interrupt'>;
  readonly catchUp: Pick<Backfill, 'report' | 'reportAlways' | 'missed'>;
  readonly talk: Pick<TranslationContext, 'forget'>;
  readonly port: (platform: string) => WatchPort | undefined;
  readonly channelGone: Watcher['channelGone'];
  /** Rows of messages that are older than this (ms since 1970) may have been cleared. */
  readonly remembersFromMs: () => number;
}

/** Linked channels are one conversation, and so one lane. */
const laneOf = ({ group }: ChannelWatch, { channel }: MessageRef): string =>
  group === undefined ? `channel:${channel.id}` : `group:${group}`;

/**
 * What a message that was seen means for the inbox. `isWhole`: everything before it is in there.
 */
export const createIngest = ({
  inbox,
  copies,
  cursors,
  watches,
  spaces,
  privacy,
  lanes,
  port,
  remembersFromMs,
}: WatcherDeps) => {
  const accept = async (arrival: Arrival): Promise<Accepted> => {
    const { ref } = arrival.message;
    const { was, lane } = await inbox.accept(arrival);
    if (was === 'changed') lanes.interrupt(ref);
    if (was === 'changed' || (was === 'new' && arrival.skip === undefined))
      lanes.wake({ platform: ref.channel.space.platform, lane });
    return was;
  };
  const optedOut = ({ ref, author }: Message): Promise<boolean> =>
    privacy.optedOut({ platform: ref.channel.space.platform, id: author.id });

  /** Flags follow what is said; those under a copy what the author of its source says. */
  const follow = async (seen: Message, purposes: readonly string[]): Promise<void> => {
    const flags = purposes.filter((one) => one !== WATCH);
    if (flags.length === 0) return;
    const from = port(seen.ref.channel.space.platform);
    const isOurs = seen.author.kind === 'ourselves';
    const message = isOurs ? from && (await readFlagged(seen.ref, copies, from)) : seen;
    if (!message) return;
    const skip = (await optedOut(message)) ? 'opted-out' : undefined;
    for (const purpose of flags)
      await accept({ message, purpose, lane: flagPartition(seen.ref), skip });
  };

  return async (message: Message, isWhole: boolean): Promise<void> => {
    const { ref, author, position } = message;
    const { channel } = ref;
    const watch = watches.of(channel);
    const advance = (): void => {
      if (watch && isWhole) cursors.advance(channel, position);
    };
    if (author.kind === 'ourselves') {
      // Under what was just posted nobody can have pressed anything.
      if (message.edited) await follow(message, await inbox.purposes(ref));
      advance();
      return;
    }

    // Of what is older, the inbox tells whether it is ours: its row may have been cleared.
    const fromMs = watch && Math.max(watches.sinceMs(watch), remembersFromMs());
    const from =
      fromMs === undefined ? undefined : port(channel.space.platform)?.positionAt(fromMs);
    const isLater = from !== undefined && position >= from;
    const known = isLater ? [] : await inbox.purposes(ref);
    if (!watch || !(isLater || known.includes(WATCH))) {
      await follow(message, known);
      return;
    }
    const choices = await spaces.of(channel.space);
    const skip = skipReason(message, watch, choices, await optedOut(message));
    const was = await accept({ message, purpose: WATCH, lane: laneOf(watch, ref), skip });
    advance();
    if (was !== 'new') await follow(message, await inbox.purposes(ref));
  };
};

export const createWatcher = (
  deps: WatcherDeps,
  take: (message: Message, isWhole: boolean) => Promise<void>,
): Watcher & { readonly takeAway: (refs: readonly MessageRef[]) => Promise<void> } => {
  const { inbox, copies, watches, spaces, privacy, lanes, catchUp, talk, port, channelGone } = deps;
  const turns = createKeyedMutex();

  const wakeAll = (changed: readonly Partition[]): void => {
    for (const lane of changed) lanes.wake(lane);
  };
  const takeAway = async (refs: readonly MessageRef[], purpose?: string): Promise<void> => {
    for (const ref of refs) {
      lanes.interrupt(ref);
      if (purpose === undefined) talk.forget({ id: ref.id });
    }
    wakeAll(await inbox.gone(refs, purpose));
  };

  /** Each flag in its turn: one that is pressed and removed at once ends removed. */
  const react = async (ref: MessageRef, emoji: string, present: boolean): Promise<void> => {
    const { channel } = ref;
    const { space } = channel;
    const from = port(space.platform);
    const choices = await spaces.of(space);
    const language = languageOfReaction(emoji, choices);
    if (!from || language === undefined) return;
    const purpose = flagPurpose(language);
    if (!present) {
      if ((await from.reactions(ref, emoji)) === 0) await takeAway([ref], purpose);
      return;
    }
    if (isQuiet(channel, choices)) return;
    const watch = watches.of(channel);
    const isThere = watch?.mode === 'reply' && watch.languages.includes(language);
    if (isThere && (await inbox.purposes(ref)).includes(WATCH)) return;
    const message = await readFlagged(ref, copies, from);
    if (!message || message.system) return;
    if (await privacy.optedOut({ platform: space.platform, id: message.author.id })) return;
    const { was, lane } = await inbox.accept({ message, purpose, lane: flagPartition(ref) });
    if (was !== 'same') lanes.wake({ platform: space.platform, lane });
  };

  /** Resolves with those of the messages that could not be looked at. */
  const takeAwayGone = async (
    from: WatchPort,
    refs: readonly MessageRef[],
  ): Promise<readonly MessageRef[]> => {
    const unseen: MessageRef[] = [];
    for (const ref of refs) {
      const isGone = await from.read(ref).then(
        (message) => message === undefined,
        () => undefined,
      );
      if (isGone) await takeAway([ref]);
      else if (isGone === undefined) unseen.push(ref);
    }
    return unseen;
  };

  return {
    takeAway,
    watches: (channel) => watches.of(channel) !== undefined,
    seen: async (message) => {
      const { channel } = message.ref;
      if (watches.of(channel)) await catchUp.report(channel, (isWhole) => take(message, isWhole));
      else await take(message, false);
    },
    gone: async (refs) => {
      const [first] = refs;
      if (!first) return;
      if (watches.of(first.channel))
        await catchUp.reportAlways(first.channel, () => takeAway(refs));
      else await takeAway(refs);
    },

    reacted: async (ref, emoji, present) => {
      using _ = await turns.take(`${ref.channel.id} ${ref.id}`);
      await react(ref, emoji, present);
    },

    banned: async (space, authorId) => {
      const from = port(space.platform);
      if (!from) return;
      let left = await inbox.writtenBy(space, authorId, BANNED_LOOKED_AT);
      for (let look = 0; left.length > 0 && look < BAN_LOOKS; look += 1) {
        if (look > 0) await sleep(realClock, BAN_WAIT_MS);
        left = await takeAwayGone(from, left);
      }
    },

    missed: (channels) => {
      for (const { channel, newest } of channels)
        if (watches.of(channel)) catchUp.missed(channel, newest);
    },

    channelGone,
    spaceGone: async (space) => wakeAll(await inbox.abandon(space, 'space-gone')),
  };
};
