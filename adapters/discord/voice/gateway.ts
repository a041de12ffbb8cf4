import type { DiscordGatewayAdapterCreator } from '@discordjs/voice';
import {
  GatewayDispatchEvents as Events,
  GatewayOpcodes,
  Status,
  type Client,
  type GatewayVoiceServerUpdateDispatchData,
  type GatewayVoiceStateUpdateDispatchData,
} from 'discord.js';
import type { Clock } from '../../../src/async/clock.ts';
import type { On } from '../inbound/client.ts';
import { createBudget, type Budget } from './budget.ts';
import { createSender, type Sender, type Sent, type VoicePayload } from './sender.ts';

type Methods = Parameters<DiscordGatewayAdapterCreator>[0];

/**
 * Most voice requests: 100 of the 120 events a minute that the gateway takes ("Rate Limiting"); the
 * rest is for heartbeats and other events of a shard. Beyond 113 discord.js would delay them
 * itself, all in order, outdated or not.
 */
const SENDS = { most: 100, windowMs: 60_000 };

/** Carries requests of @discordjs/voice for a channel (op 4), and their outcome. */
export interface VoiceGateway {
  readonly adapterFor: (guildId: string) => DiscordGatewayAdapterCreator;
  /** True when a request waits because the shard has received too many others. */
  readonly isCrowded: (guildId: string) => boolean;
  listen(on: On, botId: string): void;
  /** Stops sending. */
  stop(): void;
}

/** The bot's voice state; no channel: it is in none of the server. */
export interface Whereabouts {
  readonly guildId: string;
  readonly channelId: string | undefined;
  /** True in the audience of a stage. */
  readonly isSuppressed: boolean;
}

export interface VoiceGatewayDeps {
  readonly client: () => Client;
  readonly clock: Clock;
  readonly placed: (where: Whereabouts) => void;
  /** Reports a new session of the gateway that does not know of the bot's channel. */
  readonly misplaced: (guildId: string) => void;
  /** Reports that the bot is no longer in the server. */
  readonly gone: (guildId: string) => void;
}

export const createVoiceGateway = (deps: VoiceGatewayDeps): VoiceGateway => {
  const { client, clock, placed } = deps;
  const connections = new Map<string, Methods>();
  /** Senders by server; they outlive connections, since a leave may have to wait for its shard. */
  const senders = new Map<string, Sender>();

  /** Limits of each shard. */
  const budgets = new WeakMap<object, Budget>();

  const budgetOf = (shard: object): Budget => {
    const known = budgets.get(shard) ?? createBudget(SENDS.most, SENDS.windowMs, clock.nowMs);
    budgets.set(shard, known);
    return known;
  };
  const sendFor = (guildId: string, payload: VoicePayload): Sent => {
    const shard = client().guilds.cache.get(guildId)?.shard;
    // A request for a server that no longer exists is dropped.
    if (!shard) return 'sent';
    if (shard.status !== Status.Ready) return 'away';
    if (!budgetOf(shard).take()) return 'crowded';
    shard.send(payload);
    return 'sent';
  };
  const senderFor = (guildId: string, isThere: boolean): Sender => {
    senders.get(guildId)?.stop();
    const send = (payload: VoicePayload): Sent => sendFor(guildId, payload);
    const sender = createSender({ send, clock, isThere });
    senders.set(guildId, sender);
    return sender;
  };
  /** Leaves a channel in which an earlier process was when it ended abnormally. */
  const leave = (guildId: string): void =>
    senderFor(guildId, true).send({
      op: GatewayOpcodes.VoiceStateUpdate,
      d: { guild_id: guildId, channel_id: null, self_mute: false, self_deaf: false },
    });

  return {
    adapterFor: (guildId) => (methods) => {
      connections.set(guildId, methods);
      const sender = senderFor(guildId, senders.get(guildId)?.isThere ?? false);
      return {
        sendPayload: (payload: VoicePayload) => {
          sender.send(payload);
          return true;
        },
        destroy: () => {
          if (connections.get(guildId) === methods) connections.delete(guildId);
        },
      };
    },
    isCrowded: (guildId) => senders.get(guildId)?.isCrowded ?? false,
    listen: (on, botId) => {
      on(Events.VoiceServerUpdate, (data: GatewayVoiceServerUpdateDispatchData) =>
        connections.get(data.guild_id)?.onVoiceServerUpdate(data),
      );
      on(Events.VoiceStateUpdate, (data: GatewayVoiceStateUpdateDispatchData) => {
        const { user_id, guild_id: guildId, channel_id, suppress } = data;
        if (user_id !== botId || !guildId) return;
        connections.get(guildId)?.onVoiceStateUpdate(data);
        placed({ guildId, channelId: channel_id ?? undefined, isSuppressed: suppress });
      });
      // The voice state in this event is of the session before, whose end would disconnect the bot.
      on(Events.GuildCreate, (guild) => {
        if (guild.unavailable) return;
        const guildId = guild.id;
        const own = guild.voice_states.find(({ user_id }) => user_id === botId);
        const channelId = own?.channel_id ?? undefined;
        if (!connections.has(guildId)) {
          if (channelId !== undefined) leave(guildId);
          return;
        }
        if (channelId !== undefined)
          placed({ guildId, channelId, isSuppressed: own?.suppress ?? false });
        deps.misplaced(guildId);
      });
      on(Events.GuildDelete, ({ id, unavailable }) => {
        if (unavailable) return;
        deps.gone(id);
        senders.get(id)?.stop();
        senders.delete(id);
      });
    },
    stop: () => {
      for (const sender of senders.values()) sender.stop();
      senders.clear();
    },
  };
};
