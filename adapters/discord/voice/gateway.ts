import type { DiscordGatewayAdapterCreator } from '@discordjs/voice';
import {
  GatewayDispatchEvents as Events,
  GatewayOpcodes,
  Status,
  type GatewayVoiceServerUpdateDispatchData,
  type GatewayVoiceStateUpdateDispatchData,
} from 'discord.js';
import { type Clock, backoffMs, type Backoff } from '../../../src/async/clock.ts';
import type { On } from '../inbound/client.ts';
import type { Clients } from '../shards/clients.ts';
import { createBudget, type Budget } from './recovery.ts';

/** The request for a voice channel in one server (op 4); null: none. */
export interface VoicePayload {
  readonly op: number;
  readonly d: { readonly channel_id: string | null; readonly [key: string]: unknown };
}

/**
 * Waits between requests that fail: the library repeats them at once, over and over. The longest is
 * short, as the budget of the shard limits all of them together.
 */
const BACKOFF: Backoff = { firstMs: 1_000, longestMs: 3_000 };
/** Time without a request after which the next one does not wait. */
const CALM_MS = 60_000;
/** Least time of a connection that counts as a success. */
const STABLE_MS = 5_000;
/** Wait for a shard that is not connected or has no capacity. */
const SHARD_WAIT_MS = 1_000;

/** Outcome of sending; not sent while the shard is `away`, or `crowded` by other requests. */
export type Sent = 'sent' | 'away' | 'crowded';

export interface SenderDeps {
  readonly send: (payload: VoicePayload) => Sent;
  readonly clock: Clock;
  /** True when the bot may be in a channel of the server already. */
  readonly isThere: boolean;
}

export type Sender = ReturnType<typeof createSender>;

export const createSender = ({ send, clock, ...deps }: SenderDeps) => {
  const { nowMs, after } = clock;
  let cancel: (() => void) | undefined;
  let { isThere } = deps;
  let isCrowded = false;
  /** Number of requests since the last success. */
  let requests = 0;
  let askedMs = Number.NEGATIVE_INFINITY;
  let connectedMs = Number.NEGATIVE_INFINITY;

  const stop = (): void => {
    cancel?.();
    cancel = undefined;
    isCrowded = false;
  };
  const attempt = (payload: VoicePayload): void => {
    const outcome = send(payload);
    isCrowded = outcome === 'crowded';
    cancel = outcome === 'sent' ? undefined : after(SHARD_WAIT_MS, () => attempt(payload));
    if (cancel) return;
    isThere = payload.d.channel_id !== null;
    if (!isThere) return;
    askedMs = nowMs();
    requests += 1;
  };
  return {
    /** True when a request waits because the shard has no capacity. */
    get isCrowded(): boolean {
      return isCrowded;
    },
    get isThere(): boolean {
      return isThere;
    },
    /** Sends only the newest request: joins not too often, leaves at once, and only where needed. */
    send: (payload: VoicePayload): void => {
      stop();
      if (payload.d.channel_id === null) {
        if (isThere) attempt(payload);
        return;
      }
      const sinceMs = nowMs() - askedMs;
      const hasSucceeded = connectedMs >= askedMs && nowMs() - connectedMs >= STABLE_MS;
      if (hasSucceeded || sinceMs > CALM_MS) requests = 0;
      const leftMs = requests === 0 ? 0 : backoffMs(BACKOFF, requests - 1) - sinceMs;
      if (leftMs <= 0) attempt(payload);
      else cancel = after(leftMs, () => attempt(payload));
    },
    /** Notes that the connection that was asked for is there. */
    connected: (): void => {
      connectedMs = nowMs();
    },
    stop,
  };
};

type Methods = Parameters<DiscordGatewayAdapterCreator>[0];

/**
 * Most voice requests: 100 of the 120 events a minute that the gateway takes ("Rate Limiting"); the
 * rest is for heartbeats and other events of a shard. Beyond 113 discord.js would delay them
 * itself, all in order, outdated or not.
 */
const SENDS = { most: 100, windowMs: 60_000 };

/** The bot's voice state; no channel: it is in none of the server. */
export interface Whereabouts {
  readonly guildId: string;
  readonly channelId: string | undefined;
  /** True in the audience of a stage, and without the permission to speak. */
  readonly isSuppressed: boolean;
  /** True when a moderator muted the bot on the server. */
  readonly isMuted: boolean;
  readonly isDeafened: boolean;
}

const whereaboutsOf = (
  guildId: string,
  state: Pick<GatewayVoiceStateUpdateDispatchData, 'channel_id' | 'suppress' | 'mute' | 'deaf'>,
): Whereabouts => ({
  guildId,
  channelId: state.channel_id ?? undefined,
  isSuppressed: state.suppress,
  isMuted: state.mute,
  isDeafened: state.deaf,
});

export interface VoiceGatewayDeps {
  readonly clients: Pick<Clients, 'here'>;
  readonly clock: Clock;
  readonly placed: (where: Whereabouts) => void;
  /** Reports a new session of the gateway that does not know of the bot's channel. */
  readonly misplaced: (guildId: string) => void;
  readonly gone: (guildId: string) => void;
  /**
   * Reports that a server is there; resolves with true when the bot is back in its room there, or is to be in none,
   * and with false while that is not known.
   */
  readonly ready: (guildId: string) => Promise<boolean>;
}

export type VoiceGateway = ReturnType<typeof createVoiceGateway>;

/** Carries requests of @discordjs/voice for a channel (op 4), and their outcome. */
export const createVoiceGateway = (deps: VoiceGatewayDeps) => {
  const { clients, clock, placed } = deps;
  const connections = new Map<string, Methods>();
  /** Senders by server; they outlive connections, since a leave may have to wait for its shard. */
  const senders = new Map<string, Sender>();

  const budgets = new WeakMap<object, Budget>();

  const budgetOf = (shard: object): Budget => {
    const known = budgets.get(shard) ?? createBudget(SENDS.most, SENDS.windowMs, clock.nowMs);
    budgets.set(shard, known);
    return known;
  };
  const sendFor = (guildId: string, payload: VoicePayload): Sent => {
    const shard = clients.here(guildId)?.guilds.cache.get(guildId)?.shard;
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

  const comeBackOrLeave = async (guildId: string, channelId: string | undefined): Promise<void> => {
    const isSettled = await deps.ready(guildId);
    // While it is not, the bot may be there by another process.
    if (isSettled && channelId !== undefined && !connections.has(guildId)) leave(guildId);
  };

  const forget = (guildId: string): void => {
    deps.gone(guildId);
    senders.get(guildId)?.stop();
    senders.delete(guildId);
  };

  return {
    adapterFor:
      (guildId: string): DiscordGatewayAdapterCreator =>
      (methods) => {
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
    /** Notes that a connection is there, so that the next loss is repaired without a wait. */
    connected: (guildId: string): void => senders.get(guildId)?.connected(),
    /** True when a request waits because the shard has received too many others. */
    isCrowded: (guildId: string): boolean => senders.get(guildId)?.isCrowded ?? false,
    /** @param serves false where requests for a server go to another client, whose events count then */
    listen: (on: On, botId: string, serves: (guildId: string) => boolean): void => {
      on(Events.VoiceServerUpdate, (data: GatewayVoiceServerUpdateDispatchData) => {
        if (serves(data.guild_id)) connections.get(data.guild_id)?.onVoiceServerUpdate(data);
      });
      on(Events.VoiceStateUpdate, (data: GatewayVoiceStateUpdateDispatchData) => {
        const { user_id, guild_id: guildId } = data;
        if (user_id !== botId || !guildId || !serves(guildId)) return;
        connections.get(guildId)?.onVoiceStateUpdate(data);
        placed(whereaboutsOf(guildId, data));
      });
      // The voice state in this event is of the session before, whose end would disconnect the bot.
      on(Events.GuildCreate, (guild) => {
        if (guild.unavailable || !serves(guild.id)) return;
        const guildId = guild.id;
        const own = guild.voice_states.find(({ user_id }) => user_id === botId);
        const channelId = own?.channel_id ?? undefined;
        if (!connections.has(guildId)) return comeBackOrLeave(guildId, channelId);
        if (own && channelId !== undefined) placed(whereaboutsOf(guildId, own));
        deps.misplaced(guildId);
      });
      on(Events.GuildDelete, ({ id, unavailable }) => {
        if (!unavailable) forget(id);
      });
    },
    /** Drops a server that the bot was removed from, or whose shard another process has. */
    forget,
    stop: (): void => {
      for (const sender of senders.values()) sender.stop();
      senders.clear();
    },
  };
};
