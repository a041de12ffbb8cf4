import {
  GatewayDispatchEvents as Events,
  type APIGuildMember,
  type APIUser,
  type GatewayVoiceStateUpdateDispatchData,
} from 'discord.js';
import type { RoomMember } from '../../../src/ports/voice.ts';
import type { On } from '../inbound/client.ts';
import { nameOf } from '../inbound/message-reader.ts';

type State = Pick<GatewayVoiceStateUpdateDispatchData, 'user_id' | 'channel_id'> & {
  readonly member?: (Partial<APIGuildMember> & { readonly user?: APIUser }) | undefined;
};

/** Tracks who is in which voice channel. */
export interface Presence {
  channelOf(guildId: string, userId: string): string | undefined;
  /** All members in a channel, including the bot. */
  in(guildId: string, channelId: string): readonly RoomMember[];
  listen(on: On): void;
}

export interface PresenceDeps {
  /** Reports that people came to a channel or left it. */
  readonly changed: (guildId: string, channelId: string) => void;
  /** Reports that somebody left a channel, or their server. */
  readonly left: (guildId: string, channelId: string, userId: string) => void;
}

interface Present extends RoomMember {
  readonly channelId: string;
}

export const createPresence = ({ changed, left }: PresenceDeps): Presence => {
  const guilds = new Map<string, Map<string, Present>>();

  const note = (guildId: string, { user_id: id, channel_id: channelId, member }: State): void => {
    const people = guilds.get(guildId) ?? new Map<string, Present>();
    guilds.set(guildId, people);
    const before = people.get(id);
    const user = member?.user;
    if (channelId === null) people.delete(id);
    else
      people.set(id, {
        id,
        channelId,
        name: user ? nameOf(user, member.nick) : (before?.name ?? id),
        isBot: user?.bot ?? before?.isBot ?? false,
      });
    if (before && before.channelId !== channelId) {
      left(guildId, before.channelId, id);
      changed(guildId, before.channelId);
    }
    const after = people.get(id);
    const isSame = (['channelId', 'name', 'isBot'] as const).every(
      (part) => before?.[part] === after?.[part],
    );
    if (after && !isSame) changed(guildId, after.channelId);
  };

  const forget = (guildId: string): void => {
    const people = guilds.get(guildId);
    guilds.delete(guildId);
    const channels = new Set(people?.values().map(({ channelId }) => channelId));
    for (const { id, channelId } of people?.values() ?? []) left(guildId, channelId, id);
    for (const channelId of channels) changed(guildId, channelId);
  };

  return {
    channelOf: (guildId, userId) => guilds.get(guildId)?.get(userId)?.channelId,
    in: (guildId, channelId) =>
      [...(guilds.get(guildId)?.values() ?? [])]
        .filter((one) => one.channelId === channelId)
        .map(({ id, name, isBot }) => ({ id, name, isBot })),
    listen: (on) => {
      // This event repeats after each outage and new session, with all members who are present now.
      on(Events.GuildCreate, (guild) => {
        if (guild.unavailable) return;
        const members = new Map(guild.members.map((member) => [member.user.id, member]));
        const here = new Set(guild.voice_states.map(({ user_id }) => user_id));
        for (const id of guilds.get(guild.id)?.keys().toArray() ?? [])
          if (!here.has(id)) note(guild.id, { user_id: id, channel_id: null });
        for (const state of guild.voice_states)
          note(guild.id, { member: members.get(state.user_id), ...state });
      });
      on(Events.VoiceStateUpdate, (state) => {
        if (state.guild_id) note(state.guild_id, state);
      });
      on(Events.GuildDelete, ({ id, unavailable }) => {
        if (!unavailable) forget(id);
      });
    },
  };
};
