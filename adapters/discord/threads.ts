import {
  ChannelFlags,
  ChannelType,
  RESTJSONErrorCodes,
  Routes,
  ThreadAutoArchiveDuration,
  type APIChannel,
  type APIGuildForumChannel,
  type APIGuildMediaChannel,
  type APIMessage,
  type APIThreadChannel,
} from 'discord.js';
import { AppError, recover } from '../../src/errors.ts';
import type { Channel, MessageRef } from '../../src/model/place.ts';
import type { ThreadChange } from '../../src/ports/channel-feed.ts';
import type { OpenThreadOptions } from '../../src/ports/mirrors.ts';
import type { WhileHeld } from '../../src/ports/processes.ts';
import type { RichText } from '../../src/rich-text/rich-text.ts';
import type { Api } from './api.ts';
import { isGone, isRefusal } from './errors.ts';
import { channelIdOf, channelOf, guildIdOf, positionAt, positionOf } from './ids.ts';
import { CHANNEL_NAME_CHARS, THREADS_PAGE } from './limits.ts';
import type { OwnMessages } from './mirrors/own-messages.ts';
import { bodyOf, botMessageWriter, nonceOf } from './outbound/message-writer.ts';
import { render } from './outbound/render.ts';
import { createLru } from '../../src/async/lru.ts';
import { shorten } from '../../src/text/quoted-words.ts';
import { createKeyedMutex } from '../../src/async/locks.ts';

interface ThreadList {
  readonly threads: readonly APIThreadChannel[];
  readonly has_more?: boolean;
}

/** Channels in which threads can be begun under messages. */
const THREADABLE: readonly ChannelType[] = [ChannelType.GuildText, ChannelType.GuildAnnouncement];

/** Difference of clocks that is allowed for. */
const SKEW_MS = 60_000;

const threadsFull = (cause: unknown): AppError =>
  new AppError('unavailable', 'the server has as many active threads as it may have', {
    cause,
    sentence: { key: 'watch.threads-full' },
  });

const PAGES = 5;
const KNOWN_THREADS = 5_000;

export type Threads = ReturnType<typeof createThreads>;

export const createThreads = (
  api: Api,
  botId: () => string,
  ownMessages: Pick<OwnMessages, 'since'>,
) => {
  const known = createLru<string, string>(KNOWN_THREADS);
  /** The channel and name of each thread, deleted ones included. */
  const keys = createLru<string, string>(KNOWN_THREADS);
  const turns = createKeyedMutex();

  const archived = async function* (channelId: string): AsyncGenerator<APIThreadChannel> {
    let before: string | undefined;
    for (let page = 0; page < PAGES; page += 1) {
      const { threads, has_more } = await api.send<ThreadList>(
        'GET',
        Routes.channelThreads(channelId, 'public'),
        { query: { limit: String(THREADS_PAGE), ...(before === undefined ? {} : { before }) } },
      );
      yield* threads;
      before = threads.at(-1)?.thread_metadata?.archive_timestamp;
      if (!has_more || before === undefined) return;
    }
  };

  const find = async (guildId: string, channelId: string, name: string) => {
    const isIt = (thread: APIThreadChannel): boolean =>
      thread.parent_id === channelId &&
      thread.name === name &&
      thread.owner_id === botId() &&
      !thread.thread_metadata?.locked;
    const active = await api.send<ThreadList>('GET', Routes.guildActiveThreads(guildId));
    const open = active.threads.find(isIt);
    if (open) return open.id;
    for await (const thread of archived(channelId)) if (isIt(thread)) return thread.id;
  };

  /** True for a thread of this channel that still exists and is not locked. */
  const isUsable = async (channelId: string, threadId: string): Promise<boolean> => {
    const reading = api.send<APIThreadChannel>('GET', Routes.channel(threadId));
    const thread = await recover(reading, isGone);
    return thread?.parent_id === channelId && !thread.thread_metadata?.locked;
  };

  const make = async (
    channelId: string,
    name: string,
    { assertHeld }: WhileHeld = {},
  ): Promise<string> => {
    const create = async (type: ChannelType): Promise<string> => {
      const body = { name, type, auto_archive_duration: ThreadAutoArchiveDuration.OneWeek };
      const made = await api.sendOnce<APIThreadChannel>('POST', Routes.threads(channelId), {
        body,
        assertHeld,
      });
      return made.id;
    };
    try {
      return await create(ChannelType.PublicThread);
    } catch (thrown) {
      // Announcement channels take only their own type of threads.
      if (isRefusal(thrown, RESTJSONErrorCodes.CannotExecuteActionOnThisChannelType))
        return create(ChannelType.AnnouncementThread);
      if (isRefusal(thrown, RESTJSONErrorCodes.MaximumActiveThreads)) throw threadsFull(thrown);
      throw thrown;
    }
  };

  /** Begins a thread under a message, or finds the one that it has; undefined where the message is gone. */
  const under = async (
    { channel, id }: MessageRef,
    name: string,
    { assertHeld }: WhileHeld,
  ): Promise<string | undefined> => {
    const body = { name, auto_archive_duration: ThreadAutoArchiveDuration.OneWeek };
    const making = api.send<APIThreadChannel>('POST', Routes.threads(channelIdOf(channel), id), {
      body,
      assertHeld,
    });
    try {
      return (await making).id;
    } catch (thrown) {
      // A thread has the id of its message.
      if (isRefusal(thrown, RESTJSONErrorCodes.ThreadAlreadyCreatedForMessage)) return id;
      if (isRefusal(thrown, RESTJSONErrorCodes.MaximumActiveThreads)) throw threadsFull(thrown);
      if (isRefusal(thrown, RESTJSONErrorCodes.UnknownMessage)) return undefined;
      throw thrown;
    }
  };

  /** Finds a post of ours in a forum by the address in its first message. */
  const findPost = async (
    guildId: string,
    forumId: string,
    url: string,
    sinceMs: number,
  ): Promise<string | undefined> => {
    const { threads } = await api.send<ThreadList>('GET', Routes.guildActiveThreads(guildId));
    const oldest = positionAt(sinceMs - SKEW_MS);
    for (const { id, parent_id, owner_id } of threads) {
      if (parent_id !== forumId || owner_id !== botId() || positionOf(id) < oldest) continue;
      const first = await recover(
        api.send<APIMessage>('GET', Routes.channelMessage(id, id)),
        isGone,
      );
      if (first?.content.includes(url)) return id;
    }
  };

  /** Makes a post in a forum; where posts need a tag, with the first one that everybody may use. */
  const makePost = async (
    forum: APIGuildForumChannel | APIGuildMediaChannel,
    name: string,
    opening: RichText,
    { assertHeld }: WhileHeld,
  ): Promise<string> => {
    const { flags = 0, available_tags: tags } = forum;
    const tag =
      flags & ChannelFlags.RequireTag ? tags.find(({ moderated }) => !moderated) : undefined;
    const { body: message } = await bodyOf(render({ text: opening })[0]);
    const body = {
      name,
      auto_archive_duration: ThreadAutoArchiveDuration.OneWeek,
      message,
      ...(tag ? { applied_tags: [tag.id] } : {}),
    };
    const made = await api
      .sendOnce<APIThreadChannel>('POST', Routes.threads(forum.id), { body, assertHeld })
      .catch((thrown: unknown) => {
        throw isRefusal(thrown, RESTJSONErrorCodes.MaximumActiveThreads)
          ? threadsFull(thrown)
          : thrown;
      });
    return made.id;
  };

  /** Posts the message under which a thread is begun, or finds it. */
  const open = async (
    channel: Channel,
    { key, opening, url, mayExist, sinceMs, assertHeld }: OpenThreadOptions,
  ): Promise<MessageRef> => {
    if (mayExist && url !== undefined)
      for await (const message of ownMessages.since(channel, [], sinceMs))
        if (message.content.includes(url)) return { channel, id: message.id };
    const nonce = (): string => nonceOf('thread', key, channel.id);
    const writer = botMessageWriter(api, channel, { nonce, assertHeld });
    return { channel, id: await writer.write(render({ text: opening })[0], 0) };
  };

  return {
    /** Creates a public thread in a channel; resolves with its id. */
    create: make,
    /**
     * Finds our standing thread, or creates it. Posting reopens an archived one.
     *
     * @param last id of the thread that was found last; it may have another name by now
     */
    standing: async (
      channel: Channel,
      name: string,
      last?: string,
      held: WhileHeld = {},
    ): Promise<Channel> => {
      const guildId = guildIdOf(channel);
      const channelId = channelIdOf(channel);
      if (guildId === undefined)
        throw new AppError('unsupported', 'direct messages have no threads');
      const called = shorten(name, CHANNEL_NAME_CHARS);
      const key = `${channelId} ${called}`;
      using _ = await turns.take(key);
      const id =
        known.get(key) ??
        (last !== undefined && (await isUsable(channelId, last)) ? last : undefined) ??
        (await find(guildId, channelId, called)) ??
        (await make(channelId, called, held));
      known.set(key, id);
      keys.set(id, key);
      return channelOf(guildId, id, channelId);
    },
    /** See `Mirrors.openThread`. */
    begin: async (channel: Channel, name: string, options: OpenThreadOptions): Promise<Channel> => {
      const { from, opening, url, mayExist, sinceMs, assertHeld } = options;
      const guildId = guildIdOf(channel);
      const channelId = channelIdOf(channel);
      const called = shorten(name, CHANNEL_NAME_CHARS);
      const place = await api.send<APIChannel>('GET', Routes.channel(channelId));
      const isForum =
        place.type === ChannelType.GuildForum || place.type === ChannelType.GuildMedia;
      if (guildId === undefined || !(isForum || THREADABLE.includes(place.type))) return channel;
      if (isForum) {
        const found =
          mayExist && url !== undefined
            ? await findPost(guildId, channelId, url, sinceMs)
            : undefined;
        const id = found ?? (await makePost(place, called, opening, { assertHeld }));
        return channelOf(guildId, id, channelId);
      }
      const id =
        (from && (await under(from, called, { assertHeld }))) ??
        (await under(await open(channel, options), called, { assertHeld }));
      if (id === undefined)
        throw new AppError('unavailable', 'the first message of a thread is gone', {
          retryable: true,
        });
      return channelOf(guildId, id, channelId);
    },
    /** See `Mirrors.changeThread`. */
    change: async (
      { id }: Channel,
      { name, isArchived, isLocked }: ThreadChange,
    ): Promise<void> => {
      const patch = async (body: Record<string, unknown>): Promise<void> => {
        if (Object.keys(body).length === 0) return;
        try {
          await api.send('PATCH', Routes.channel(id), { body });
        } catch (thrown) {
          if (!isRefusal(thrown, RESTJSONErrorCodes.InvalidActionOnArchivedThread)) throw thrown;
          await api.send('PATCH', Routes.channel(id), { body: { ...body, archived: false } });
        }
      };
      // It takes Manage Threads, also of who began the thread: "Modify Channel", "Thread".
      const locking = isLocked === undefined ? undefined : patch({ locked: isLocked });
      const refused = await locking?.then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      await patch({
        ...(name === undefined ? {} : { name: shorten(name, CHANNEL_NAME_CHARS) }),
        ...(isArchived === undefined ? {} : { archived: isArchived }),
      });
      if (refused !== undefined) throw refused;
    },
    /** Drops a deleted thread from the cache. Returns true for a standing thread. */
    forget: (threadId: string): boolean => {
      const key = keys.get(threadId);
      if (key === undefined) return false;
      if (known.get(key) === threadId) known.delete(key);
      return true;
    },
  };
};
