import { z } from 'zod';
import type { Api } from './api.ts';
import { channelIdOf } from './ids.ts';
import { rawMessage, type RawSlackMessage } from './inbound/raw-message.ts';
import { HISTORY_PAGE } from './limits.ts';
import type { Channel } from '../../src/model/place.ts';

const page = z.object({
  messages: z.array(rawMessage),
  has_more: z.boolean().optional(),
  response_metadata: z.object({ next_cursor: z.string().optional() }).optional(),
});

interface Range {
  /** Timestamp after which messages are read. */
  readonly oldest?: string;
  /** The first message of the thread to read; default: what stands in the channel itself. */
  readonly threadTs?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Reads messages of a channel, newest first, or of a thread, oldest first, page by page. */
export const readHistory = async function* (
  api: Api,
  channel: Channel,
  { oldest, threadTs, signal }: Range,
): AsyncGenerator<RawSlackMessage, void, void> {
  let cursor: string | undefined;
  do {
    const answer: unknown = await api.call(
      channel.space,
      threadTs === undefined ? 'conversations.history' : 'conversations.replies',
      {
        channel: channelIdOf(channel),
        limit: HISTORY_PAGE,
        include_all_metadata: true,
        ...(threadTs === undefined ? {} : { ts: threadTs }),
        ...(oldest === undefined ? {} : { oldest }),
        ...(cursor === undefined ? {} : { cursor }),
      },
      { signal },
    );
    const { messages, has_more, response_metadata } = page.parse(answer);
    yield* messages;
    cursor = has_more ? response_metadata?.next_cursor : undefined;
  } while (cursor);
};

/** Reads one message; undefined when it is deleted. */
export const readMessage = async (
  api: Api,
  channel: Channel,
  ts: string,
): Promise<RawSlackMessage | undefined> => {
  // A thread's first page has the message in both cases: as its first one, or as the one asked for.
  const answer = page.parse(
    await api.call(channel.space, 'conversations.replies', {
      channel: channelIdOf(channel),
      ts,
      oldest: ts,
      latest: ts,
      inclusive: true,
      limit: 2,
      include_all_metadata: true,
    }),
  );
  const found = answer.messages.find((message) => message.ts === ts);
  return found?.subtype === 'tombstone' ? undefined : found;
};
