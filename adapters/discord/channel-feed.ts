import {
  ChannelType,
  Routes,
  ReactionType,
  RESTJSONErrorCodes,
  type APIGuildMember,
  type APIReaction,
  type APIThreadChannel,
  type APIUser,
  type Client,
  type RESTGetAPIChannelMessagesPinsResult,
  type RESTGetAPIGuildMembersSearchResult,
} from 'discord.js';
import { isIdle } from './inbound/places.ts';
import type { Api } from './api.ts';
import { isGone, isRefusal } from './errors.ts';
import {
  channelIdOf,
  findMessage,
  guildIdOf,
  linkTo,
  linkToThread,
  PLATFORM,
  positionAt,
  positionOf,
  snowflakeAt,
  snowflakeTimeMs,
} from './ids.ts';
import type { Application } from './application.ts';
import { nameOf, type MessageReader, type RawMessage } from './inbound/message-reader.ts';
import { beginningsLike } from './look-alikes.ts';
import { MESSAGES_PAGE, MOST_PINS, PINS_PAGE, REACTIONS_PAGE, WEBHOOKS } from './limits.ts';
import { NO_MEMBER, type MemberNames } from './member-names.ts';
import type { ThreadParents } from './thread-parents.ts';
import type { Webhooks } from './mirrors/webhooks.ts';
import {
  CONTENT_INTENT,
  demandHistory,
  findIn,
  PERMISSION_NAMES,
  fitsMode,
  grantedIn,
  holdsPosts,
  mayBeginThreads,
  missingBeside,
  kindOf,
  missingOf,
  isSeenByReadersOf,
} from './permissions.ts';
import type { Clients } from './shards/clients.ts';
import { AppError, recover, type AppErrorOptions } from '../../src/errors.ts';
import type { Message } from '../../src/model/message.ts';
import {
  channelAround,
  channelMention,
  type Channel,
  type MessageRef,
} from '../../src/model/place.ts';
import type { Mention } from '../../src/rich-text/rich-text.ts';
import type { Platform } from '../../src/ports/platform.ts';
import type { ChannelFeed } from '../../src/ports/channel-feed.ts';
import { withNames } from '../../src/rich-text/reduce.ts';

/** The emoji for a path: a server's own goes by its id, whatever name precedes it. */
const pathOf = ({ id, name }: APIReaction['emoji']): string =>
  encodeURIComponent(id === null ? (name ?? '') : `${name ?? '_'}:${id}`);

/** Lists the people with a reaction on one page of each of its kinds, without the bots among them. */
const listPeople = async (
  api: Api,
  { channel, id }: MessageRef,
  { emoji, count_details: counts }: APIReaction,
): Promise<readonly string[]> => {
  const route = Routes.channelMessageReaction(channelIdOf(channel), id, pathOf(emoji));
  const list = async (type: ReactionType): Promise<readonly APIUser[]> =>
    api.send<APIUser[]>('GET', route, {
      query: { type: String(type), limit: String(REACTIONS_PAGE) },
    });
  try {
    const users = [
      ...(counts.normal > 0 ? await list(ReactionType.Normal) : []),
      ...(counts.burst > 0 ? await list(ReactionType.Burst) : []),
    ];
    return [...new Set(users.filter(({ bot }) => !bot).map(({ id: userId }) => userId))];
  } catch (thrown) {
    // The last reaction was removed meanwhile.
    if (isGone(thrown) || isRefusal(thrown, RESTJSONErrorCodes.UnknownEmoji)) return [];
    throw thrown;
  }
};

const withoutVariation = (name: string | null): string => (name ?? '').replaceAll('\uFE0F', '');

/** The replies in the thread under a message; Discord says only who began that, not who replied. */
const repliesTo = ({ thread }: RawMessage, botId: string): Pick<Message, 'replies'> => {
  if (!thread || !('message_count' in thread) || !thread.message_count) return {};
  const isOurs = thread.owner_id === botId;
  return { replies: { count: thread.message_count, ...(isOurs ? { ours: 'all' } : {}) } };
};

/** People of a server who are listed by the beginning of their names, and those in which a look-alike is searched for (at most 1,000). */
const LISTED_PEOPLE = 10;
const SEARCHED_PEOPLE = 1_000;

/** Reads the current message from Discord; undefined when it or its channel is gone. */
export const readRaw = async (
  api: Api,
  { channel, id }: MessageRef,
): Promise<RawMessage | undefined> => {
  const route = Routes.channelMessage(channelIdOf(channel), id);
  return recover(api.send<RawMessage>('GET', route), isGone);
};

/** Finds the name of a channel that all readers can see; Discord itself hides others from them. */
const channelName = (client: Client, id: string, readers: Channel): string | undefined => {
  const [other, here] = [findIn(client, { space: readers.space, id }), findIn(client, readers)];
  return other && here && isSeenByReadersOf(here, other) ? other.name : undefined;
};

export interface ChannelFeedDeps {
  readonly api: Api;
  readonly application: () => Application;
  readonly clients: Pick<Clients, 'here' | 'knowing'>;
  readonly reader: MessageReader;
  readonly members: Pick<MemberNames, 'complete' | 'completeAll' | 'nameOf' | 'lookUp'>;
  readonly parents: Pick<ThreadParents, 'channel'>;
  readonly webhooks: Pick<Webhooks, 'isFull'>;
  readonly access: NonNullable<Platform['access']>;
  readonly isBanned: NonNullable<ChannelFeed['isBanned']>;
}

export const createChannelFeed = (deps: ChannelFeedDeps): ChannelFeed => {
  const { api, application, clients, reader, members, parents, webhooks } = deps;

  const resolve = (channel: Channel): Channel => ({
    ...channel,
    ...parents.channel(guildIdOf(channel), channel.id),
  });

  /** The route of a channel's history; throws where the bot may not read that. */
  const historyOf = async (channel: Channel, options?: AppErrorOptions): Promise<`/${string}`> => {
    // Every message would look as if its text had been removed.
    if (!application().hasContentIntent)
      throw new AppError('forbidden', `the ${CONTENT_INTENT} is off`, options);
    demandHistory(await clients.knowing(channel.space.id), channel, options);
    return Routes.channelMessages(channelIdOf(channel));
  };

  /** Finds a member's name; members of other processes' servers are looked up. */
  const memberName = async (guildId: string, id: string): Promise<string | undefined> =>
    clients.here(guildId) ? members.nameOf(guildId, id) : members.lookUp(guildId, id);

  const nameFor = async (
    readers: Channel,
    { target, id, name }: Mention,
  ): Promise<string | undefined> => {
    if (target !== 'member' && target !== 'channel' && target !== 'role') return name;
    const guildId = guildIdOf(readers);
    if (guildId === undefined) return undefined;
    if (target === 'member') return memberName(guildId, id);
    const client = await clients.knowing(guildId);
    if (target === 'channel') return channelName(client, id, readers);
    return client.guilds.cache.get(guildId)?.roles.cache.get(id)?.name;
  };

  /** The route of a history that a person asks for, who is told what the bot lacks. */
  const askedHistoryOf = async (channel: Channel): Promise<`/${string}`> => {
    const permissions = application().hasContentIntent
      ? PERMISSION_NAMES.ReadMessageHistory
      : CONTENT_INTENT;
    return historyOf(channel, { sentence: { key: 'watch.missing', params: { permissions } } });
  };

  const listedIn = (channel: Channel) => (raw: RawMessage) => ({
    ...reader.read(raw, channel),
    ...repliesTo(raw, application().botId),
  });

  /** Yields the messages after a snowflake, oldest first, `most` at most. */
  const readAfter = async function* (
    route: `/${string}`,
    channel: Channel,
    after: string,
    signal: AbortSignal,
    most = Infinity,
  ): AsyncGenerator<RawMessage, void, void> {
    let last = after;
    for (let left = most; left > 0;) {
      const limit = Math.min(MESSAGES_PAGE, left);
      const query = { after: last, limit: String(limit) };
      const page = await api.send<RawMessage[]>('GET', route, { query, signal });
      // Pages arrive newest first.
      yield* await members.completeAll(page.toReversed(), channel);
      last = page[0]?.id ?? last;
      left = page.length < limit ? 0 : left - limit;
    }
  };

  const peopleNamed = async (guildId: string, query: string, most: number) => {
    const named = { query: { query, limit: String(most) } };
    const route = Routes.guildMembersSearch(guildId);
    const found = await api.send<RESTGetAPIGuildMembersSearchResult>('GET', route, named);
    return found.map(({ user, nick }) => ({ id: user.id, name: nameOf(user, nick) }));
  };

  const isDeleted = async (channel: Channel): Promise<boolean> => {
    const client = await clients.knowing(channel.space.id);
    if (client.channels.cache.has(channel.id)) return false;
    const asking = api.send('GET', Routes.channel(channelIdOf(channel)));
    return (await recover(asking, isGone)) === undefined;
  };

  return {
    resolve,
    positionAt,
    timeOf: snowflakeTimeMs,
    async *history(channel, after, signal) {
      const route = await historyOf(channel);
      for await (const raw of readAfter(route, channel, snowflakeAt(after), signal))
        yield reader.read(raw, channel);
    },
    newest: async (channel, from, most, signal) => {
      const route = await askedHistoryOf(channel);
      const found: RawMessage[] = [];
      for (let isMore = true; isMore;) {
        const limit = Math.min(MESSAGES_PAGE, most - found.length);
        const before = found.at(-1)?.id;
        const query = { limit: String(limit), ...(before === undefined ? {} : { before }) };
        const page = await api.send<RawMessage[]>('GET', route, { query, signal });
        const wanted = page.filter(({ id }) => positionOf(id) >= from);
        found.push(...wanted);
        isMore = wanted.length === limit && found.length < most;
      }
      const completed = await members.completeAll(found.toReversed(), channel);
      return completed.map(listedIn(channel));
    },
    earliest: async (channel, from, most, signal) => {
      const route = await askedHistoryOf(channel);
      const after = String(BigInt(from) - (from > positionAt(0) ? 1n : 0n));
      return Array.fromAsync(readAfter(route, channel, after, signal, most), listedIn(channel));
    },
    read: async (ref, of) => {
      const raw = await readRaw(api, ref);
      return raw && reader.read(await members.complete(raw, ref.channel), ref.channel, of);
    },
    named: async (channel, text) =>
      withNames(text, PLATFORM, async (node) => nameFor(channel, node)),

    isReader: async (channel, id) => {
      const guildId = guildIdOf(channel);
      if (guildId === undefined) return false;
      const asking = api.send<APIGuildMember>('GET', Routes.guildMember(guildId, id));
      const member = await recover(asking, (thrown) => isRefusal(thrown, ...NO_MEMBER));
      const found =
        member && (await deps.access({ platform: PLATFORM, id, roles: member.roles }, channel));
      return found === 'see' || found === 'write';
    },
    isBanned: deps.isBanned,
    personName: async ({ id: guildId }, id) =>
      /^\d{17,20}$/.test(id) ? members.lookUp(guildId, id) : undefined,
    peopleNamed: async ({ id }, query) => peopleNamed(id, query, LISTED_PEOPLE),
    namesLike: async ({ id }, name) => {
      const guild = (await clients.knowing(id)).guilds.cache.get(id);
      const queries = [...new Set([name.trim().toLowerCase(), ...beginningsLike(name)])];
      const found = await Promise.all(
        queries.map((each) => peopleNamed(id, each, SEARCHED_PEOPLE)),
      );
      if (!guild || found.some(({ length }) => length >= SEARCHED_PEOPLE)) return undefined;
      const { client, ownerId, members: cached } = guild;
      const own = [client.user.displayName, cached.me?.displayName, guild.name];
      const people = found.flat().map((each) => each.name);
      return [...own, await members.lookUp(id, ownerId), ...people].filter(
        (each) => each !== undefined,
      );
    },
    reactors: async (ref, emoji) => {
      const raw = await readRaw(api, ref);
      const found = raw?.reactions?.find(
        (reaction) =>
          (reaction.emoji.id ?? withoutVariation(reaction.emoji.name)) === withoutVariation(emoji),
      );
      const others = found ? found.count - (found.me ? 1 : 0) : 0;
      return found && others > 0 ? listPeople(api, ref, found) : [];
    },
    pinned: async (channel) => {
      // Without it, none would be listed: "Get Channel Pins".
      demandHistory(await clients.knowing(channel.space.id), channel);
      const route = `/channels/${channelIdOf(channel)}/messages/pins` as const;
      const refs: MessageRef[] = [];
      for (let before: string | undefined; ;) {
        const query = { limit: String(PINS_PAGE), ...(before === undefined ? {} : { before }) };
        const page = await api.send<RESTGetAPIChannelMessagesPinsResult>('GET', route, { query });
        refs.push(...page.items.map(({ message: { id } }) => ({ channel, id })));
        before = page.items.at(-1)?.pinned_at;
        if (!page.has_more || before === undefined || refs.length >= MOST_PINS) return refs;
      }
    },
    spaceName: async ({ id }) => (await clients.knowing(id)).guilds.cache.get(id)?.name,
    isGone: isDeleted,
    isDeleted,
    isPrivate: async (channel) => {
      const found = findIn(await clients.knowing(channel.space.id), channel);
      if (!found || found.type === ChannelType.PrivateThread) return true;
      return !found.permissionsFor(found.guild.roles.everyone)?.has('ViewChannel');
    },
    isAgeRestricted: async (channel) => {
      const found = findIn(await clients.knowing(channel.space.id), channel);
      const around = found?.isThread() ? found.parent : found;
      return around !== null && around !== undefined && 'nsfw' in around && around.nsfw;
    },
    holdsPosts: async (channel) => holdsPosts(await clients.knowing(channel.space.id), channel),
    mayBeginThreads: async (channel) =>
      mayBeginThreads(await clients.knowing(channel.space.id), channel),
    describeThread: async (thread) => {
      const asking = api.send<APIThreadChannel>('GET', Routes.channel(channelIdOf(thread)));
      const found = await recover(asking, isGone);
      return (
        found && {
          name: found.name,
          ownerId: found.owner_id ?? '',
          isPrivate: found.type === ChannelType.PrivateThread,
          // A thread has the id of its message.
          begun: { channel: channelAround(thread), id: thread.id },
          ...(isIdle(found) ? {} : { isArchived: found.thread_metadata?.archived ?? false }),
          isLocked: found.thread_metadata?.locked ?? false,
        }
      );
    },
    link: ({ channel, id }) => linkTo(channel, id),
    threadLink: linkToThread,
    find: (typed, here) => {
      const found = findMessage(typed, here);
      return found && { ...found, ref: { ...found.ref, channel: resolve(found.ref.channel) } };
    },
    drawback: async (place, mode) => {
      const channel = channelMention(place);
      if (webhooks.isFull(place))
        return { key: 'watch.webhooks-full', params: { channel, most: WEBHOOKS } };
      const client = await clients.knowing(place.space.id);
      const list = missingBeside(grantedIn(client, place), mode);
      return list.length > 0
        ? { key: 'watch.lesser', params: { channel, permissions: { list } } }
        : undefined;
    },
    missing: async (channel, mode) => {
      const client = await clients.knowing(channel.space.id);
      if (!fitsMode(client, channel, mode))
        throw new AppError('unsupported', 'a channel of this kind cannot be watched in this way', {
          sentence: { key: 'watch.unfit', params: { channel: channelMention(channel) } },
        });
      return [
        ...missingOf(grantedIn(client, channel), mode, {
          ...kindOf(client.channels.cache.get(channel.id)),
          isThread: resolve(channel).parentId !== undefined,
        }),
        ...(application().hasContentIntent ? [] : [CONTENT_INTENT]),
      ];
    },
  };
};
