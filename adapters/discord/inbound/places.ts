import {
  ChannelType,
  type APIThreadChannel,
  type Channel as ClientChannel,
  type Client,
  GatewayDispatchEvents as Events,
  type GatewayGuildCreateDispatchData,
} from 'discord.js';
import { channelOf, positionOf, snowflakeTimeMs, spaceOf } from '../ids.ts';
import type { On } from './client.ts';
import { nameOf } from './message-reader.ts';
import type { Interactions } from '../interactions/interactions.ts';
import { hasNewOverwrites, isReadableBack } from '../permissions.ts';
import type { ThreadParents } from '../thread-parents.ts';
import type { Channel } from '../../../src/model/place.ts';
import { MINUTE_MS } from '../../../src/async/clock.ts';
import type { ChannelFeedListener, ThreadChange } from '../../../src/ports/channel-feed.ts';

export interface InboundPlacesDeps {
  readonly listener: ChannelFeedListener;
  readonly botId: string;
  readonly interactions: Pick<Interactions, 'lost'>;
  readonly parents: ThreadParents;
  /** Called for a thread that is deleted or locked, and so cannot be written to. */
  readonly threadGone: (threadId: string) => void;
  /** Called when webhooks of a channel were created, changed, moved or deleted. */
  readonly webhooksChanged: (channelId: string) => void;
  /** Called when the bot may have got permissions in a server. */
  readonly permissionsChanged: (guildId: string) => void;
  /** Takes a server that the bot is in, which it may just have been added to. */
  readonly welcome: (guild: GatewayGuildCreateDispatchData, client: Client) => Promise<void>;
}

const newestOf = (channel: object): string | undefined =>
  'last_message_id' in channel && typeof channel.last_message_id === 'string'
    ? positionOf(channel.last_message_id)
    : undefined;

/** True of a thread that Discord archived because nobody wrote in it: each of its copies has its own time. */
export const isIdle = ({
  id,
  last_message_id: last,
  thread_metadata: state,
}: APIThreadChannel): boolean => {
  const { archive_timestamp: at = '', auto_archive_duration: minutes = 0 } = state ?? {};
  return Date.parse(at) - snowflakeTimeMs(positionOf(last ?? id)) >= (minutes - 1) * MINUTE_MS;
};

/** Returns the change of a thread; one that is not known was archived until now. */
const changeOf = (
  known: ClientChannel | undefined,
  thread: APIThreadChannel,
): ThreadChange | undefined => {
  const before = known?.isThread() ? known : undefined;
  const { name, thread_metadata: now } = thread;
  const isArchived = now?.archived ?? false;
  const isLocked = now?.locked ?? false;
  const isByHand = isArchived !== (before?.archived ?? true) && !(isArchived && isIdle(thread));
  const change = {
    ...(before && before.name !== name ? { name } : {}),
    ...(isByHand ? { isArchived } : {}),
    ...(before && before.locked === isLocked ? {} : { isLocked }),
  };
  return Object.keys(change).length > 0 ? change : undefined;
};

const accessChanged = async (
  { listener, permissionsChanged }: InboundPlacesDeps,
  guildId: string,
): Promise<void> => {
  permissionsChanged(guildId);
  await listener.accessChanged(spaceOf(guildId, ''));
};

const listenToServers = (on: On, client: Client, deps: InboundPlacesDeps): void => {
  const { listener, botId, interactions, parents } = deps;

  // This event is the first in each new session and after each outage, before any message of the
  // server: messages missed meanwhile are fetched before new ones.
  on(Events.GuildCreate, async (guild) => {
    if (guild.unavailable) return;
    for (const thread of guild.threads) parents.note(guild.id, thread);
    const channels = [...guild.channels, ...guild.threads];
    listener.messagesMissed(
      channels
        .filter(({ type }) => type !== ChannelType.GuildCategory)
        .map((channel) => ({
          channel: parents.channel(guild.id, channel.id),
          newest: newestOf(channel),
        })),
    );
    await listener.spaceJoined(spaceOf(guild.id, ''));
    await deps.welcome(guild, client);
  });
  on(Events.GuildDelete, async ({ id, unavailable }) => {
    if (unavailable) return;
    parents.removeGuild(id);
    interactions.lost([id]);
    await listener.spaceLeft(spaceOf(id, ''));
  });
  on(Events.GuildUpdate, async ({ id, name }) => {
    const former = client.guilds.cache.get(id)?.name;
    if (former !== undefined && former !== name)
      await listener.spaceRenamed(spaceOf(id, ''), former, name);
  });
  on(Events.GuildBanAdd, async ({ guild_id, user }) =>
    listener.memberBanned(spaceOf(guild_id, ''), user.id, nameOf(user)),
  );
  on(Events.GuildBanRemove, async ({ guild_id, user }) =>
    listener.memberUnbanned(spaceOf(guild_id, ''), user.id),
  );

  /**
   * Reports gaps in the channels that the bot could not read until now; the client's cache still
   * holds the former permissions.
   */
  const mayReadMore = (guildId: string): void => {
    const ids = [...(client.guilds.cache.get(guildId)?.channels.cache.keys() ?? [])];
    const hidden = ids
      .map((id) => parents.channel(guildId, id))
      .filter((channel) => !isReadableBack(client, channel));
    listener.messagesMissed(hidden.map((channel) => ({ channel, newest: undefined })));
  };
  const mayDoMore = async (guildId: string): Promise<void> => {
    mayReadMore(guildId);
    await accessChanged(deps, guildId);
  };
  on(Events.GuildRoleUpdate, async ({ guild_id, role }) => {
    const known = client.guilds.cache.get(guild_id)?.roles.cache.get(role.id);
    if (known?.permissions.bitfield !== BigInt(role.permissions)) await mayDoMore(guild_id);
  });
  on(Events.GuildMemberUpdate, async ({ guild_id, user }) => {
    if (user.id === botId) await mayDoMore(guild_id);
  });
};

const listenToChannels = (on: On, client: Client, deps: InboundPlacesDeps): void => {
  const { listener, interactions, parents, threadGone, webhooksChanged } = deps;

  const gone = async (channel: Channel): Promise<void> => {
    parents.removeChannel(channel.id);
    interactions.lost([channel.id]);
    await listener.channelDeleted(channel);
  };

  on(Events.ChannelUpdate, async (raw) => {
    if (!('guild_id' in raw) || !raw.guild_id) return;
    const channel = parents.channel(raw.guild_id, raw.id);
    if (!isReadableBack(client, channel))
      listener.messagesMissed([{ channel, newest: newestOf(raw) }]);
    const known = client.channels.cache.get(raw.id);
    const isRestricted = 'nsfw' in raw && raw.nsfw;
    if (known && 'nsfw' in known && known.nsfw !== isRestricted)
      await listener.ageRestrictionChanged(channel, isRestricted);
    if (hasNewOverwrites(client, raw)) await accessChanged(deps, raw.guild_id);
  });
  on(Events.ChannelDelete, async (raw) =>
    gone(channelOf('guild_id' in raw ? raw.guild_id : undefined, raw.id)),
  );
  on(Events.WebhooksUpdate, ({ channel_id }) => webhooksChanged(channel_id));

  for (const event of [Events.ThreadCreate, Events.ThreadUpdate] as const)
    on(event, (thread) => {
      if (thread.guild_id) parents.note(thread.guild_id, thread);
      if (thread.thread_metadata?.locked) threadGone(thread.id);
    });
  on(Events.ThreadUpdate, async (thread) => {
    const channel = channelOf(thread.guild_id, thread.id, thread.parent_id ?? undefined);
    const change = changeOf(client.channels.cache.get(thread.id), thread);
    if (change && listener.follows(channel)) await listener.threadChanged(channel, change);
  });
  // The bot can now see a channel, and so its threads, that it could not see before.
  on(Events.ThreadListSync, ({ guild_id, threads }) => {
    for (const thread of threads) parents.note(guild_id, thread);
    listener.messagesMissed(
      threads.map((thread) => ({
        channel: parents.channel(guild_id, thread.id),
        newest: newestOf(thread),
      })),
    );
  });
  on(Events.ThreadDelete, async ({ id, guild_id, parent_id }) => {
    threadGone(id);
    await gone(channelOf(guild_id, id, parent_id));
  });
};

/** Reports servers, channels and threads that appear and disappear to the core. */
export const listenToPlaces = (on: On, client: Client, deps: InboundPlacesDeps): void => {
  listenToServers(on, client, deps);
  listenToChannels(on, client, deps);
};
