import {
  GatewayDispatchEvents as Events,
  type APIGuildMember,
  type APIUser,
  type GatewayVoiceStateUpdateDispatchData,
  ChannelType,
  Routes,
} from 'discord.js';
import type { RoomMember } from '../../../src/ports/voice.ts';
import type { On } from '../inbound/client.ts';
import { nameOf } from '../inbound/message-reader.ts';
import { toAppError } from '../../../src/errors.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import type { Api } from '../api.ts';
import { channelOf } from '../ids.ts';
import { grantedIn } from '../permissions.ts';
import type { Clients } from '../shards/clients.ts';
import type { Whereabouts } from './gateway.ts';

type State = Pick<GatewayVoiceStateUpdateDispatchData, 'user_id' | 'channel_id'> & {
  readonly member?: (Partial<APIGuildMember> & { readonly user?: APIUser }) | undefined;
};

export interface PresenceDeps {
  /** Reports that people came to a channel or left it. */
  readonly changed: (guildId: string, channelId: string) => void;
  /** Reports that somebody left a channel, or their server. */
  readonly left: (guildId: string, channelId: string, userId: string) => void;
}

interface Present extends RoomMember {
  readonly channelId: string;
}

/** Tracks who is in which voice channel. */
export const createPresence = ({ changed, left }: PresenceDeps) => {
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
    /** Drops a server whose shard another process has. */
    forget: (guildId: string): void => void guilds.delete(guildId),
    channelOf: (guildId: string, userId: string): string | undefined =>
      guilds.get(guildId)?.get(userId)?.channelId,
    /** All members in a channel, including the bot. */
    in: (guildId: string, channelId: string): readonly RoomMember[] =>
      [...(guilds.get(guildId)?.values() ?? [])]
        .filter((one) => one.channelId === channelId)
        .map(({ id, name, isBot }) => ({ id, name, isBot })),
    listen: (on: On): void => {
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

/** Moves the bot to the speakers of a stage, or asks to: everybody joins as audience. */
export const createStage = (api: Api, clients: Pick<Clients, 'here'>, log: Log) => {
  /** Stages where the bot asked already: after being moved back to the audience it stays there. */
  const asked = new Map<string, string>();

  const rise = async (guildId: string, channelId: string): Promise<void> => {
    const client = clients.here(guildId);
    const maySpeak = grantedIn(client, channelOf(guildId, channelId))?.has('MuteMembers');
    const request = maySpeak
      ? { suppress: false }
      : { request_to_speak_timestamp: new Date().toISOString() };
    await api.send('PATCH', Routes.guildVoiceState(guildId, '@me'), {
      body: { channel_id: channelId, ...request },
    });
  };

  return {
    placed: ({ guildId, channelId, isSuppressed }: Whereabouts): void => {
      if (asked.get(guildId) !== channelId) asked.delete(guildId);
      if (channelId === undefined || !isSuppressed || asked.has(guildId)) return;
      const found = clients.here(guildId)?.channels.cache.get(channelId);
      if (found?.type !== ChannelType.GuildStageVoice) return;
      asked.set(guildId, channelId);
      rise(guildId, channelId).catch((thrown: unknown) =>
        log.warn(
          { reason: toAppError(thrown).message },
          'Discord: the bot may not speak on a stage',
        ),
      );
    },
    gone: (guildId: string): void => void asked.delete(guildId),
  };
};
