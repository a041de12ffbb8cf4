import { fault } from '../faults.ts';
import { z } from 'zod';
import {
  joinedGuild,
  permissionBits,
  permissionsOf,
  namesOf,
  type PermissionName,
} from '../permissions.ts';
import {
  channelsOf,
  renderChannel,
  renderGuild,
  renderMember,
  renderRole,
  renderUser,
  renderWebhook,
} from '../render.ts';
import { route, type Call, type Route, objectBody } from '../router.ts';
import type { Guild, Member, Role, User, World } from '../state.ts';
import { addChannel, addRole, removeRole, updateMember } from '../population.ts';
import { check, invalid, list, snowflake, text } from '../validation.ts';
import { ChannelType } from '../codes.ts';

const guildOf = (call: Call): Guild => joinedGuild(call.world, call.param(0));

const userOf = (world: World, id: string): User => {
  const user = id === '@me' ? world.bot : world.users.get(id);
  if (user === undefined) throw fault(10013);
  return user;
};

const memberOf = (call: Call): unknown => {
  const member = guildOf(call).members.get(userOf(call.world, call.param(1)).id);
  if (member === undefined) throw fault(10007);
  return renderMember(member);
};

/** For those who may ban alone (reference, "Get Guild Ban"). */
const banOf = (call: Call): unknown => {
  const guild = guildOf(call);
  const user = userOf(call.world, call.param(1));
  const isAllowed =
    (permissionsOf(guild, call.world.bot.id) & permissionBits(['BanMembers'])) !== 0n;
  if (!isAllowed) throw fault(50013);
  if (!guild.bans.has(user.id)) throw fault(10026);
  return { reason: null, user: renderUser(user) };
};

const listMembers = (call: Call): unknown => {
  const limit = Number(call.query.get('limit') ?? 1);
  const after = BigInt(call.query.get('after') ?? 0);
  return [...guildOf(call).members.values()]
    .filter((one) => BigInt(one.user.id) > after)
    .slice(0, limit)
    .map(renderMember);
};

const searchMembers = (call: Call): unknown => {
  const typed = (call.query.get('query') ?? '').toLowerCase();
  return [...guildOf(call).members.values()]
    .filter(({ nick, user }) =>
      [nick, user.name].some((name) => name?.toLowerCase().startsWith(typed)),
    )
    .slice(0, Number(call.query.get('limit') ?? 1))
    .map(renderMember);
};

/** The direct channel of the bot and a person; made on first use. */
const openDirect = (call: Call): unknown => {
  const { world } = call;
  const user = world.users.get(String(objectBody(call)['recipient_id']));
  if (user === undefined || user.bot) throw fault(user === undefined ? 10013 : 50007);
  const known = [...world.channels.values()].find(
    (one) => one.type === 1 && one.recipients.includes(user) && one.recipients.includes(world.bot),
  );
  return renderChannel(known ?? addChannel(world, { type: 1, recipients: [user, world.bot] }));
};

const listWebhooks = (call: Call): unknown => {
  const { world } = call;
  const guild = guildOf(call);
  const wanted = permissionBits(['ManageWebhooks']);
  if ((permissionsOf(guild, world.bot.id) & wanted) === 0n) throw fault(50013);
  return [...world.webhooks.values()]
    .filter((one) => one.channel.guild === guild)
    .map((one) => renderWebhook(world, one));
};

/** The newest first, by type, with the permission to see them (reference, "Get Guild Audit Log"). */
const auditLog = (call: Call): unknown => {
  const guild = guildOf(call);
  if ((permissionsOf(guild, call.world.bot.id) & permissionBits(['ViewAuditLog'])) === 0n)
    throw fault(50013);
  const type = call.query.get('action_type');
  const entries = guild.audit.filter((one) => type === null || one.action_type === Number(type));
  const most = Number(call.query.get('limit') ?? 50);
  return { audit_log_entries: entries.toReversed().slice(0, most), users: [] };
};

/** By id, 200 at a time. */
const ownGuilds = ({ world, query }: Call): unknown => {
  const limit = Number(query.get('limit') ?? 200);
  if (!Number.isInteger(limit) || limit < 1 || limit > 200)
    throw invalid(['limit'], 'NUMBER_TYPE_MAX', 'int value should be between 1 and 200.');
  const after = BigInt(query.get('after') ?? 0);
  return [...world.guilds.values()]
    .filter((one) => one.members.has(world.bot.id) && BigInt(one.id) > after)
    .slice(0, limit)
    .map((one) => ({
      id: one.id,
      name: one.name,
      icon: null,
      banner: null,
      owner: false,
      features: [],
      permissions: String(permissionsOf(one, world.bot.id)),
    }));
};

const need = (call: Call, guild: Guild, name: PermissionName): bigint => {
  const own = permissionsOf(guild, call.world.bot.id);
  if ((own & permissionBits([name])) === 0n) throw fault(50013);
  return own;
};

const channelSchema = z.object({
  name: text(100, 1),
  type: z.int().nullish(),
  nsfw: z.boolean().nullish(),
  parent_id: snowflake.nullish(),
  permission_overwrites: list(
    z.object({ id: snowflake, type: z.literal([0, 1]), allow: z.string(), deny: z.string() }),
    1_000,
  ).nullish(),
});

/** Names of text channels have small letters, and no spaces ("Channel Object", as the client shows it). */
const asChannelName = (name: string): string => name.toLowerCase().replaceAll(/[\s()]+/g, '-');

/** 500 channels a server, 50 a category; overwrites only of what the bot may itself ("Create Guild Channel"). */
const createChannel = (call: Call): unknown => {
  const { world } = call;
  const guild = guildOf(call);
  const own = need(call, guild, 'ManageChannels');
  const body = check(channelSchema, objectBody(call));
  const all = channelsOf(world, guild).filter(({ thread }) => thread === undefined);
  if (all.length >= 500) throw fault(30013);
  if (body.parent_id != null) {
    const parent = world.channels.get(body.parent_id);
    if (parent?.type !== ChannelType.GuildCategory)
      throw invalid(['parent_id'], 'CHANNEL_PARENT_INVALID_TYPE', 'Not a category');
    if (all.filter(({ parentId }) => parentId === parent.id).length >= 50)
      throw invalid(
        ['parent_id'],
        'CHANNEL_PARENT_MAX_CHANNELS',
        'Maximum number of channels in category reached (50)',
      );
  }
  const overwrites = (body.permission_overwrites ?? []).map((one) => ({
    id: one.id,
    type: one.type,
    allow: BigInt(one.allow),
    deny: BigInt(one.deny),
  }));
  if (overwrites.some(({ allow, deny }) => ((allow | deny) & ~own) !== 0n)) throw fault(50013);
  const type = body.type ?? ChannelType.GuildText;
  const name = type === ChannelType.GuildText ? asChannelName(body.name) : body.name;
  return renderChannel(
    addChannel(world, {
      type,
      guild,
      name,
      overwrites,
      nsfw: body.nsfw ?? false,
      ...(body.parent_id == null ? {} : { parentId: body.parent_id }),
    }),
  );
};

const roleSchema = z.object({
  name: text(100).nullish(),
  permissions: z.string().nullish(),
  hoist: z.boolean().nullish(),
  mentionable: z.boolean().nullish(),
});

/** 250 roles a server; without `permissions`, a role has those of everybody ("Create Guild Role"). It stands at the bottom. */
const createRole = (call: Call): unknown => {
  const guild = guildOf(call);
  const own = need(call, guild, 'ManageRoles');
  const body = check(roleSchema, objectBody(call));
  if (guild.roles.size >= 250) throw fault(30005);
  const wanted =
    body.permissions == null
      ? (guild.roles.get(guild.id)?.permissions ?? 0n)
      : BigInt(body.permissions);
  if ((wanted & ~own) !== 0n) throw fault(50013);
  return renderRole(addRole(call.world, guild, body.name ?? 'new role', namesOf(wanted), false, 1));
};

/** A role that the bot may manage: below its own highest one ("Permission Hierarchy"). */
const manageable = (call: Call, guild: Guild, id: string): Role => {
  need(call, guild, 'ManageRoles');
  const role = guild.roles.get(id);
  if (role === undefined) throw fault(10011);
  const own = guild.members.get(call.world.bot.id)?.roles ?? [];
  const isBelow = own.some((each) => {
    const { position = 0 } = guild.roles.get(each) ?? {};
    return position > role.position || (position === role.position && BigInt(each) < BigInt(id));
  });
  if (role.managed || !isBelow) throw fault(50013);
  return role;
};

const deleteRole = (call: Call): unknown => {
  const guild = guildOf(call);
  removeRole(call.world, guild, manageable(call, guild, call.param(1)));
  return undefined;
};

const memberIn = (call: Call, guild: Guild): Member => {
  const member = guild.members.get(call.param(1));
  if (member === undefined) throw fault(10007);
  return member;
};

const setRole =
  (isGiven: boolean) =>
  (call: Call): unknown => {
    const guild = guildOf(call);
    const member = memberIn(call, guild);
    const { id } = manageable(call, guild, call.param(2));
    member.roles = [...member.roles.filter((each) => each !== id), ...(isGiven ? [id] : [])];
    updateMember(call.world, guild, member);
    return undefined;
  };

export const guildRoutes: readonly Route[] = [
  route('GET /users/@me', ({ world }) => renderUser(world.bot)),
  route('GET /users/:id', (call) => renderUser(userOf(call.world, call.param(0)))),
  route('POST /users/@me/channels', openDirect),
  route('GET /users/@me/guilds', ownGuilds),
  route('GET /guilds/:id', (call) => renderGuild(guildOf(call))),
  route('GET /guilds/:id/channels', (call) =>
    channelsOf(call.world, guildOf(call))
      .filter((one) => one.thread === undefined)
      .map(renderChannel),
  ),
  route('POST /guilds/:id/channels', createChannel),
  route('POST /guilds/:id/roles', createRole),
  route('DELETE /guilds/:id/roles/:id', deleteRole),
  route('PUT /guilds/:id/members/:id/roles/:id', setRole(true)),
  route('DELETE /guilds/:id/members/:id/roles/:id', setRole(false)),
  route('GET /guilds/:id/roles', (call) => [...guildOf(call).roles.values()].map(renderRole)),
  route('GET /guilds/:id/members', listMembers),
  route('GET /guilds/:id/members/search', searchMembers),
  route('GET /guilds/:id/members/:id', memberOf),
  route('GET /guilds/:id/bans/:id', banOf),
  route('GET /guilds/:id/webhooks', listWebhooks),
  route('GET /guilds/:id/audit-logs', auditLog),
  route('GET /guilds/:id/threads/active', (call) => ({
    threads: channelsOf(call.world, guildOf(call))
      .filter((one) => one.thread?.archived === false)
      .map(renderChannel),
    members: [],
  })),
];
