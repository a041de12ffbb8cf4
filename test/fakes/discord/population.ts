import { Intent } from './codes.ts';
import type { Json } from './faults.ts';
import { BOT, EVERYONE, permissionBits, type PermissionName } from './permissions.ts';
import {
  renderChannel,
  renderGuild,
  renderJoinedGuild,
  renderMember,
  renderRole,
  renderUser,
} from './render.ts';
import { deleteMessages } from './posting.ts';
import type { Channel, Guild, Member, Role, User, World } from './state.ts';
import { emptyVoice, leaveVoice } from './voice/states.ts';

/** How servers, channels and their people come, change and go; each with its events. */

const emitGuild = (world: World, guild: Guild, t: string, intents: number, d: () => Json): void => {
  if (guild.members.has(world.bot.id)) world.emit({ t, intents, guildId: guild.id, d });
  else world.changed();
};

export interface NewUser {
  readonly name?: string;
  readonly locale?: string;
  readonly bot?: boolean;
  readonly avatar?: string;
}

export const addUser = (world: World, options: NewUser = {}): User => {
  const id = world.clock.snowflake();
  const user: User = {
    id,
    name: options.name ?? `person-${id.slice(-4)}`,
    displayName: null,
    bot: options.bot ?? false,
    locale: options.locale ?? 'en-US',
    avatar: options.avatar ?? null,
    installed: false,
    dmsOpen: true,
  };
  world.users.set(id, user);
  return user;
};

const newRole = (
  id: string,
  name: string,
  permissions: readonly PermissionName[],
  position: number,
  managed = false,
): Role => ({
  id,
  name,
  permissions: permissionBits(permissions),
  managed,
  mentionable: false,
  position,
});

export const addRole = (
  world: World,
  guild: Guild,
  name: string,
  permissions: readonly PermissionName[],
  managed = false,
  position = guild.roles.size,
): Role => {
  const role = newRole(world.clock.snowflake(), name, permissions, position, managed);
  guild.roles.set(role.id, role);
  emitGuild(world, guild, 'GUILD_ROLE_CREATE', Intent.Guilds, () => ({
    guild_id: guild.id,
    role: renderRole(role),
  }));
  return role;
};

export const removeRole = (world: World, guild: Guild, role: Role): void => {
  guild.roles.delete(role.id);
  for (const member of guild.members.values())
    member.roles = member.roles.filter((id) => id !== role.id);
  emitGuild(world, guild, 'GUILD_ROLE_DELETE', Intent.Guilds, () => ({
    guild_id: guild.id,
    role_id: role.id,
  }));
};

export const renameGuild = (world: World, guild: Guild, name: string): void => {
  guild.name = name;
  emitGuild(world, guild, 'GUILD_UPDATE', Intent.Guilds, () => renderGuild(guild));
};

export const updateRole = (world: World, guild: Guild, role: Role): void =>
  emitGuild(world, guild, 'GUILD_ROLE_UPDATE', Intent.Guilds, () => ({
    guild_id: guild.id,
    role: renderRole(role),
  }));

const DAY_MS = 86_400_000;

export interface NewGuild {
  readonly name?: string;
  /** False: the bot is not on it. */
  readonly bot?: boolean;
  readonly everyonePermissions?: readonly PermissionName[];
  /** `preferred_locale`. */
  readonly locale?: string;
}

export const addGuild = (world: World, options: NewGuild): Guild => {
  const id = world.clock.snowflake();
  const owner = addUser(world, { name: 'owner' });
  const guild: Guild = {
    id,
    name: options.name ?? 'A server',
    ownerId: owner.id,
    locale: options.locale ?? 'en-US',
    roles: new Map([[id, newRole(id, '@everyone', options.everyonePermissions ?? EVERYONE, 0)]]),
    members: new Map(),
    bans: new Set(),
    voiceStates: new Map(),
    audit: [],
    systemChannelId: null,
  };
  world.guilds.set(id, guild);
  joinGuild(world, guild, owner, []);
  // It has long been there, as far as `joined_at` tells.
  if (options.bot ?? true) inviteBot(world, guild, BOT, world.clock.now() - DAY_MS);
  return guild;
};

/** The bot comes with a role of its own; the audit log has who added it (reference, "Audit Log Events": 28). */
export const inviteBot = (
  world: World,
  guild: Guild,
  permissions: readonly PermissionName[],
  joinedAt = world.clock.now(),
  by = guild.ownerId,
): void => {
  const role = addRole(world, guild, world.bot.name, permissions, true);
  guild.members.set(world.bot.id, { ...newMember(world, world.bot, [role.id]), joinedAt });
  guild.audit.push({
    id: world.clock.snowflake(),
    action_type: 28,
    user_id: by,
    target_id: world.bot.id,
  });
  world.emit({
    t: 'GUILD_CREATE',
    intents: Intent.Guilds,
    guildId: guild.id,
    d: () => renderJoinedGuild(world, guild),
  });
};

const newMember = (world: World, user: User, roles: string[]): Member => ({
  user,
  roles,
  nick: null,
  joinedAt: world.clock.now(),
});

export const joinGuild = (world: World, guild: Guild, user: User, roles: string[]): Member => {
  if (guild.bans.has(user.id)) throw new Error(`${user.name} is banned from ${guild.name}`);
  const member = newMember(world, user, roles);
  guild.members.set(user.id, member);
  emitGuild(world, guild, 'GUILD_MEMBER_ADD', Intent.GuildMembers, () => ({
    ...renderMember(member),
    guild_id: guild.id,
  }));
  return member;
};

export const updateMember = (world: World, guild: Guild, member: Member): void => {
  // The bot hears of its own membership without the intent.
  const intents = member.user === world.bot ? 0 : Intent.GuildMembers;
  emitGuild(world, guild, 'GUILD_MEMBER_UPDATE', intents, () => ({
    ...renderMember(member),
    guild_id: guild.id,
  }));
};

export const leaveGuild = (world: World, guild: Guild, user: User): void => {
  leaveVoice(world, guild, user);
  if (!guild.members.delete(user.id)) return;
  emitGuild(world, guild, 'GUILD_MEMBER_REMOVE', Intent.GuildMembers, () => ({
    guild_id: guild.id,
    user: renderUser(user),
  }));
};

/** A ban; the person's messages of the last `deleteMessageSeconds` go, channel by channel. */
export const banMember = (
  world: World,
  guild: Guild,
  user: User,
  deleteMessageSeconds: number,
): void => {
  guild.bans.add(user.id);
  leaveGuild(world, guild, user);
  emitGuild(world, guild, 'GUILD_BAN_ADD', Intent.GuildModeration, () => ({
    guild_id: guild.id,
    user: renderUser(user),
  }));
  const since = world.clock.now() - deleteMessageSeconds * 1000;
  const epochMs = 1_420_070_400_000;
  for (const channel of world.channels.values()) {
    if (channel.guild !== guild || deleteMessageSeconds === 0) continue;
    const gone = [...channel.messages.values()].filter(
      (one) =>
        one.author === user &&
        one.webhook === undefined &&
        Number(BigInt(one.id) >> 22n) + epochMs >= since,
    );
    if (gone.length > 0) deleteMessages(world, channel, gone);
  }
};

export const removeBot = (world: World, guild: Guild): void => {
  const own = guild.members.get(world.bot.id);
  if (own === undefined) return;
  leaveVoice(world, guild, world.bot);
  world.emit({
    t: 'GUILD_DELETE',
    intents: Intent.Guilds,
    guildId: guild.id,
    d: () => ({ id: guild.id }),
  });
  guild.members.delete(world.bot.id);
  for (const id of own.roles) guild.roles.delete(id);
};

/** GUILD_DELETE with `unavailable` and its end; nothing else changes. */
export const setOutage = (world: World, guild: Guild, out: boolean): void =>
  emitGuild(world, guild, out ? 'GUILD_DELETE' : 'GUILD_CREATE', Intent.Guilds, () =>
    out ? { id: guild.id, unavailable: true } : renderJoinedGuild(world, guild),
  );

export interface NewChannel {
  readonly type: number;
  readonly nsfw?: boolean;
  readonly guild?: Guild;
  readonly name?: string;
  readonly parentId?: string;
  readonly userLimit?: number;
  readonly overwrites?: Channel['overwrites'];
  readonly recipients?: readonly User[];
}

export const addChannel = (world: World, options: NewChannel): Channel => {
  const channel: Channel = {
    id: world.clock.snowflake(),
    type: options.type,
    guild: options.guild,
    name: options.name ?? 'general',
    topic: null,
    nsfw: options.nsfw ?? false,
    parentId: options.parentId ?? null,
    ...(options.userLimit === undefined ? {} : { userLimit: options.userLimit }),
    position: world.channels.size,
    overwrites: options.overwrites ?? [],
    recipients: options.recipients ?? [],
    lastMessageId: null,
    thread: undefined,
    messages: new Map(),
    typings: 0,
    deleted: false,
  };
  world.channels.set(channel.id, channel);
  if (channel.guild !== undefined) emitChannel(world, channel, 'CREATE');
  return channel;
};

/** Bots are told of channels that they cannot see as well, but not of threads. */
const emitChannel = (
  world: World,
  channel: Channel,
  what: 'CREATE' | 'UPDATE' | 'DELETE',
): void => {
  const { guild } = channel;
  if (guild === undefined) return world.changed();
  const t = `${channel.thread ? 'THREAD' : 'CHANNEL'}_${what}`;
  const whole = !(channel.thread && what === 'DELETE');
  emitGuild(world, guild, t, Intent.Guilds, () =>
    whole
      ? renderChannel(channel)
      : { id: channel.id, guild_id: guild.id, parent_id: channel.parentId, type: channel.type },
  );
};

export const updateChannel = (world: World, channel: Channel): void =>
  emitChannel(world, channel, 'UPDATE');

/** The bot can see a channel again: it is told of the threads that are active there. */
export const showThreads = (world: World, channel: Channel): void => {
  const { guild } = channel;
  if (guild === undefined) return;
  const threads = [...world.channels.values()].filter(
    ({ parentId, thread }) => parentId === channel.id && thread?.archived === false,
  );
  emitGuild(world, guild, 'THREAD_LIST_SYNC', Intent.Guilds, () => ({
    guild_id: guild.id,
    channel_ids: [channel.id],
    threads: threads.map(renderChannel),
    members: [],
  }));
};

/** Its threads, messages and webhooks go with it; messages and webhooks without events. */
export const removeChannel = (world: World, channel: Channel): void => {
  for (const thread of world.channels.values())
    if (thread.parentId === channel.id && thread.thread !== undefined) forgetChannel(world, thread);
  forgetChannel(world, channel);
  emitChannel(world, channel, 'DELETE');
};

const forgetChannel = (world: World, channel: Channel): void => {
  emptyVoice(world, channel);
  channel.deleted = true;
  world.channels.delete(channel.id);
  for (const message of channel.messages.values()) {
    message.deleted = true;
    for (const one of message.attachments) one.available = false;
  }
  for (const webhook of world.webhooks.values())
    if (webhook.channel === channel) world.webhooks.delete(webhook.id);
};
