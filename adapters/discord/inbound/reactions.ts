import { type APIEmoji, GatewayDispatchEvents as Events } from 'discord.js';
import type { On } from './client.ts';
import type { ThreadParents } from '../memory.ts';
import { createLru } from '../../../src/async/lru.ts';
import type { MessageRef } from '../../../src/model/place.ts';
import type { ChannelFeedListener } from '../../../src/ports/channel-feed.ts';

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
