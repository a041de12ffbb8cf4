import { randomBytes } from 'node:crypto';
import type { Json } from '../faults.ts';
import { permissionsIn } from '../permissions.ts';
import { joinGuild } from '../population.ts';
import { renderChannel, renderMember, renderMessage, renderUser } from '../render.ts';
import type { Channel, Command, Interaction, Message, User, World } from '../state.ts';
import { FakeInteraction } from './interaction.ts';
import type { Tools } from './tools.ts';

/** What a person does that the application is told of. */
export interface Start {
  readonly type: number;
  readonly user: User;
  readonly channel: Channel;
  readonly data: Json;
  readonly message?: Message;
  readonly command?: Command;
  readonly locale?: string | undefined;
}

/** 0 a server, 1 the bot's direct messages, 2 any other private channel. */
export const contextOf = (world: World, channel: Channel): 0 | 1 | 2 => {
  if (channel.guild !== undefined) return 0;
  return channel.recipients.includes(world.bot) ? 1 : 2;
};

const isHere = (world: World, channel: Channel): boolean =>
  channel.guild === undefined
    ? channel.recipients.includes(world.bot)
    : channel.guild.members.has(world.bot.id);

/** How the application comes to be usable there: by the server, by the person's account, or both. */
const ownersOf = (world: World, start: Start): Json => {
  const { channel, user, command } = start;
  const types = (command?.['integration_types'] ?? [0, 1]) as number[];
  const owners: Json = {};
  if (types.includes(0) && isHere(world, channel)) owners['0'] = channel.guild?.id ?? '0';
  if (types.includes(1) && user.installed) owners['1'] = user.id;
  return owners;
};

const renderPlace = (world: World, user: User, channel: Channel): Json => {
  const { guild } = channel;
  const shown = {
    ...renderChannel(channel),
    permissions: String(permissionsIn(world, channel, user.id)),
  };
  const common = { channel_id: channel.id, channel: shown };
  const member = guild?.members.get(user.id);
  if (guild === undefined || member === undefined)
    return { ...common, user: renderUser(user), app_permissions: '0' };
  return {
    ...common,
    guild_id: guild.id,
    guild: { id: guild.id, locale: guild.locale, features: [] },
    guild_locale: guild.locale,
    member: { ...renderMember(member), permissions: shown.permissions },
    app_permissions: String(permissionsIn(world, channel, world.bot.id)),
  };
};

/** Sends an INTERACTION_CREATE; throws where the application is not to be had. */
export const begin = (tools: Tools, start: Start): FakeInteraction => {
  const { world } = tools;
  const { user, channel } = start;
  if (channel.guild && !channel.guild.members.has(user.id))
    joinGuild(world, channel.guild, user, []);
  const owners = start.message?.interaction?.owners ?? ownersOf(world, start);
  if (Object.keys(owners).length === 0)
    throw new Error('the application is neither on this server nor installed by this person');
  const id = world.clock.snowflake();
  const interaction: Interaction = {
    id,
    token: randomBytes(64).toString('base64url'),
    type: start.type,
    user,
    channel,
    createdAt: world.clock.now(),
    createdRealMs: Date.now(),
    message: start.message,
    userInstalledOnly: owners['0'] === undefined,
    owners,
    command: start.command?.name,
    answer: undefined,
    original: undefined,
    followUps: [],
    choices: undefined,
    modal: undefined,
  };
  world.interactions.set(id, interaction);
  world.interactions.set(interaction.token, interaction);
  world.emit({
    t: 'INTERACTION_CREATE',
    intents: 0,
    guildId: channel.guild?.id,
    d: () => ({
      id,
      application_id: world.applicationId,
      type: start.type,
      token: interaction.token,
      version: 1,
      data: start.data,
      locale: start.locale ?? user.locale,
      entitlements: [],
      authorizing_integration_owners: owners,
      context: contextOf(world, channel),
      attachment_size_limit: world.fileLimitBytes,
      ...(start.message ? { message: renderMessage(world, start.message, true) } : {}),
      ...renderPlace(world, user, channel),
    }),
  });
  return new FakeInteraction(tools, interaction);
};
