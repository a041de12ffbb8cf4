import {
  GatewayDispatchEvents as Events,
  type APIChannel,
  type APIThreadChannel,
  type Client,
  type GatewayChannelDeleteDispatchData,
  type GatewayGuildBanAddDispatchData,
  type GatewayGuildCreateDispatchData,
  type GatewayGuildDeleteDispatchData,
  type GatewayGuildMemberUpdateDispatchData,
  type GatewayGuildRoleUpdateDispatchData,
  type GatewayInteractionCreateDispatchData,
  type GatewayMessageDeleteBulkDispatchData,
  type GatewayMessageDeleteDispatchData,
  type GatewayMessageReactionAddDispatchData,
  type GatewayMessageReactionRemoveAllDispatchData,
  type GatewayMessageReactionRemoveDispatchData,
  type GatewayMessageReactionRemoveEmojiDispatchData,
  type GatewayThreadDeleteDispatchData,
  type GatewayThreadListSyncDispatchData,
  type GatewayVoiceServerUpdateDispatchData,
  type GatewayVoiceStateUpdateDispatchData,
  type GatewayWebhooksUpdateDispatchData,
} from 'discord.js';
import { toAppError } from '../../../src/errors.ts';
import type { Log } from '../../../src/log.ts';
import type { RawMessage } from './message-reader.ts';

/** The data of each event that we follow. */
interface Dispatched {
  readonly [Events.MessageCreate]: RawMessage;
  /** Embeds that load later may come alone. */
  readonly [Events.MessageUpdate]: Partial<RawMessage> & Pick<RawMessage, 'id' | 'channel_id'>;
  readonly [Events.MessageDelete]: GatewayMessageDeleteDispatchData;
  readonly [Events.MessageDeleteBulk]: GatewayMessageDeleteBulkDispatchData;
  readonly [Events.MessageReactionAdd]: GatewayMessageReactionAddDispatchData;
  readonly [Events.MessageReactionRemove]: GatewayMessageReactionRemoveDispatchData;
  readonly [Events.MessageReactionRemoveAll]: GatewayMessageReactionRemoveAllDispatchData;
  readonly [Events.MessageReactionRemoveEmoji]: GatewayMessageReactionRemoveEmojiDispatchData;
  readonly [Events.GuildBanAdd]: GatewayGuildBanAddDispatchData;
  readonly [Events.GuildCreate]:
    | GatewayGuildCreateDispatchData
    | { readonly id: string; readonly unavailable: true };
  readonly [Events.GuildDelete]: GatewayGuildDeleteDispatchData;
  readonly [Events.GuildRoleUpdate]: GatewayGuildRoleUpdateDispatchData;
  /** Comes for the bot alone: for others it needs an intent that we do not ask for. */
  readonly [Events.GuildMemberUpdate]: GatewayGuildMemberUpdateDispatchData;
  readonly [Events.ChannelUpdate]: APIChannel;
  readonly [Events.ChannelDelete]: GatewayChannelDeleteDispatchData;
  readonly [Events.ThreadCreate]: APIThreadChannel;
  readonly [Events.ThreadUpdate]: APIThreadChannel;
  readonly [Events.ThreadListSync]: GatewayThreadListSyncDispatchData;
  readonly [Events.ThreadDelete]: GatewayThreadDeleteDispatchData;
  readonly [Events.VoiceServerUpdate]: GatewayVoiceServerUpdateDispatchData;
  readonly [Events.VoiceStateUpdate]: GatewayVoiceStateUpdateDispatchData;
  readonly [Events.WebhooksUpdate]: GatewayWebhooksUpdateDispatchData;
  readonly [Events.InteractionCreate]: GatewayInteractionCreateDispatchData;
}

export type On = <Event extends keyof Dispatched>(
  event: Event,
  handle: (data: Dispatched[Event]) => Promise<void> | void,
) => void;

/**
 * Follows the gateway in its own words: they are the same whatever discord.js has in its caches, and
 * come in their order, also while it still waits for its servers. What goes wrong is logged.
 */
export const createOn =
  (client: Client, log: Log): On =>
  (event, handle) => {
    client.ws.on(event, (data: Parameters<typeof handle>[0]) => {
      const run = async (): Promise<void> => handle(data);
      run().catch((thrown: unknown) => {
        const { code, message, cause } = toAppError(thrown);
        log.error({ event, code, reason: message, err: cause }, 'an event could not be handled');
      });
    });
  };
