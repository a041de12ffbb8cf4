import {
  ChannelType,
  PermissionsBitField,
  RESTJSONErrorCodes,
  Routes,
  type APIGuildChannel,
  type APIThreadChannel,
  type Guild,
  type GuildBasedChannel,
  type PermissionOverwrites,
} from 'discord.js';
import { MINUTE_MS, type Clock } from '../../src/async/clock.ts';
import { createCache } from '../../src/async/lru.ts';
import { recover } from '../../src/errors.ts';
import type { Channel, Member } from '../../src/model/place.ts';
import type { Access, Platform } from '../../src/ports/platform.ts';
import type { Api } from './api.ts';
import { isGone, isRefusal } from './errors.ts';
import { channelIdOf, guildIdOf } from './ids.ts';
import { findIn } from './permissions.ts';
import type { Clients } from './shards/clients.ts';

/** The permissions of a member on a server, by their roles; its owner and administrators have all. */
export const serverPermissionsOf = (
  { id, roles = [] }: Pick<Member, 'id' | 'roles'>,
  guild: Guild,
): PermissionsBitField => {
  const own = guild.roles.cache.filter((role) => roles.includes(role.id) || role.id === guild.id);
  const granted = new PermissionsBitField(own.map(({ permissions }) => permissions));
  return guild.ownerId === id || granted.has('Administrator')
    ? new PermissionsBitField(PermissionsBitField.All)
    : granted;
};

/**
 * The permissions of a member in a channel, by their roles and the overwrites of the channel, or of a
 * thread's channel (reference, "Permission Overwrites").
 */
export const permissionsOf = (
  member: Pick<Member, 'id' | 'roles'>,
  found: GuildBasedChannel,
): Readonly<PermissionsBitField> => {
  const { guild } = found;
  const { id, roles = [] } = member;
  const root = found.isThread() ? found.parent : found;
  const granted = serverPermissionsOf(member, guild);
  if (granted.has('Administrator')) return granted;
  const overwrites = [...(root?.permissionOverwrites.cache.values() ?? [])];
  const apply = (applies: (overwrite: PermissionOverwrites) => boolean): void => {
    const applied = overwrites.filter(applies);
    granted.remove(applied.map(({ deny }) => deny)).add(applied.map(({ allow }) => allow));
  };
  apply((overwrite) => overwrite.id === guild.id);
  apply((overwrite) => roles.includes(overwrite.id));
  apply((overwrite) => overwrite.id === id);
  return granted;
};

const NOT_IN_THREAD = [RESTJSONErrorCodes.UnknownMember, RESTJSONErrorCodes.UnknownUser];
const HIDDEN = [RESTJSONErrorCodes.MissingAccess, RESTJSONErrorCodes.MissingPermissions];

/** Channels that a client does not list, such as archived threads and those of other servers, each read once a minute. */
const UNLISTED = { most: 500, lifeMs: MINUTE_MS };

/** Creates `Platform.readsHistory`: true for members with that permission. */
export const createReadsHistory =
  (clients: Pick<Clients, 'knowing'>): NonNullable<Platform['readsHistory']> =>
  async (member, channel) => {
    const found = findIn(await clients.knowing(channel.space.id), channel);
    return found !== undefined && permissionsOf(member, found).has('ReadMessageHistory');
  };

/** Creates `Platform.access`: what a person may do in a channel at this moment; nothing in one of another server. */
export const createAccess = (
  api: Api,
  clients: Pick<Clients, 'knowing'>,
  { nowMs }: Pick<Clock, 'nowMs'>,
): NonNullable<Platform['access']> => {
  /** True of a private thread that the person was added to. */
  const isInThread = async (threadId: string, memberId: string): Promise<boolean> => {
    const asking = api.send('GET', Routes.threadMembers(threadId, memberId)).then(() => true);
    return recover(asking, (thrown) => isRefusal(thrown, ...NOT_IN_THREAD), false);
  };

  const unlisted = createCache(
    async (channel: Channel) => {
      const path = Routes.channel(channelIdOf(channel));
      const reading = api.send<APIGuildChannel | APIThreadChannel>('GET', path);
      return recover(reading, (thrown) => isGone(thrown) || isRefusal(thrown, ...HIDDEN));
    },
    { ...UNLISTED, keyOf: ({ id }) => id, now: nowMs },
  );

  return async (member, channel): Promise<Access | undefined> => {
    const client = await clients.knowing(channel.space.id);
    const listed = findIn(client, channel);
    const read = listed || !guildIdOf(channel) ? undefined : await unlisted.of(channel);
    if (read && read.guild_id !== channel.space.id) return 'none';
    const parentId = read?.parent_id ?? undefined;
    const found = listed ?? (parentId && findIn(client, { ...channel, id: parentId }));
    if (!found) return undefined;
    const { id, type } = read ?? found;
    const granted = permissionsOf(member, found);
    if (!granted.has('ViewChannel')) return 'none';
    // Where people speak, nothing is allowed without Connect (reference, "Implicit Permissions").
    if (found.isVoiceBased() && !granted.has('Connect')) return 'none';
    const isShut =
      type === ChannelType.PrivateThread &&
      !granted.has('ManageThreads') &&
      !(await isInThread(id, member.id));
    if (isShut) return 'none';
    const isThread = read !== undefined || found.isThread();
    return granted.has(isThread ? 'SendMessagesInThreads' : 'SendMessages') ? 'write' : 'see';
  };
};
