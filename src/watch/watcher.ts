import type { Channel, Message, MessageRef } from '../model.ts';
import type { ChannelWatch, Privacy, SpaceSettings } from '../services.ts';
import type { CopyStore } from '../store/copies.ts';
import type { CursorStore } from '../store/cursors.ts';
import type { Accepted, InboxStore, Lane } from '../store/inbox/index.ts';
import type { WatchStore } from '../store/watches.ts';
import type { CatchUp } from './catch-up.ts';
import type { Lanes } from './lanes.ts';
import { skipReason } from './policy.ts';
import type { Watcher, WatchPort } from './port.ts';
import { flagLane, flagPurpose, languageOfReaction } from './reactions.ts';

/** Messages of somebody who was banned that are looked at, the newest first. */
const BANNED_LOOKED_AT = 500;

const WATCH = 'watch';

export interface WatcherParts {
  readonly inbox: InboxStore;
  readonly copies: Pick<CopyStore, 'sourceOf'>;
  readonly cursors: Pick<CursorStore, 'advance'>;
  readonly watches: WatchStore;
  readonly spaces: SpaceSettings;
  readonly privacy: Pick<Privacy, 'optedOut'>;
  readonly lanes: Pick<Lanes, 'wake' | 'interrupt'>;
  readonly catchUp: Pick<CatchUp, 'report' | 'missed'>;
  readonly port: (platform: string) => WatchPort | undefined;
}

/** Linked channels are one conversation, and so one lane. */
const laneOf = ({ group }: ChannelWatch, { channel }: MessageRef): string =>
  group === undefined ? `channel:${channel.id}` : `group:${group}`;

/** What a message that was seen, now or in the history, means for the inbox. */
export const createTake =
  ({ inbox, cursors, watches, spaces, privacy, lanes, port }: WatcherParts) =>
  async (message: Message): Promise<void> => {
    const { ref, author, position } = message;
    const { channel } = ref;
    const watch = watches.of(channel);
    if (author.kind === 'ourselves') {
      if (watch) cursors.advance(channel, position);
      return;
    }

    const person = { platform: channel.space.platform, id: author.id };
    const [choices, optedOut] = await Promise.all([
      spaces.of(channel.space),
      privacy.optedOut(person),
    ]);
    const accept = async (purpose: string, lane: string, skip?: string): Promise<Accepted> => {
      const accepted = await inbox.accept({ message, purpose, lane, skip });
      if (accepted === 'changed') lanes.interrupt(ref);
      if (accepted !== 'same' && skip === undefined)
        lanes.wake({ platform: channel.space.platform, lane });
      return accepted;
    };
    const follow = async (purposes: readonly string[]): Promise<void> => {
      for (const purpose of purposes.filter((one) => one !== WATCH))
        await accept(purpose, flagLane(ref), optedOut ? 'opted-out' : undefined);
    };

    const since = watch && port(channel.space.platform)?.positionAt(watches.sinceMs(watch));
    const isLater = since !== undefined && position >= since;
    const known = isLater ? [] : await inbox.purposes(ref);
    if (!watch || !(isLater || known.includes(WATCH))) {
      await follow(known);
      return;
    }
    const skip = skipReason(message, watch, choices, optedOut);
    const accepted = await accept(WATCH, laneOf(watch, ref), skip);
    // What is to be left alone now takes along what was made of it before.
    if (accepted === 'changed' && skip !== undefined)
      for (const lane of await inbox.gone([ref], WATCH)) lanes.wake(lane);
    cursors.advance(channel, position);
    if (accepted !== 'new') await follow(await inbox.purposes(ref));
  };

export const createWatcher = (
  parts: WatcherParts,
  take: (message: Message) => Promise<void>,
): Watcher & { readonly takeAway: (refs: readonly MessageRef[]) => Promise<void> } => {
  const { inbox, copies, watches, spaces, privacy, lanes, catchUp, port } = parts;

  const wakeAll = (changed: readonly Lane[]): void => {
    for (const lane of changed) lanes.wake(lane);
  };
  const takeAway = async (refs: readonly MessageRef[], purpose?: string): Promise<void> => {
    for (const ref of refs) lanes.interrupt(ref);
    wakeAll(await inbox.gone(refs, purpose));
  };

  const inOrder = (channel: Channel, run: () => Promise<void>): Promise<void> =>
    watches.of(channel) ? catchUp.report(channel, run) : run();

  return {
    takeAway,
    watches: (channel) => watches.of(channel) !== undefined,
    seen: (message) => inOrder(message.ref.channel, () => take(message)),
    gone: async (refs) => {
      const [first] = refs;
      if (first) await inOrder(first.channel, () => takeAway(refs));
    },

    reacted: async (ref, emoji, present) => {
      const { space } = ref.channel;
      const from = port(space.platform);
      const choices = await spaces.of(space);
      const language = languageOfReaction(emoji, choices);
      if (!from || language === undefined) return;
      const purpose = flagPurpose(language);
      if (!present) {
        if ((await from.reactions(ref, emoji)) === 0) await takeAway([ref], purpose);
        return;
      }
      const { channel } = ref;
      if (choices.quietChannels.includes(channel.id)) return;
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
      const lane = flagLane(ref);
      if ((await inbox.accept({ message, purpose, lane })) !== 'same')
        lanes.wake({ platform: space.platform, lane });
    },

    banned: async (space, authorId) => {
      const from = port(space.platform);
      if (!from) return;
      const gone: MessageRef[] = [];
      for (const ref of await inbox.writtenBy(space, authorId, BANNED_LOOKED_AT))
        if (!(await from.read(ref))) gone.push(ref);
      await takeAway(gone);
    },

    missed: (channels) => {
      for (const { channel, newest } of channels)
        if (watches.of(channel)) catchUp.missed(channel, newest);
    },

    channelGone: async (channel) => {
      await inbox.abandon(channel, 'channel-gone');
      if (watches.of(channel)?.channel.id === channel.id && channel.parentId === undefined)
        await watches.remove([channel]);
    },
    spaceGone: (space) => inbox.abandon(space, 'space-gone'),
  };
};
