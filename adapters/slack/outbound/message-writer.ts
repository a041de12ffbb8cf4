import { z } from 'zod';
import type { Api } from '../api.ts';
import type { CallPriority } from '../rate-limiter.ts';
import { isGone } from '../errors.ts';
import { channelIdOf } from '../ids.ts';
import { personaOf, type UploadedFile, type Uploads } from './uploads.ts';
import type { Part } from './render.ts';
import { recover } from '../../../src/errors.ts';
import type { Channel } from '../../../src/model/place.ts';
import type { WhileHeld } from '../../../src/ports/processes.ts';
import type { Persona } from '../../../src/ports/mirrors.ts';

export interface PostOptions extends WhileHeld {
  /** The first message of the thread in which they stand. */
  readonly threadTs?: string | undefined;
  /** True where they stand in the channel, too. */
  readonly broadcast?: boolean | undefined;
  /** The name and picture above them. */
  readonly as?: Persona | undefined;
  /** Makes the metadata of each part, which nobody sees. */
  readonly metadata?: ((index: number) => object) | undefined;
  /** Place among the calls that wait for the same rate. */
  readonly priority?: CallPriority | undefined;
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

/** False for a part that is nothing but files. */
const hasText = ({ text, blocks, files }: Part): boolean =>
  text !== '' || blocks.length > 0 || files.length === 0;

/** Creates what posts, changes and deletes the app's messages. */
export const createMessageWriter = (api: Api, uploads: Uploads) => {
  const write = async (
    channel: Channel,
    part: Part,
    index: number,
    { threadTs, broadcast, as, metadata, priority, signal, assertHeld }: PostOptions,
  ): Promise<string> => {
    const answer = await api.call(
      channel.space,
      'chat.postMessage',
      {
        channel: channelIdOf(channel),
        ...bodyOf(part),
        ...(threadTs === undefined ? {} : { thread_ts: threadTs }),
        ...(threadTs !== undefined && broadcast ? { reply_broadcast: true } : {}),
        ...(as ? personaOf(as) : {}),
        ...(metadata ? { metadata: metadata(index) } : {}),
      },
      { once: true, priority, signal, assertHeld },
    );
    return posted.parse(answer).ts;
  };

  const rewrite = async (
    channel: Channel,
    ts: string,
    part: Part,
    { broadcast, isBroadcast, priority, assertHeld }: SyncOptions,
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
      { priority, assertHeld },
    );
  };

  /** Deletes a message; one that is gone already is no error. */
  const erase = async (
    channel: Channel,
    ts: string,
    { priority, assertHeld }: Pick<PostOptions, 'priority' | 'assertHeld'> = {},
  ): Promise<void> => {
    const args = { channel: channelIdOf(channel), ts };
    await recover(api.call(channel.space, 'chat.delete', args, { priority, assertHeld }), isGone);
  };

  return {
    erase,
    /** Posts the texts of parts in their order; resolves with the timestamps of their messages. */
    post: async (
      channel: Channel,
      parts: readonly Part[],
      options: PostOptions = {},
    ): Promise<readonly string[]> => {
      const all: string[] = [];
      for (const [index, part] of parts.filter(hasText).entries())
        all.push(await write(channel, part, index, options));
      return all;
    },
    /**
     * Changes messages to show the texts of these parts: what is too many is deleted, what is missing is
     * posted. Resolves with the timestamps.
     */
    sync: async (
      channel: Channel,
      timestamps: readonly string[],
      parts: readonly Part[],
      options: SyncOptions = {},
    ): Promise<readonly string[]> => {
      const shown: string[] = [];
      for (const [index, part] of parts.filter(hasText).entries()) {
        const ts = timestamps[index];
        if (ts === undefined) shown.push(await write(channel, part, index, options));
        else {
          await rewrite(channel, ts, part, options, options.metadata?.(index));
          shown.push(ts);
        }
      }
      for (const ts of timestamps.slice(shown.length)) await erase(channel, ts, options);
      return shown;
    },
    /**
     * Shows staged files in a message of their own, in place of those that show files so far: Slack adds none to a
     * message that stands. Resolves with the timestamps.
     */
    showFiles: async (
      channel: Channel,
      timestamps: readonly string[],
      staged: readonly UploadedFile[],
      options: PostOptions = {},
    ): Promise<readonly string[]> => {
      const { threadTs, priority, assertHeld } = options;
      const place = { channelId: channelIdOf(channel), threadTs, priority, assertHeld };
      const ts = await uploads.share(channel.space, staged, place);
      for (const former of timestamps) await erase(channel, former, options);
      return ts === undefined ? [] : [ts];
    },
  };
};
