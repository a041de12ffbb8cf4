import { fault } from '../faults.ts';
import { joinedGuild, permissionBits, permissionsOf } from '../permissions.ts';
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
import type { Guild, User, World } from '../state.ts';
import { addChannel } from '../population.ts';
import { invalid } from '../validation.ts';

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
  route('GET /guilds/:id/roles', (call) => [...guildOf(call).roles.values()].map(renderRole)),
  route('GET /guilds/:id/members', listMembers),
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
