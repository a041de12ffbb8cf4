import { z } from 'zod';
import type { Api } from '../api.ts';
import type { CallTurn } from '../bucket.ts';
import { isGone } from '../errors.ts';
import { channelIdOf } from '../ids.ts';
import { personaOf } from './persona.ts';
import type { Part } from './render.ts';
import type { Uploads } from './uploads.ts';
import type { Channel } from '../../../src/model/place.ts';
import type { Persona } from '../../../src/ports/mirrors.ts';

/** Options of posting. */
export interface PostOptions {
  /** The first message of the thread in which they stand. */
  readonly threadTs?: string | undefined;
  /** True where they stand in the channel, too. */
  readonly broadcast?: boolean | undefined;
  /** The name and picture above them. */
  readonly as?: Persona | undefined;
  /** Makes the metadata of each part, which nobody sees. */
  readonly metadata?: ((index: number) => object) | undefined;
  /** Place among the calls that wait for the same rate. */
  readonly turn?: CallTurn | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface SyncOptions extends PostOptions {
  /** True where the messages that stand are in the channel, too. */
  readonly isBroadcast?: boolean | undefined;
}

export type MessageWriter = ReturnType<typeof createMessageWriter>;

const posted = z.object({ ts: z.string() });

/** A message needs a text; Slack refuses an empty one. */
const NOTHING = '\u2060';

const bodyOf = ({ text, blocks }: Part) => ({
  text: text || NOTHING,
  ...(blocks.length > 0 ? { blocks } : {}),
  unfurl_links: false,
  unfurl_media: false,
});

/** Creates what posts, changes and deletes the app's messages. */
export const createMessageWriter = (api: Api, uploads: Uploads) => {
  const write = async (
    channel: Channel,
    part: Part,
    index: number,
    { threadTs, broadcast, as, metadata, turn, signal }: PostOptions,
  ): Promise<readonly string[]> => {
    const channelId = channelIdOf(channel);
    const { space } = channel;
    const hasText = part.text !== '' || part.blocks.length > 0 || part.files.length === 0;
    const timestamps: string[] = [];
    if (hasText) {
      const answer = await api.call(
        space,
        'chat.postMessage',
        {
          channel: channelId,
          ...bodyOf(part),
          ...(threadTs === undefined ? {} : { thread_ts: threadTs }),
          ...(threadTs !== undefined && broadcast ? { reply_broadcast: true } : {}),
          ...(as ? personaOf(as) : {}),
          ...(metadata ? { metadata: metadata(index) } : {}),
        },
        { once: true, turn, signal },
      );
      timestamps.push(posted.parse(answer).ts);
    }
    if (part.files.length > 0) {
      const ts = await uploads.post(space, part.files, { channelId, threadTs, turn });
      if (ts !== undefined) timestamps.push(ts);
    }
    return timestamps;
  };

  const rewrite = async (
    channel: Channel,
    ts: string,
    part: Part,
    { broadcast, isBroadcast, turn }: SyncOptions,
    metadata?: object,
  ): Promise<void> => {
    await api.call(
      channel.space,
      'chat.update',
      {
        channel: channelIdOf(channel),
        ts,
        ...bodyOf(part),
        ...(broadcast && !isBroadcast ? { reply_broadcast: true } : {}),
        ...(metadata ? { metadata } : {}),
      },
      { turn },
    );
  };

  /** Deletes a message; one that is gone already is no error. */
  const erase = async (channel: Channel, ts: string, turn?: CallTurn): Promise<void> => {
    try {
      await api.call(channel.space, 'chat.delete', { channel: channelIdOf(channel), ts }, { turn });
    } catch (thrown) {
      if (!isGone(thrown)) throw thrown;
    }
  };

  return {
    erase,
    /** Posts parts in their order; resolves with the timestamps of their messages. */
    post: async (
      channel: Channel,
      parts: readonly Part[],
      options: PostOptions = {},
    ): Promise<readonly string[]> => {
      const all: string[] = [];
      for (const [index, part] of parts.entries())
        all.push(...(await write(channel, part, index, options)));
      return all;
    },
    /**
     * Changes messages to show these parts: what is too many is deleted, what is missing is posted.
     * Files that stand already stay. Resolves with the timestamps.
     */
    sync: async (
      channel: Channel,
      timestamps: readonly string[],
      parts: readonly Part[],
      options: SyncOptions = {},
    ): Promise<readonly string[]> => {
      const shown: string[] = [];
      for (const [index, part] of parts.entries()) {
        const ts = timestamps[index];
        if (ts === undefined) shown.push(...(await write(channel, part, index, options)));
        else {
          await rewrite(channel, ts, part, options, options.metadata?.(index));
          shown.push(ts);
        }
      }
      for (const ts of timestamps.slice(parts.length)) await erase(channel, ts, options.turn);
      return shown;
    },
  };
};
