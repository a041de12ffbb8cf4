import { GatewayDispatchEvents as Events, type APIEmoji } from 'discord.js';
import { positionOf } from '../ids.ts';
import type { On } from './client.ts';
import { isReadable, type MessageReader, type RawMessage } from './message-reader.ts';
import type { Interactions } from '../interactions/interactions.ts';
import type { MemberNames } from '../member-names.ts';
import type { ThreadParents } from '../thread-parents.ts';
import { createLru } from '../../../src/async/lru.ts';
import { faultFields } from '../../../src/errors.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import type { Channel, MessageRef } from '../../../src/model/place.ts';
import type { ChannelFeedListener } from '../../../src/ports/channel-feed.ts';
import type { RoomWatcher } from '../../../src/ports/voice.ts';

export interface InboundMessagesDeps {
  readonly listener: Pick<
    ChannelFeedListener,
    'follows' | 'messageChanged' | 'messagesDeleted' | 'messagesMissed' | 'pinChanged'
  >;
  readonly rooms: Pick<RoomWatcher, 'reads' | 'wrote'>;
  readonly log: Log;
  readonly reader: MessageReader;
  readonly members: Pick<MemberNames, 'note'>;
  readonly interactions: Pick<Interactions, 'lost'>;
  readonly parents: Pick<ThreadParents, 'channel'>;
  readonly fetch: (ref: MessageRef) => Promise<RawMessage | undefined>;
  readonly hasContentIntent: boolean;
}

const isWhole = (raw: Partial<RawMessage>): raw is RawMessage =>
  raw.author !== undefined && raw.content !== undefined && raw.attachments !== undefined;

const KNOWN_MESSAGES = 5_000;

/** The newest known version of each message: events change their order, and a RESUME repeats them. */
const createVersions = () => {
  /** Time of each message's last edit, ms since 1970; 0 if never edited, `Infinity` once deleted. */
  const edited = createLru<string, number>(KNOWN_MESSAGES);
  return {
    /** Adds a reported version; returns which is the newest: this one, one before, or none. */
    add: ({ id, edited_timestamp: at }: Pick<RawMessage, 'id' | 'edited_timestamp'>) => {
      const before = edited.get(id) ?? 0;
      const now = at ? Date.parse(at) : 0;
      edited.set(id, Math.max(before, now));
      if (before === Infinity) return 'deleted';
      return now < before ? 'before' : 'this';
    },
    delete: (ids: readonly string[]): void => {
      for (const id of ids) edited.set(id, Infinity);
    },
  };
};

/** Reports new, changed and deleted messages to the core. */
export const listenToMessages = (on: On, deps: InboundMessagesDeps): void => {
  const { listener, rooms, log, reader, members, interactions, parents, fetch } = deps;
  const versions = createVersions();
  const isLegible = (raw: RawMessage): boolean => deps.hasContentIntent || isReadable(raw);

  /** Reports the given or the current message; after a failure the history replaces it. */
  const report = async ({ channel, id }: MessageRef, given?: RawMessage): Promise<void> => {
    try {
      const raw = given ?? (await fetch({ channel, id }));
      if (!raw || !isLegible(raw)) return;
      await listener.messageChanged(reader.read(raw, channel));
    } catch (thrown) {
      log.error(
        { channel: channel.id, ...faultFields(thrown) },
        'a message could not be handled: its history is read',
      );
      listener.messagesMissed([{ channel, newest: positionOf(id) }]);
    }
  };

  /** Reports the newest state of a message: a late event may be older than an edit or deletion. */
  const reportNewest = async (given: RawMessage, channel: Channel): Promise<void> => {
    members.note(given);
    const newest = versions.add(given);
    if (newest === 'deleted') return;
    await report({ channel, id: given.id }, newest === 'this' ? given : undefined);
  };

  const deleted = async (
    { guild_id, channel_id }: { guild_id?: string; channel_id: string },
    ids: readonly string[],
  ): Promise<void> => {
    interactions.lost(ids);
    versions.delete(ids);
    const channel = parents.channel(guild_id, channel_id);
    await listener.messagesDeleted(ids.map((id) => ({ channel, id })));
  };

  on(Events.MessageCreate, async (raw) => {
    const channel = parents.channel(raw.guild_id, raw.channel_id);
    if (rooms.reads(channel) && isLegible(raw)) rooms.wrote(reader.read(raw, channel));
    if (listener.follows(channel)) await reportNewest(raw, channel);
  });
  on(Events.MessageUpdate, async (update) => {
    const channel = parents.channel(update.guild_id, update.channel_id);
    if (isWhole(update)) {
      await reportNewest(update, channel);
      if (listener.follows(channel) && !reader.isOurs(update))
        await listener.pinChanged({ channel, id: update.id }, update.pinned);
      return;
    }
    // Fetching every message that changes in any channel would cost too much.
    if (listener.follows(channel)) await report({ channel, id: update.id });
  });
  on(Events.MessageDelete, async (data) => deleted(data, [data.id]));
  on(Events.MessageDeleteBulk, async (data) => deleted(data, data.ids));
};

export interface InboundReactionsDeps {
  readonly listener: Pick<ChannelFeedListener, 'reactionChanged'>;
  readonly botId: string;
  readonly parents: Pick<ThreadParents, 'channel'>;
}

interface Place {
  readonly guild_id?: string;
  readonly channel_id: string;
  readonly message_id: string;
}

const emojiOf = ({ id, name }: Pick<APIEmoji, 'id' | 'name'>): string => id ?? name ?? '';

/** Messages whose emoji are remembered, and emoji of each. */
const MESSAGES = 2_000;
const EMOJI = 20;

/** Emoji on messages: when all are removed at once, Discord does not say which. */
const createReactionMemory = () => {
  const known = createLru<string, Set<string>>(MESSAGES);
  return {
    add: (messageId: string, emoji: string): void => {
      const emojis = known.get(messageId) ?? new Set();
      if (emojis.size < EMOJI) emojis.add(emoji);
      known.set(messageId, emojis);
    },
    /** Returns the emoji of a message and forgets them. */
    take: (messageId: string): readonly string[] => {
      const emojis = [...(known.get(messageId) ?? [])];
      known.delete(messageId);
      return emojis;
    },
  };
};

/** Reports people's new and removed reactions to the core. */
export const listenToReactions = (on: On, deps: InboundReactionsDeps): void => {
  const { listener, botId, parents } = deps;
  const memory = createReactionMemory();

  const refOf = ({ guild_id, channel_id, message_id }: Place): MessageRef => ({
    channel: parents.channel(guild_id, channel_id),
    id: message_id,
  });

  on(Events.MessageReactionAdd, async (data) => {
    // Other bots add reactions for people to press: for a role, as an answer to a poll.
    if (data.user_id === botId || data.member?.user.bot) return;
    memory.add(data.message_id, emojiOf(data.emoji));
    await listener.reactionChanged(refOf(data), emojiOf(data.emoji), true);
  });
  on(Events.MessageReactionRemove, async (data) => {
    // The event does not say if a bot removed it; the number of people left is looked up.
    if (data.user_id === botId) return;
    await listener.reactionChanged(refOf(data), emojiOf(data.emoji), false);
  });
  on(Events.MessageReactionRemoveEmoji, async (data) =>
    listener.reactionChanged(refOf(data), emojiOf(data.emoji), false),
  );
  on(Events.MessageReactionRemoveAll, async (data) => {
    const ref = refOf(data);
    for (const emoji of memory.take(ref.id)) await listener.reactionChanged(ref, emoji, false);
  });
};
