import {
  ChannelType,
  PermissionsBitField,
  RESTJSONErrorCodes,
  Routes,
  type APIChannel,
  type APIRole,
  type Client,
  type Guild,
  type TextChannel,
} from 'discord.js';
import { toAppError, userError, type AppError } from '../../src/errors.ts';
import { channelMention, type Space } from '../../src/model/place.ts';
import type { BuildNeeds, Builder, MadeThing, NewThing, Survey } from '../../src/ports/builder.ts';
import { link } from '../../src/rich-text/rich-text.ts';
import { shorten } from '../../src/text/quoted-words.ts';
import { permissionsOf, serverPermissionsOf } from './access.ts';
import type { Api } from './api.ts';
import { grantLink, type Application } from './application.ts';
import { isGone, isRefusal } from './errors.ts';
import { PLATFORM, positionOf, snowflakeTimeMs } from './ids.ts';
import {
  ACTIVE_THREADS,
  CATEGORY_CHANNELS,
  CHANNEL_NAME_CHARS,
  GUILD_CHANNELS,
  GUILD_ROLES,
  ROLE_NAME_CHARS,
} from './limits.ts';
import type { ThreadParents } from './thread-parents.ts';
import { isOpenToAll, overwritesFor } from './overwrites.ts';
import { MIRROR, PERMISSION_NAMES } from './permissions.ts';
import type { Clients } from './shards/clients.ts';
import type { Threads } from './threads.ts';

/** Method by which the library itself puts what the gateway tells of into its caches. */
const ADD = '_add';
interface Cache {
  [ADD](data: object, guild?: Guild): unknown;
}

/** The permission by which a thing is made. */
const NEEDED = {
  role: 'ManageRoles',
  category: 'ManageChannels',
  channel: 'ManageChannels',
  thread: 'CreatePublicThreads',
} as const satisfies Record<NewThing['kind'], keyof typeof PERMISSION_NAMES>;

/** Permissions as people see them in Discord's settings. */
const named = (names: readonly (keyof typeof PERMISSION_NAMES)[]) => ({
  list: names.map((name) => PERMISSION_NAMES[name]),
});

type Room = 'channels' | 'roles' | 'threads';

const noRoom = (kind: Room, most: number, there: number, needed: number): AppError =>
  userError('bad-input', 'autotranslate.wizard-no-room', {
    kind,
    needed,
    left: Math.max(0, most - there),
    most,
  });

/** A name as Discord writes those of text channels: small letters, and hyphens for all but letters and digits. */
const channelName = (name: string): string =>
  shorten(
    name
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_]+/gu, '-')
      .replaceAll(/^-+|-+$/g, '') || '-',
    CHANNEL_NAME_CHARS,
  ).replace(/…$/u, '');

const nameOf = ({ kind, name }: NewThing): string => {
  if (kind === 'channel') return channelName(name);
  return shorten(name, kind === 'role' ? ROLE_NAME_CHARS : CHANNEL_NAME_CHARS);
};

const isText = (found: unknown): found is TextChannel =>
  [ChannelType.GuildText, ChannelType.GuildAnnouncement].includes(
    (found as TextChannel | undefined)?.type ?? ChannelType.GuildVoice,
  );

const childrenOf = (guild: Guild, category: string | null): number =>
  category === null
    ? 0
    : guild.channels.cache.filter((one) => one.parentId === category && !one.isThread()).size;

const sourceOf = (guild: Guild, id: string): TextChannel => {
  const found = guild.channels.cache.get(id);
  if (isText(found)) return found;
  const channel = channelMention({ space: { platform: PLATFORM, id: guild.id }, id });
  throw found
    ? userError('unsupported', 'watch.unfit', { channel })
    : userError('not-found', 'autotranslate.wizard-gone', { channel });
};

const demandRoom = (guild: Guild, needs: BuildNeeds, categories: number): void => {
  const { place, sources, roles } = needs;
  const places = sources.reduce((sum, { count }) => sum + count, 0);
  const channels = guild.channels.cache.filter((one) => !one.isThread()).size;
  const open = guild.channels.cache.filter((one) => one.isThread() && !one.archived).size;
  const made = places + categories;
  if (place === 'channel' && channels + made > GUILD_CHANNELS)
    throw noRoom('channels', GUILD_CHANNELS, channels, made);
  if (place === 'thread' && open + places > ACTIVE_THREADS)
    throw noRoom('threads', ACTIVE_THREADS, open, places);
  if (roles > 0 && guild.roles.cache.size + roles > GUILD_ROLES)
    throw noRoom('roles', GUILD_ROLES, guild.roles.cache.size, roles);
};

/** Says what Discord refuses to make, as people can mend it. */
const explained = (
  thrown: unknown,
  { kind }: NewThing,
  lacking: (...names: readonly (keyof typeof PERMISSION_NAMES)[]) => AppError,
): unknown => {
  const refused = toAppError(thrown);
  const is = (...codes: readonly number[]): boolean =>
    isRefusal(refused, ...codes) || isRefusal(refused.cause, ...codes);
  if (is(RESTJSONErrorCodes.MaximumNumberOfGuildChannelsReached))
    return noRoom('channels', GUILD_CHANNELS, GUILD_CHANNELS, 1);
  if (is(RESTJSONErrorCodes.MaximumNumberOfGuildRolesReached))
    return noRoom('roles', GUILD_ROLES, GUILD_ROLES, 1);
  if (is(RESTJSONErrorCodes.MaximumActiveThreads))
    return noRoom('threads', ACTIVE_THREADS, ACTIVE_THREADS, 1);
  return is(RESTJSONErrorCodes.MissingPermissions, RESTJSONErrorCodes.MissingAccess)
    ? lacking(NEEDED[kind])
    : thrown;
};

export interface BuilderDeps {
  readonly api: Api;
  /** Throws while it is unknown. */
  readonly application: () => Application;
  readonly clients: Pick<Clients, 'knowing'>;
  readonly threads: Pick<Threads, 'create'>;
  readonly parents: Pick<ThreadParents, 'note'>;
}

/** Creates `Platform.builder`. */
export const createBuilder = ({
  api,
  application,
  clients,
  threads,
  parents,
}: BuilderDeps): Builder => {
  const guildOf = async (space: Space): Promise<{ client: Client; guild: Guild }> => {
    const client = await clients.knowing(space.id);
    const guild = client.guilds.cache.get(space.id);
    if (!guild) throw userError('not-found', 'errors.not-found');
    return { client, guild };
  };

  /** Asks for permissions that the bot lacks, with a link that grants them and takes none that its role has. */
  const lackingIn =
    (guild: Guild) =>
    (...names: readonly (keyof typeof PERMISSION_NAMES)[]): AppError => {
      // Of managed roles, a bot has its own alone.
      const own = guild.members.me?.roles.cache.find(({ managed }) => managed);
      const wanted = (own?.permissions.bitfield ?? 0n) | PermissionsBitField.resolve([...names]);
      const grant = link(grantLink(application().id, guild.id, wanted));
      return userError('forbidden', 'watch.grant', { permissions: named(names), link: grant });
    };

  const demand: Builder['demand'] = async (space, person, { place, sources, roles, hidden }) => {
    const { guild } = await guildOf(space);
    const onServer = serverPermissionsOf(person, guild);
    const isLacking = (id: string): boolean => {
      const found = guild.channels.cache.get(id);
      // Who makes a channel needs the permission in its category; who makes a thread, in its channel.
      const around = place === 'channel' ? found?.parent : found;
      return !(around ? permissionsOf(person, around) : onServer).has(NEEDED[place]);
    };
    const missing = [
      ...(sources.some(({ id }) => isLacking(id)) ? [NEEDED[place]] : []),
      ...((roles > 0 || hidden) && !onServer.has(NEEDED.role) ? [NEEDED.role] : []),
    ];
    if (missing.length > 0)
      throw userError('forbidden', 'autotranslate.wizard-yours', { permissions: named(missing) });
  };

  const survey = async (space: Space, needs: BuildNeeds): Promise<Survey> => {
    const { guild } = await guildOf(space);
    const may = guild.members.me?.permissions;
    // A channel is like its source only as far as the bot may do itself, on the server, what that allows and denies.
    const needed = [
      ...(needs.place === 'channel' ? MIRROR : []),
      NEEDED[needs.place],
      ...(needs.roles > 0 ? [NEEDED.role] : []),
    ];
    const missing = [...new Set(needed)].filter((name) => !may?.has(name));
    if (missing.length > 0) throw lackingIn(guild)(...missing);
    const found = needs.sources.map(({ id, count }) => ({ count, source: sourceOf(guild, id) }));
    if (needs.hidden)
      for (const { source } of found)
        if (!isOpenToAll(source))
          throw userError('forbidden', 'autotranslate.wizard-not-open', {
            channel: channelMention({ space, id: source.id }),
          });
    const byCategory = Map.groupBy(found, ({ source }) => source.parentId);
    const apart = [...byCategory].flatMap(([category, group]) => {
      const wanted = group.reduce((sum, { count }) => sum + count, 0);
      const isFull = category !== null && childrenOf(guild, category) + wanted > CATEGORY_CHANNELS;
      return isFull ? group.map(({ source }) => source.id) : [];
    });
    demandRoom(guild, needs, needs.place === 'channel' ? apart.length : 0);
    return {
      names: Object.fromEntries(found.map(({ source }) => [source.id, source.name])),
      apart,
    };
  };

  const makeChannel = async (
    client: Client,
    guild: Guild,
    thing: Extract<NewThing, { kind: 'channel' | 'category' }>,
  ): Promise<string> => {
    const common = { name: nameOf(thing) };
    const body =
      thing.kind === 'category'
        ? { ...common, type: ChannelType.GuildCategory }
        : (() => {
            const source = sourceOf(guild, thing.source);
            const category = thing.category ?? source.parentId;
            const isFull = childrenOf(guild, category) >= CATEGORY_CHANNELS;
            return {
              ...common,
              type: ChannelType.GuildText,
              nsfw: source.nsfw,
              parent_id: isFull ? null : category,
              permission_overwrites: overwritesFor(source, thing.seenBy),
            };
          })();
    const made = await api.sendOnce<APIChannel>('POST', Routes.guildChannels(guild.id), { body });
    // The gateway tells of it later, and only the process that has the server.
    (client.channels as unknown as Cache)[ADD](made, guild);
    return made.id;
  };

  const makeRole = async (guild: Guild, thing: NewThing): Promise<string> => {
    const body = { name: nameOf(thing), permissions: '0', hoist: false, mentionable: false };
    const made = await api.sendOnce<APIRole>('POST', Routes.guildRoles(guild.id), { body });
    (guild.roles as unknown as Cache)[ADD](made);
    return made.id;
  };

  const makeThread = async (
    client: Client,
    guild: Guild,
    thing: Extract<NewThing, { kind: 'thread' }>,
  ): Promise<string> => {
    const source = sourceOf(guild, thing.source);
    const id = await threads.create(source.id, nameOf(thing));
    const raw = await api.send<APIChannel & { parent_id?: string }>('GET', Routes.channel(id));
    parents.note(guild.id, raw);
    (client.channels as unknown as Cache)[ADD](raw, guild);
    return id;
  };

  /** Lists what is there of a kind, as Discord says at this moment. */
  const list = async (
    space: Space,
    kind: NewThing['kind'],
  ): Promise<
    readonly { id: string; name?: string | null; parent_id?: string | null; owner_id?: string }[]
  > => {
    if (kind === 'role') return api.send<APIRole[]>('GET', Routes.guildRoles(space.id));
    if (kind !== 'thread') {
      const all = await api.send<APIChannel[]>('GET', Routes.guildChannels(space.id));
      return all.filter(
        ({ type }) => (type === ChannelType.GuildCategory) === (kind === 'category'),
      );
    }
    const route = Routes.guildActiveThreads(space.id);
    return (await api.send<{ threads: APIChannel[] }>('GET', route)).threads;
  };

  const isSafe = async (space: Space, roleId: string): Promise<boolean> => {
    const { guild } = await guildOf(space);
    const role = guild.roles.cache.get(roleId);
    const highest = guild.members.me?.roles.highest;
    return (
      role !== undefined &&
      role.id !== guild.id &&
      !role.managed &&
      role.permissions.bitfield === 0n &&
      highest !== undefined &&
      highest.comparePositionTo(role) > 0
    );
  };

  return {
    threads: true,
    demand,
    survey,
    nameOf,
    make: async (space, thing) => {
      const { client, guild } = await guildOf(space);
      try {
        if (thing.kind === 'role') return await makeRole(guild, thing);
        if (thing.kind === 'thread') return await makeThread(client, guild, thing);
        return await makeChannel(client, guild, thing);
      } catch (thrown) {
        throw explained(thrown, thing, lackingIn(guild));
      }
    },
    find: async (space, thing, sinceMs, known) => {
      const found = (await list(space, thing.kind)).find(
        ({ id, name, parent_id: parent }) =>
          name === nameOf(thing) &&
          snowflakeTimeMs(positionOf(id)) >= sinceMs &&
          !known.includes(id) &&
          (thing.kind !== 'thread' || parent === thing.source),
      );
      // Discord names the maker of a thread alone.
      return found && { id: found.id, isOurs: found.owner_id === application().botId };
    },
    standing: async (space, things) => {
      const kinds = [...new Set(things.map(({ kind }) => kind))];
      const there = new Set(
        (await Promise.all(kinds.map((kind) => list(space, kind)))).flat().map(({ id }) => id),
      );
      return things.filter(({ id }) => there.has(id));
    },
    remove: async (space: Space, { kind, id }: MadeThing) => {
      const route = kind === 'role' ? Routes.guildRole(space.id, id) : Routes.channel(id);
      try {
        await api.send('DELETE', route);
      } catch (thrown) {
        if (isGone(thrown) || isRefusal(thrown, RESTJSONErrorCodes.UnknownRole)) return;
        if (kind !== 'thread' || !isRefusal(thrown, RESTJSONErrorCodes.MissingPermissions))
          throw thrown;
        // Whoever made a thread may close it, though not delete it.
        await api.send('PATCH', route, { body: { archived: true } });
      }
    },
    roles: {
      isSafe,
      set: async (space, memberId, roleId, isGiven) => {
        const route = Routes.guildMemberRole(space.id, memberId, roleId);
        try {
          await api.send(isGiven ? 'PUT' : 'DELETE', route);
        } catch (thrown) {
          throw isRefusal(thrown, RESTJSONErrorCodes.MissingPermissions)
            ? userError('forbidden', 'watch.missing', { permissions: named(['ManageRoles']) })
            : thrown;
        }
      },
    },
  };
};
