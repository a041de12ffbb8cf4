import { z } from 'zod';
import type { Api, SlackCallOptions } from './api.ts';
import { refusedAs, isUnreadable } from './errors.ts';
import { channelIdOf } from './ids.ts';
import { rawMessage, type RawSlackMessage } from './inbound/raw-message.ts';
import { HISTORY_PAGE } from './limits.ts';
import { DAY_MS } from '../../src/async/clock.ts';
import { AppError } from '../../src/errors.ts';
import type { Channel, MessageRef, Space } from '../../src/model/place.ts';
import { createLru } from '../../src/async/lru.ts';

const page = z.object({
  messages: z.array(rawMessage),
  has_more: z.boolean().optional(),
  response_metadata: z.object({ next_cursor: z.string().optional() }).optional(),
});

/** Messages of a channel, or of a thread, between two timestamps, neither included unless that is asked for. */
interface PageRange {
  readonly oldest?: string | undefined;
  readonly latest?: string | undefined;
  readonly cursor?: string | undefined;
  /** True to include the messages at these timestamps. */
  readonly inclusive?: boolean | undefined;
  /** The first message of the thread to read; default: what stands in the channel itself. */
  readonly threadTs?: string | undefined;
}

/** A timestamp after those of all messages. */
export const END = '9999999999.999999';

/**
 * Reads one page: of a channel the newest messages before `latest`, or without it those closest to `oldest`
 * ("channels.history"), both newest first; of a thread the oldest.
 */
export const readHistoryPage = async (
  api: Api,
  channel: Channel,
  { oldest, latest, cursor, inclusive, threadTs }: PageRange,
  options: SlackCallOptions,
) => {
  const { space } = channel;
  const answer: unknown = await api.call(
    space,
    threadTs === undefined ? 'conversations.history' : 'conversations.replies',
    {
      channel: channelIdOf(channel),
      limit: HISTORY_PAGE,
      include_all_metadata: true,
      ...(threadTs === undefined ? {} : { ts: threadTs }),
      ...(oldest === undefined ? {} : { oldest }),
      ...(inclusive ? { inclusive } : {}),
      ...(latest === undefined ? {} : { latest }),
      ...(cursor === undefined ? {} : { cursor }),
    },
    options,
  );
  const { messages, has_more: hasMore = false, response_metadata } = page.parse(answer);
  api.history.sawPage(space, { asked: HISTORY_PAGE, got: messages.length, hasMore });
  return { messages, hasMore, next: hasMore ? response_metadata?.next_cursor : undefined };
};

export interface HistoryReading
  extends Pick<PageRange, 'oldest' | 'inclusive' | 'threadTs'>, SlackCallOptions {
  /** True to leave it at the first page where the app gets little history. */
  readonly firstPageOnly?: boolean;
}

/** Reads messages of a channel, newest first, or of a thread, oldest first, page by page. */
export const readHistory = async function* (
  api: Api,
  channel: Channel,
  { oldest, inclusive, threadTs, firstPageOnly = false, ...options }: HistoryReading,
): AsyncGenerator<RawSlackMessage, void, void> {
  let cursor: string | undefined;
  const latest = threadTs === undefined && oldest !== undefined ? END : undefined;
  do {
    const range = { oldest, latest, inclusive, threadTs, cursor };
    const read = await readHistoryPage(api, channel, range, options);
    yield* read.messages;
    cursor = firstPageOnly && api.history.isLimited(channel.space) ? undefined : read.next;
  } while (cursor);
};

/** Reads messages of a channel at a timestamp and after it, oldest first; one page where the app gets little history. */
export const readForward = async function* (
  api: Api,
  channel: Channel,
  oldest: string,
  options: SlackCallOptions,
): AsyncGenerator<RawSlackMessage, void, void> {
  for (let from: string | undefined = oldest; from !== undefined;) {
    const range = { oldest: from, inclusive: from === oldest };
    const { messages, hasMore } = await readHistoryPage(api, channel, range, options);
    if (messages.length === 0 && from !== oldest)
      throw new AppError('bad-reply', 'Slack gave the newest messages in place of the first');
    yield* messages.toReversed();
    from = hasMore && !api.history.isLimited(channel.space) ? messages[0]?.ts : undefined;
  }
};

/** Time before a message in which threads may have begun that got it, or a mirror of it. */
export const THREADS_BACK_MS = DAY_MS;

const reacted = z.object({ message: rawMessage });

/** The thread that a message's address names, where the message itself does not. */
const withThread = (raw: RawSlackMessage): RawSlackMessage => {
  const thread = URL.parse(raw.permalink ?? '')?.searchParams.get('thread_ts') ?? undefined;
  return thread === undefined ? raw : { ...raw, thread_ts: raw.thread_ts ?? thread };
};

/** Reads one message with everybody's reactions, which is no use of history; undefined when deleted. */
export const readReacted = async (
  api: Api,
  channel: Channel,
  ts: string,
): Promise<RawSlackMessage | undefined> => {
  const args = { channel: channelIdOf(channel), timestamp: ts, full: true };
  const asking = api.call(channel.space, 'reactions.get', args);
  const answer = await refusedAs(asking, 'message_not_found');
  const message = answer && reacted.parse(answer).message;
  return message && message.subtype !== 'tombstone' ? withThread(message) : undefined;
};

const readInThread = async (
  api: Api,
  channel: Channel,
  ts: string,
): Promise<RawSlackMessage | undefined> => {
  // A thread's first page has the message in both cases: as its first one, or as the one asked for.
  const asking = api.call(channel.space, 'conversations.replies', {
    channel: channelIdOf(channel),
    ts,
    oldest: ts,
    latest: ts,
    inclusive: true,
    limit: 2,
    include_all_metadata: true,
  });
  const answer = await refusedAs(asking, 'thread_not_found', 'message_not_found');
  const found = answer && page.parse(answer).messages.find((message) => message.ts === ts);
  return found?.subtype === 'tombstone' ? undefined : found;
};

/** Reads one message; undefined when it is deleted. Waits for no history where the app gets little. */
export const readMessage = async (
  api: Api,
  channel: Channel,
  ts: string,
): Promise<RawSlackMessage | undefined> => {
  const isLimited = (): boolean => api.history.isLimited(channel.space);
  if (!isLimited())
    try {
      return await readInThread(api, channel, ts);
    } catch (thrown) {
      // The call may have shown it.
      if (!isLimited()) throw thrown;
    }
  return readReacted(api, channel, ts);
};

/** Replies whose thread is remembered. */
const KNOWN_MESSAGES = 20_000;

const keyOf = ({ space, id }: Channel, ts: string): string => `${space.id} ${id} ${ts}`;

export type ThreadRoots = ReturnType<typeof createThreadRoots>;

/**
 * Creates the cache of threads: a message is answered in the thread that it is in, under that thread's
 * first message.
 */
export const createThreadRoots = (api: Api) => {
  const roots = createLru<string, string>(KNOWN_MESSAGES);

  const ask = async (channel: Channel, ts: string): Promise<string | undefined> => {
    const found = await readMessage(api, channel, ts);
    return found && (found.thread_ts ?? found.ts);
  };

  return {
    /** Notes the thread of a message; `ts` itself for one that is in none. */
    note: (channel: Channel, ts: string, root: string): void => roots.set(keyOf(channel, ts), root),
    /** True while the first message of a thread is there. */
    exists: async (channel: Channel, root: string): Promise<boolean> => {
      if (roots.get(keyOf(channel, root)) === root) return true;
      const isThere = (await ask(channel, root)) !== undefined;
      if (isThere) roots.set(keyOf(channel, root), root);
      return isThere;
    },
    forgetSpace: (space: Space): void => {
      for (const [key] of roots) if (key.startsWith(`${space.id} `)) roots.delete(key);
    },
    /** Takes the deletion of a message. */
    forget: (channel: Channel, ts: string): void => roots.delete(keyOf(channel, ts)),
    /**
     * The first message of the thread that a message is in, or begins; the message itself where the
     * history may not be read; undefined where the message does not exist any more.
     */
    rootOf: async ({ channel, id }: MessageRef): Promise<string | undefined> => {
      const known = roots.get(keyOf(channel, id));
      if (known !== undefined) return known;
      try {
        const root = await ask(channel, id);
        if (root !== undefined) roots.set(keyOf(channel, id), root);
        return root;
      } catch (thrown) {
        if (isUnreadable(thrown)) return id;
        throw thrown;
      }
    },
  };
};
