import { ApplicationFlags, Intent } from '../codes.ts';
import { commandSetSchema } from '../command-schemas.ts';
import { fault, type Json } from '../faults.ts';
import { renderUser } from '../render.ts';
import { route, type Call, type Route } from '../router.ts';
import type { Command, World } from '../state.ts';
import { check } from '../validation.ts';
import { joinedGuild } from '../permissions.ts';

/** What the portal grants, as flags of an application below 100 servers. */
const applicationFlags = (world: World): number =>
  (world.privileged & Intent.MessageContent ? ApplicationFlags.GatewayMessageContentLimited : 0) |
  (world.privileged & Intent.GuildMembers ? ApplicationFlags.GatewayGuildMembersLimited : 0) |
  (world.privileged & Intent.GuildPresences ? ApplicationFlags.GatewayPresenceLimited : 0);

export const renderApplication = (world: World): Json => ({
  id: world.applicationId,
  name: world.bot.name,
  icon: null,
  description: '',
  summary: '',
  bot_public: true,
  bot_require_code_grant: false,
  verify_key: '0'.repeat(64),
  flags: applicationFlags(world),
  bot: renderUser(world.bot),
  owner: renderUser(world.bot),
  team: null,
  integration_types_config: { 0: {}, 1: {} },
});

const own = (call: Call): void => {
  if (call.param(0) !== call.world.applicationId) throw fault(50001);
};

const commandsOf = (call: Call): Map<string, Command> => {
  own(call);
  const { world } = call;
  const guildId = call.param(1);
  if (guildId === '') return world.globalCommands;
  joinedGuild(world, guildId);
  const known = world.guildCommands.get(guildId) ?? new Map<string, Command>();
  world.guildCommands.set(guildId, known);
  return known;
};

const withDefaults = (raw: unknown): unknown =>
  typeof raw === 'object' && raw !== null ? { type: 1, ...raw } : raw;

/** 200 new commands a day and server (reference, "Registering a command"). */
const CREATES = { count: 200, windowMs: 24 * 3_600_000 };

/** Replaces all; a command that keeps its type and name keeps its id. */
const putCommands = (call: Call): unknown => {
  const { world } = call;
  const known = commandsOf(call);
  const raw = Array.isArray(call.body) ? call.body.map(withDefaults) : call.body;
  const wanted = check(commandSetSchema, raw);
  const before = [...known.values()];
  const fresh = wanted.map((one): Command => {
    const same = before.find((old) => old.name === one.name && old.type === one.type);
    if (same === undefined && !world.limits.allows(`commands ${call.param(1)}`, CREATES))
      throw fault(30034);
    return {
      description: '',
      dm_permission: true,
      default_member_permissions: null,
      integration_types: [0],
      contexts: null,
      nsfw: false,
      ...one,
      id: same?.id ?? world.clock.snowflake(),
      application_id: world.applicationId,
      version: world.clock.snowflake(),
      ...(call.param(1) === '' ? {} : { guild_id: call.param(1) }),
    };
  });
  known.clear();
  for (const one of fresh) known.set(one.id, one);
  world.changed();
  return fresh;
};

/** Without its texts in other languages: what is not asked for is not told. */
const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const told = Object.entries(value).filter(([name]) => !name.endsWith('_localizations'));
  return Object.fromEntries(told.map(([name, field]) => [name, plain(field)]));
};

const listCommands = (call: Call): unknown => {
  const all = [...commandsOf(call).values()];
  return call.query.get('with_localizations') === 'true' ? all : plain(all);
};

const gateway = ({ world, client }: Call): Json => ({
  url: world.origin.replace('http', 'ws') + (client === '' ? '' : `/from/${client}`),
});

export const applicationRoutes = (
  shards: () => { count: number; concurrency: number; left: number },
): Route[] => [
  route('GET /gateway', gateway, { auth: false }),
  route('GET /gateway/bot', (call) => ({
    ...gateway(call),
    shards: shards().count,
    session_start_limit: {
      total: 1000,
      remaining: shards().left,
      reset_after: 14_400_000,
      max_concurrency: shards().concurrency,
    },
  })),
  route('GET /applications/@me', ({ world }) => renderApplication(world)),
  route('GET /oauth2/applications/@me', ({ world }) => renderApplication(world)),
  route('GET /applications/:id/commands', listCommands),
  route('PUT /applications/:id/commands', putCommands),
  route('GET /applications/:id/guilds/:id/commands', listCommands),
  route('PUT /applications/:id/guilds/:id/commands', putCommands),
];
