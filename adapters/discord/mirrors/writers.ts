import { RESTJSONErrorCodes } from 'discord.js';
import type { Api, RequestGuard } from '../api.ts';
import { isRefusal } from '../errors.ts';
import { ownPost, type OwnPost, threadIdOf } from '../ids.ts';
import { webhookChannelId, type WebhookRate, type Webhooks } from './webhooks.ts';
import {
  botMessageWriter,
  type BotMessageWriterOptions,
  hookGone,
  isHookGone,
  type MessageWriter,
  webhookMessageWriter,
} from '../outbound/message-writer.ts';
import { AppError } from '../../../src/errors.ts';
import type { Channel } from '../../../src/model/place.ts';
import type { WhileHeld } from '../../../src/ports/processes.ts';
import type { Persona } from '../../../src/ports/mirrors.ts';

/** Messages that were written together. */
export interface Written {
  readonly ids: readonly string[];
  /** True when the first one is a voice message. */
  readonly voice: boolean;
  /** True when the message holds several mirrors, or may do so later. */
  readonly shared: boolean;
}

const EXHAUSTED_MS = 60_000;

/** True when a post was refused for its rate, so that nothing was posted. */
const isTooMuch = (thrown: unknown): thrown is AppError =>
  thrown instanceof AppError && thrown.code === 'rate-limited';

/** True for a moved webhook, which answers Unknown Channel for threads of its old channel. */
const isElsewhere = (thrown: unknown, to: Channel): boolean =>
  threadIdOf(to) !== undefined && isRefusal(thrown, RESTJSONErrorCodes.UnknownChannel);

export type Writers = ReturnType<typeof createWriters>;

/**
 * Creates the choice of the writer: a rate-limited webhook, or the bot. Only a message's writer may
 * change it.
 */
export const createWriters = (api: Api, webhooks: Webhooks, rate: WebhookRate) => {
  const paced = (
    writer: MessageWriter,
    to: Channel,
    written?: string[],
    { signal }: RequestGuard = {},
  ): MessageWriter => ({
    ...writer,
    write: async (part, index) => {
      await rate.take(webhookChannelId(to), signal);
      const id = await writer.write(part, index);
      written?.push(id);
      return id;
    },
  });

  const webhookOf = async (
    { channel, handle: { webhookId } }: OwnPost,
    persona: Persona | undefined,
    held: WhileHeld,
  ): Promise<MessageWriter | undefined> => {
    const hook = webhookId && (await webhooks.find(channel, webhookId));
    if (!hook) return undefined;
    const writer = webhookMessageWriter(api, hook, channel, persona, held);
    return {
      ...paced(writer, channel),
      rewrite: async (id, part) => {
        try {
          await writer.rewrite(id, part);
        } catch (thrown) {
          if (isHookGone(thrown)) webhooks.forget(webhookChannelId(channel));
          throw thrown;
        }
      },
    };
  };

  return {
    /** Writes through the channel's webhook; undefined when none is available now. */
    throughWebhook: async (
      to: Channel,
      by: Persona | undefined,
      write: (writer: MessageWriter) => Promise<Written>,
      guard: RequestGuard = {},
    ): Promise<OwnPost | undefined> => {
      // A webhook that was deleted or moved by hand is created again once.
      for (let attempt = 1; attempt <= 2; attempt += 1) {
        const hook = await webhooks.of(to);
        if (!hook) return undefined;
        const written: string[] = [];
        try {
          const writer = webhookMessageWriter(api, hook, to, by, guard);
          const { ids, voice, shared } = await write(paced(writer, to, written, guard));
          return ownPost(to, ids, { shared, voice, webhookId: hook.id });
        } catch (thrown) {
          const tooMuch = isTooMuch(thrown);
          if (tooMuch) rate.exhaust(webhookChannelId(to), thrown.retryAfterMs ?? EXHAUSTED_MS);
          else if (isHookGone(thrown) || isElsewhere(thrown, to))
            webhooks.forget(webhookChannelId(to));
          else throw thrown;
          // The next try finds the existing parts and deletes them.
          if (written.length > 0)
            throw new AppError('unavailable', 'a mirror was posted in part', {
              cause: thrown,
              retryable: true,
            });
          if (tooMuch) return undefined;
        }
      }
      return undefined;
    },
    /**
     * The writer of existing messages; posts of a webhook are rate-limited. Rejects with `isHookGone`
     * when the webhook that posted them is known to be gone.
     */
    of: async (
      post: OwnPost,
      {
        persona,
        ...options
      }: { readonly persona?: Persona | undefined } & BotMessageWriterOptions = {},
    ): Promise<MessageWriter> => {
      if (post.handle.webhookId === undefined) return botMessageWriter(api, post.channel, options);
      const writer = await webhookOf(post, persona, options);
      if (!writer) throw hookGone();
      return writer;
    },
    /** Deletes messages, those of deleted webhooks as the bot; rejects with `forbidden` where it may not. */
    erase: async (post: OwnPost, held: WhileHeld = {}): Promise<void> => {
      const writer =
        (await webhookOf(post, undefined, held)) ?? botMessageWriter(api, post.channel, held);
      for (const id of post.ids) await writer.erase(id);
    },
  };
};
