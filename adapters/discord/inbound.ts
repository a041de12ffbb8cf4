import {
  ChannelType,
  GatewayDispatchEvents as Events,
  type APIEmoji,
  type Client,
} from 'discord.js';
import { toAppError } from '../../src/errors.ts';
import type { Log } from '../../src/log.ts';
import type { Channel, MessageRef } from '../../src/model.ts';
import type { Watcher } from '../../src/watch/port.ts';
import { createOn } from './gateway-events.ts';
import { channelOf, positionOf, spaceOf } from './ids.ts';
import type { Interactions } from './interactions.ts';
import { createLastTold } from './last-told.ts';
import type { Members } from './members.ts';
import { isReadable, type MessageReader, type RawMessage } from './message.ts';
import { createPlaces } from './places.ts';
import { createReactionMemory } from './reaction-memory.ts';

export interface InboundParts {
  readonly watcher: Watcher;
  readonly log: Log;
  readonly botId: string;
  readonly reader: MessageReader;
  readonly members: Pick<Members, 'note'>;
  readonly interactions: Pick<Interactions, 'take' | 'lost'>;
  /** The message as it is now. */
  readonly fetch: (ref: MessageRef) => Promise<RawMessage | undefined>;
  readonly hasContentIntent: boolean;
  readonly threadGone: (threadId: string) => void;
}

const emojiOf = ({ id, name }: Pick<APIEmoji, 'id' | 'name'>): string => id ?? name ?? '';

const newestOf = (channel: object): string | undefined =>
  'last_message_id' in channel && typeof channel.last_message_id === 'string'
    ? positionOf(channel.last_message_id)
    : undefined;

const isWhole = (raw: Partial<RawMessage>): raw is RawMessage =>
  raw.author !== undefined && raw.content !== undefined && raw.attachments !== undefined;

/** Tells the core what happens. */
export const listen = (client: Client, parts: InboundParts): void => {
  const { watcher, log, botId, reader, members, interactions, fetch, hasContentIntent } = parts;
  const on = createOn(client, log);
  const places = createPlaces();
  const reactions = createReactionMemory();
  const lastTold = createLastTold();

  const refOf = (data: { guild_id?: string; channel_id: string }, id: string): MessageRef => ({
    channel: places.channel(data.guild_id, data.channel_id),
    id,
  });

  /** What is told, or the message as it is now; what fails here is made good by the history. */
  const see = async ({ channel, id }: MessageRef, told?: RawMessage): Promise<void> => {
    try {
      const raw = told ?? (await fetch({ channel, id }));
      if (!raw || (!hasContentIntent && !isReadable(raw))) return;
      await watcher.seen(reader.read(raw, channel));
    } catch (thrown) {
      const { code, message } = toAppError(thrown);
      log.error({ channel: channel.id, code, reason: message }, 'a message was not kept: again');
      watcher.missed([{ channel, newest: positionOf(id) }]);
    }
  };

  /** The message as it is: what comes late may have been overtaken by an edit, or a delete. */
  const seeNewest = async (told: RawMessage, channel: Channel): Promise<void> => {
    members.note(told);
    const newer = lastTold.note(told);
    if (newer === 'gone') return;
    await see({ channel, id: told.id }, newer === 'this' ? told : undefined);
  };

  on(Events.MessageCreate, async (raw) => {
    const channel = places.channel(raw.guild_id, raw.channel_id);
    if (watcher.watches(channel)) await seeNewest(raw, channel);
  });
  on(Events.MessageUpdate, async (update) => {
    const channel = places.channel(update.guild_id, update.channel_id);
    if (isWhole(update)) return seeNewest(update, channel);
    // To fetch each message that changes anywhere would cost more than it is worth.
    if (watcher.watches(channel)) await see({ channel, id: update.id });
  });
  on(Events.MessageDelete, async (data) => {
    interactions.lost([data.id]);
    lastTold.gone([data.id]);
    await watcher.gone([refOf(data, data.id)]);
  });
  on(Events.MessageDeleteBulk, async (data) => {
    interactions.lost(data.ids);
    lastTold.gone(data.ids);
    await watcher.gone(data.ids.map((id) => refOf(data, id)));
  });

  on(Events.MessageReactionAdd, async (data) => {
    if (data.user_id === botId) return;
    reactions.add(data.message_id, emojiOf(data.emoji));
    await watcher.reacted(refOf(data, data.message_id), emojiOf(data.emoji), true);
  });
  on(Events.MessageReactionRemove, async (data) => {
    if (data.user_id === botId) return;
    await watcher.reacted(refOf(data, data.message_id), emojiOf(data.emoji), false);
  });
  on(Events.MessageReactionRemoveEmoji, async (data) =>
    watcher.reacted(refOf(data, data.message_id), emojiOf(data.emoji), false),
  );
  on(Events.MessageReactionRemoveAll, async (data) => {
    const ref = refOf(data, data.message_id);
    for (const emoji of reactions.take(ref.id)) await watcher.reacted(ref, emoji, false);
  });

  on(Events.GuildBanAdd, async ({ guild_id, user }) =>
    watcher.banned(spaceOf(guild_id, ''), user.id),
  );

  // It comes first in each new session and after each outage, before any message of the server:
  // what was written meanwhile is fetched before what is written now.
  on(Events.GuildCreate, (guild) => {
    if (guild.unavailable) return;
    for (const thread of guild.threads) places.thread(guild.id, thread);
    const channels = [...guild.channels, ...guild.threads];
    watcher.missed(
      channels
        .filter(({ type }) => type !== ChannelType.GuildCategory)
        .map((channel) => ({
          channel: places.channel(guild.id, channel.id),
          newest: newestOf(channel),
        })),
    );
  });
  on(Events.GuildDelete, async ({ id, unavailable }) => {
    if (unavailable) return;
    places.removeGuild(id);
    interactions.lost([id]);
    await watcher.spaceGone(spaceOf(id, ''));
  });
  on(Events.ChannelDelete, async (channel) => {
    places.removeChannel(channel.id);
    interactions.lost([channel.id]);
    const guildId = 'guild_id' in channel ? channel.guild_id : undefined;
    await watcher.channelGone(channelOf(guildId, channel.id));
  });

  for (const event of [Events.ThreadCreate, Events.ThreadUpdate] as const)
    on(event, (thread) => {
      if (thread.guild_id) places.thread(thread.guild_id, thread);
    });
  on(Events.ThreadListSync, ({ guild_id, threads }) => {
    for (const thread of threads) places.thread(guild_id, thread);
  });
  on(Events.ThreadDelete, async ({ id, guild_id, parent_id }) => {
    places.removeChannel(id);
    interactions.lost([id]);
    parts.threadGone(id);
    await watcher.channelGone(channelOf(guild_id, id, parent_id));
  });

  on(Events.InteractionCreate, async (interaction) => interactions.take(interaction));
};
