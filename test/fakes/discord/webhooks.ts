import { randomBytes } from 'node:crypto';
import { Intent } from './codes.ts';
import { emitIn } from './posting.ts';
import type { Channel, User, Webhook, World } from './state.ts';

const told = (world: World, channel: Channel): void =>
  emitIn(world, channel, 'WEBHOOKS_UPDATE', Intent.GuildWebhooks, () => ({
    guild_id: channel.guild?.id,
    channel_id: channel.id,
  }));

export const webhooksOf = (world: World, channel: Channel): Webhook[] =>
  [...world.webhooks.values()].filter((one) => one.channel === channel);

export const addWebhook = (
  world: World,
  channel: Channel,
  creator: User,
  name: string,
): Webhook => {
  const webhook: Webhook = {
    id: world.clock.snowflake(),
    token: randomBytes(51).toString('base64url'),
    name,
    avatar: null,
    channel,
    creator,
    applicationId: creator === world.bot ? world.applicationId : null,
  };
  world.webhooks.set(webhook.id, webhook);
  told(world, channel);
  return webhook;
};

export const updateWebhook = (world: World, webhook: Webhook): void => told(world, webhook.channel);

export const removeWebhook = (world: World, webhook: Webhook): void => {
  world.webhooks.delete(webhook.id);
  told(world, webhook.channel);
};
