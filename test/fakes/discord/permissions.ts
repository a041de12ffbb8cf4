import { PermissionFlagsBits, PermissionsBitField, type PermissionsString } from 'discord.js';
import { INVITE_PERMISSIONS } from '../../../adapters/discord/permissions.ts';
import { VOICE_CHANNELS } from './codes.ts';
import { fault } from './faults.ts';
import type { Channel, Guild, World } from './state.ts';

export type PermissionName = PermissionsString;

const ALL = Object.values(PermissionFlagsBits).reduce((sum, bit) => sum | bit, 0n);

export const permissionBits = (names: readonly PermissionName[]): bigint =>
  names.reduce((sum, name) => sum | PermissionFlagsBits[name], 0n);

/** The names of what is allowed. */
export const namesOf = (bits: bigint): PermissionName[] => new PermissionsBitField(bits).toArray();

/** What everybody may do on a new server. */
export const EVERYONE: readonly PermissionName[] = [
  'ViewChannel',
  'SendMessages',
  'SendMessagesInThreads',
  'CreatePublicThreads',
  'EmbedLinks',
  'AttachFiles',
  'AddReactions',
  'UseExternalEmojis',
  'MentionEveryone',
  'ReadMessageHistory',
  'UseApplicationCommands',
  'SendVoiceMessages',
  'SendPolls',
  'Connect',
  'Speak',
];

/** What the invite link of the bot asks for, unless a test says otherwise. */
export const BOT: readonly PermissionName[] = new PermissionsBitField(INVITE_PERMISSIONS).toArray();

/** A thread's parent; any other channel itself. */
export const rootOf = (world: World, channel: Channel): Channel =>
  (channel.thread && channel.parentId !== null && world.channels.get(channel.parentId)) || channel;

/** What a member may do on the server, or in one of its channels (reference, "Permission overwrites"). */
export const permissionsOf = (guild: Guild, userId: string, channel?: Channel): bigint => {
  const member = guild.members.get(userId);
  if (member === undefined) return 0n;
  if (guild.ownerId === userId) return ALL;
  let allowed = guild.roles.get(guild.id)?.permissions ?? 0n;
  for (const id of member.roles) allowed |= guild.roles.get(id)?.permissions ?? 0n;
  if (allowed & PermissionFlagsBits.Administrator) return ALL;
  if (channel === undefined) return allowed;
  const apply = (overwrites: Channel['overwrites']): void => {
    for (const one of overwrites) allowed &= ~one.deny;
    for (const one of overwrites) allowed |= one.allow;
  };
  apply(channel.overwrites.filter((one) => one.id === guild.id));
  apply(channel.overwrites.filter((one) => one.type === 0 && member.roles.includes(one.id)));
  apply(channel.overwrites.filter((one) => one.type === 1 && one.id === userId));
  return allowed;
};

/** Where people speak, nothing is allowed without Connect (reference, "Implicit Permissions"). */
export const permissionsIn = (world: World, channel: Channel, userId: string): bigint => {
  if (channel.guild === undefined) return permissionBits([...EVERYONE]);
  const allowed = permissionsOf(channel.guild, userId, rootOf(world, channel));
  const isShut =
    VOICE_CHANNELS.includes(channel.type) && (allowed & PermissionFlagsBits.Connect) === 0n;
  return isShut ? 0n : allowed;
};

export const may = (
  world: World,
  channel: Channel,
  userId: string,
  ...names: PermissionName[]
): boolean => {
  const wanted = permissionBits(names);
  return (permissionsIn(world, channel, userId) & wanted) === wanted;
};

/** The channel, if the bot can see it: 10003 for an unknown one, 50001 for a closed one. */
export const visibleChannel = (world: World, id: string): Channel => {
  const channel = world.channels.get(id);
  if (channel === undefined || channel.deleted) throw fault(10003);
  const { guild } = channel;
  const sees =
    guild === undefined
      ? channel.recipients.includes(world.bot)
      : guild.members.has(world.bot.id) && may(world, channel, world.bot.id, 'ViewChannel');
  if (!sees) throw fault(50001);
  return channel;
};

/** Refuses with 50013 what the bot may not do in the channel. */
export const demand = (world: World, channel: Channel, ...names: PermissionName[]): void => {
  if (channel.guild !== undefined && !may(world, channel, world.bot.id, ...names))
    throw fault(50013);
};

/** The server, if the bot is on it: 10004 otherwise, as for one that does not exist. */
export const joinedGuild = (world: World, id: string): Guild => {
  const guild = world.guilds.get(id);
  if (guild === undefined) throw fault(10004);
  if (!guild.members.has(world.bot.id)) throw fault(50001);
  return guild;
};
