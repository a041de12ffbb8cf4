import { setTimeout as delay } from 'node:timers/promises';
import type { Message, MessageRef } from '../model.ts';
import type { ChannelWatch, Privacy, SpaceSettings } from '../services.ts';
import type { CopyStore } from '../store/copies.ts';
import type { CursorStore } from '../store/cursors.ts';
import { flagPurpose, WATCH } from '../store/inbox/purpose.ts';
import type { InboxStore } from '../store/inbox/index.ts';
import type { Accepted, Lane } from '../store/inbox/row.ts';
import type { WatchStore } from '../store/watches.ts';
import type { CatchUp } from './catch-up.ts';
import type { Lanes } from './lanes.ts';
import type { Talk } from './talk.ts';
import { createTurns } from '../turns.ts';
import { isQuiet, skipReason } from './policy.ts';
import type { Watcher, WatchPort } from './port.ts';
import { flagLane, languageOfReaction } from './reactions.ts';

/** Messages of somebody who was banned that are looked at, the newest first. */
const BANNED_LOOKED_AT = 500;
/** What could not be looked at is looked at again this often, with this wait between. */
const BAN_LOOKS = 4;
const BAN_WAIT_MS = 10_000;

export interface WatcherParts {
  readonly inbox: InboxStore;
  readonly copies: Pick<CopyStore, 'sourceOf'>;
  readonly cursors: Pick<CursorStore, 'advance' | 'remove'>;
  readonly watches: WatchStore;
  readonly spaces: SpaceSettings;
  readonly privacy: Pick<Privacy, 'optedOut'>;
  readonly lanes: Pick<Lanes, 'wake' | 'interrupt'>;
  readonly catchUp: Pick<CatchUp, 'report' | 'reportAlways' | 'missed' | 'forget'>;
  readonly talk: Pick<Talk, 'forget'>;
  readonly port: (platform: string) => WatchPort | undefined;
  /** Rows of messages that are older than this (ms since 1970) may have been cleared. */
  readonly remembersFromMs: () => number;
}

/** Linked channels are one conversation, and so one lane. */
const laneOf = ({ group }: ChannelWatch, { channel }: MessageRef): string =>
  group === undefined ? `channel:${channel.id}` : `group:${group}`;

/**
 * What a message that was seen means for the inbox. `isWhole`: everything before it is in there.
 */
export const createTake =
  ({ inbox, cursors, watches, spaces, privacy, lanes, port, remembersFromMs }: WatcherParts) =>
  async (message: Message, isWhole: boolean): Promise<void> => {
    const { ref, author, position } = message;
    const { channel } = ref;
    const watch = watches.of(channel);
    const advance = (): void => {
      if (watch && isWhole) cursors.advance(channel, position);
    };
    if (author.kind === 'ourselves') {
      advance();
      return;
    }

    const person = { platform: channel.space.platform, id: author.id };
    const [choices, optedOut] = await Promise.all([
      spaces.of(channel.space),
      privacy.optedOut(person),
    ]);
    const accept = async (purpose: string, lane: string, skip?: string): Promise<Accepted> => {
      const accepted = await inbox.accept({ message, purpose, lane, skip });
      if (accepted.was === 'changed') lanes.interrupt(ref);
      if (accepted.was === 'changed' || (accepted.was === 'new' && skip === undefined))
        lanes.wake({ platform: channel.space.platform, lane: accepted.lane });
      return accepted.was;
    };
    const follow = async (purposes: readonly string[]): Promise<void> => {
      for (const purpose of purposes.filter((one) => one !== WATCH))
        await accept(purpose, flagLane(ref), optedOut ? 'opted-out' : undefined);
    };

    // Of what is older, the inbox tells whether it is ours: its row may have been cleared.
    const fromMs = watch && Math.max(watches.sinceMs(watch), remembersFromMs());
    const from =
      fromMs === undefined ? undefined : port(channel.space.platform)?.positionAt(fromMs);
    const isLater = from !== undefined && position >= from;
    const known = isLater ? [] : await inbox.purposes(ref);
    if (!watch || !(isLater || known.includes(WATCH))) {
      await follow(known);
      return;
    }
    const skip = skipReason(message, watch, choices, optedOut);
    const accepted = await accept(WATCH, laneOf(watch, ref), skip);
    advance();
    if (accepted !== 'new') await follow(await inbox.purposes(ref));
  };

export const createWatcher = (
  parts: WatcherParts,
  take: (message: Message, isWhole: boolean) => Promise<void>,
): Watcher & { readonly takeAway: (refs: readonly MessageRef[]) => Promise<void> } => {
  const { inbox, copies, cursors, watches, spaces, privacy, lanes, catchUp, talk, port } = parts;
  const turns = createTurns();

  const wakeAll = (changed: readonly Lane[]): void => {
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
    // A copy speaks for its source: pressed on either, a flag means the same words.
    const origin = await copies.sourceOf(ref);
    const pressed = await from.read(ref);
    const words = origin ? await from.read(origin.ref) : pressed;
    if (!pressed || !words || words.system) return;
    if (await privacy.optedOut({ platform: space.platform, id: words.author.id })) return;
    const message = { ...words, ref, position: pressed.position };
    const { was, lane } = await inbox.accept({ message, purpose, lane: flagLane(ref) });
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
      const done = await turns.take(`${ref.channel.id} ${ref.id}`);
      try {
        await react(ref, emoji, present);
      } finally {
        done();
      }
    },

    banned: async (space, authorId) => {
      const from = port(space.platform);
      if (!from) return;
      let left = await inbox.writtenBy(space, authorId, BANNED_LOOKED_AT);
      for (let look = 0; left.length > 0 && look < BAN_LOOKS; look += 1) {
        if (look > 0) await delay(BAN_WAIT_MS, undefined, { ref: false });
        left = await takeAwayGone(from, left);
      }
    },

    missed: (channels) => {
      for (const { channel, newest } of channels)
        if (watches.of(channel)) catchUp.missed(channel, newest);
    },

    channelGone: async (channel) => {
      wakeAll(await inbox.abandon(channel, 'channel-gone'));
      if (watches.isOwn(channel)) await watches.remove([channel]);
      catchUp.forget(channel);
      await cursors.remove(channel);
    },
    spaceGone: async (space) => wakeAll(await inbox.abandon(space, 'space-gone')),
  };
};
