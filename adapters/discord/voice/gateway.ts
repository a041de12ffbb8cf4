import type { DiscordGatewayAdapterCreator } from '@discordjs/voice';
import {
  GatewayDispatchEvents as Events,
  Status,
  type Client,
  type GatewayVoiceServerUpdateDispatchData,
  type GatewayVoiceStateUpdateDispatchData,
} from 'discord.js';
import type { Clock } from '../../../src/room/clock.ts';
import type { On } from '../gateway/gateway-events.ts';

type Methods = Parameters<DiscordGatewayAdapterCreator>[0];

/** How @discordjs/voice says where it wants to be (op 4), and hears what became of it. */
export interface VoiceGateway {
  readonly adapterFor: (guildId: string) => DiscordGatewayAdapterCreator;
  listen(on: On, botId: string): void;
}

export interface VoiceGatewayParts {
  readonly client: () => Client;
  readonly clock: Clock;
  /** The gateway told where the bot is now; undefined: in no channel of the server. */
  readonly placed: (guildId: string, channelId: string | undefined) => void;
  /** A new session of the gateway knows nothing of the bot's being in a channel. */
  readonly misplaced: (guildId: string) => void;
}

/** The library asks anew at once, over and over; so soon after the last time it waits. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** After a time without asking, the next one waits no longer. */
const CALM_MS = 60_000;
/** The shard may be away itself. */
const SHARD_WAIT_MS = 1_000;

interface Payload {
  readonly d: { readonly channel_id: string | null };
}

/** Sends what one connection wants, the newest alone, and not too fast. */
const createSender = (send: (payload: Payload) => boolean, { nowMs, after }: Clock) => {
  let waiting: (() => void) | undefined;
  let waitMs = 0;
  let lastMs = -Infinity;

  const attempt = (payload: Payload): void => {
    waiting = undefined;
    lastMs = nowMs();
    if (!send(payload)) waiting = after(SHARD_WAIT_MS, () => attempt(payload));
  };
  return {
    send: (payload: Payload): void => {
      waiting?.();
      waiting = undefined;
      const sinceMs = nowMs() - lastMs;
      if (payload.d.channel_id === null) {
        send(payload);
        return;
      }
      if (sinceMs > CALM_MS) waitMs = 0;
      const leftMs = waitMs - sinceMs;
      waitMs = Math.min(LONGEST_WAIT_MS, Math.max(FIRST_WAIT_MS, waitMs * 2));
      if (leftMs <= 0) attempt(payload);
      else waiting = after(leftMs, () => attempt(payload));
    },
    stop: (): void => waiting?.(),
  };
};

export const createVoiceGateway = ({
  client,
  clock,
  placed,
  misplaced,
}: VoiceGatewayParts): VoiceGateway => {
  const connections = new Map<string, Methods>();

  const sendFor = (guildId: string, payload: Payload): boolean => {
    const shard = client().guilds.cache.get(guildId)?.shard;
    if (shard?.status !== Status.Ready) return false;
    shard.send(payload);
    return true;
  };

  return {
    adapterFor: (guildId) => (methods) => {
      connections.set(guildId, methods);
      const sender = createSender((payload) => sendFor(guildId, payload), clock);
      return {
        sendPayload: (payload: Payload) => {
          sender.send(payload);
          return true;
        },
        destroy: () => {
          sender.stop();
          if (connections.get(guildId) === methods) connections.delete(guildId);
        },
      };
    },
    listen: (on, botId) => {
      on(Events.VoiceServerUpdate, (data: GatewayVoiceServerUpdateDispatchData) =>
        connections.get(data.guild_id)?.onVoiceServerUpdate(data),
      );
      on(Events.VoiceStateUpdate, (data: GatewayVoiceStateUpdateDispatchData) => {
        const { user_id, guild_id, channel_id } = data;
        if (user_id !== botId || !guild_id) return;
        connections.get(guild_id)?.onVoiceStateUpdate(data);
        placed(guild_id, channel_id ?? undefined);
      });
      on(Events.GuildCreate, (guild) => {
        const isHere = guild.unavailable || guild.voice_states.some((one) => one.user_id === botId);
        if (!isHere) misplaced(guild.id);
      });
    },
  };
};
