import { GatewayDispatchEvents as Events } from 'discord.js';
import { toAppError } from '../../../src/errors.ts';
import type { Log } from '../../../src/log.ts';
import type { Channel, MessageRef } from '../../../src/model/place.ts';
import type { RoomWatcher } from '../../../src/ports/voice.ts';
import type { ChannelFeedListener } from '../../../src/ports/channel-feed.ts';
import type { On } from './gateway-events.ts';
import { positionOf } from '../ids.ts';
import type { Interactions } from '../interactions/interactions.ts';
import { createLastTold } from './last-told.ts';
import type { MemberNames } from '../member-names.ts';
import { isReadable, type MessageReader, type RawMessage } from './message-reader.ts';
import type { ThreadParents } from './thread-parents.ts';

export interface InboundMessagesDeps {
  readonly listener: Pick<
    ChannelFeedListener,
    'follows' | 'messageChanged' | 'messagesDeleted' | 'messagesMissed'
  >;
  readonly rooms: Pick<RoomWatcher, 'reads' | 'wrote'>;
  readonly log: Log;
  readonly reader: MessageReader;
  readonly members: Pick<MemberNames, 'note'>;
  readonly interactions: Pick<Interactions, 'lost'>;
  readonly parents: Pick<ThreadParents, 'channel'>;
  /** The message as it is now. */
  readonly fetch: (ref: MessageRef) => Promise<RawMessage | undefined>;
  readonly hasContentIntent: boolean;
}

const isWhole = (raw: Partial<RawMessage>): raw is RawMessage =>
  raw.author !== undefined && raw.content !== undefined && raw.attachments !== undefined;

/** Tells the core which messages come, change and go. */
export const listenToMessages = (on: On, deps: InboundMessagesDeps): void => {
  const { listener, rooms, log, reader, members, interactions, parents, fetch } = deps;
  const lastTold = createLastTold();
  const isLegible = (raw: RawMessage): boolean => deps.hasContentIntent || isReadable(raw);

  /** Reports a message as it is told, or as it is now; what fails here is made good by the history. */
  const see = async ({ channel, id }: MessageRef, told?: RawMessage): Promise<void> => {
    try {
      const raw = told ?? (await fetch({ channel, id }));
      if (!raw || !isLegible(raw)) return;
      await listener.messageChanged(reader.read(raw, channel));
    } catch (thrown) {
      const { code, message } = toAppError(thrown);
      log.error({ channel: channel.id, code, reason: message }, 'a message was not kept: again');
      listener.messagesMissed([{ channel, newest: positionOf(id) }]);
    }
  };

  /** The message as it is: what comes late may have been overtaken by an edit, or a delete. */
  const seeNewest = async (told: RawMessage, channel: Channel): Promise<void> => {
    members.note(told);
    const newer = lastTold.note(told);
    if (newer === 'gone') return;
    await see({ channel, id: told.id }, newer === 'this' ? told : undefined);
  };

  const gone = async (
    { guild_id, channel_id }: { guild_id?: string; channel_id: string },
    ids: readonly string[],
  ): Promise<void> => {
    interactions.lost(ids);
    lastTold.gone(ids);
    const channel = parents.channel(guild_id, channel_id);
    await listener.messagesDeleted(ids.map((id) => ({ channel, id })));
  };

  on(Events.MessageCreate, async (raw) => {
    const channel = parents.channel(raw.guild_id, raw.channel_id);
    if (rooms.reads(channel) && isLegible(raw)) rooms.wrote(reader.read(raw, channel));
    if (listener.follows(channel)) await seeNewest(raw, channel);
  });
  on(Events.MessageUpdate, async (update) => {
    const channel = parents.channel(update.guild_id, update.channel_id);
    if (isWhole(update)) return seeNewest(update, channel);
    // To fetch each message that changes anywhere would cost more than it is worth.
    if (listener.follows(channel)) await see({ channel, id: update.id });
  });
  on(Events.MessageDelete, async (data) => gone(data, [data.id]));
  on(Events.MessageDeleteBulk, async (data) => gone(data, data.ids));
};
