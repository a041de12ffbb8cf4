import {
  ChannelType,
  RESTJSONErrorCodes,
  Routes,
  ThreadAutoArchiveDuration,
  type APIThreadChannel,
} from 'discord.js';
import { AppError, recover } from '../../src/errors.ts';
import type { Channel } from '../../src/model/place.ts';
import type { WhileHeld } from '../../src/ports/processes.ts';
import type { Api } from './api.ts';
import { isGone, isRefusal } from './errors.ts';
import { channelOf, guildIdOf, channelIdOf } from './ids.ts';
import { CHANNEL_NAME_CHARS, THREADS_PAGE } from './limits.ts';
import { createLru } from '../../src/async/lru.ts';
import { shorten } from '../../src/text/quoted-words.ts';
import { createKeyedMutex } from '../../src/async/locks.ts';

interface ThreadList {
  readonly threads: readonly APIThreadChannel[];
  readonly has_more?: boolean;
}

const PAGES = 5;
const KNOWN_THREADS = 5_000;

export type Threads = ReturnType<typeof createThreads>;

export const createThreads = (api: Api, botId: () => string) => {
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
      if (isRefusal(thrown, RESTJSONErrorCodes.MaximumActiveThreads))
        throw new AppError('unavailable', 'the server has as many active threads as it may have', {
          cause: thrown,
        });
      throw thrown;
    }
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
    /** Drops a deleted thread from the cache. Returns true for a standing thread. */
    forget: (threadId: string): boolean => {
      const key = keys.get(threadId);
      if (key === undefined) return false;
      if (known.get(key) === threadId) known.delete(key);
      return true;
    },
  };
};
