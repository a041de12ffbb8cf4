import { RESTJSONErrorCodes, Routes, type APIMessage, type RouteLike } from 'discord.js';
import type { Channel } from '../../../src/model/place.ts';
import { shorten } from '../../../src/text/split/shorten.ts';
import type { Persona } from '../../../src/ports/channel-feed.ts';
import type { Api } from '../api.ts';
import { DiscordError, isGone, isRefusal } from '../errors.ts';
import { threadIdOf } from '../ids.ts';
import { WEBHOOK_NAME_CHARS } from '../limits.ts';
import { bodyOf, botMessageWriter, ignoreGone, type MessageWriter } from './message-writer.ts';

export interface WebhookKey {
  readonly id: string;
  readonly token: string;
}

export interface WebhookMessageWriterOptions {
  readonly persona?: Persona | undefined;
  readonly signal?: AbortSignal;
}

/** Deleted by hand, or given another token. */
export const isHookGone = (thrown: unknown): boolean =>
  isRefusal(thrown, RESTJSONErrorCodes.UnknownWebhook, RESTJSONErrorCodes.InvalidWebhookToken);

/** As Discord says it: for a webhook that is not, or no longer, where it is wanted. */
export const hookGone = (cause?: unknown): DiscordError =>
  new DiscordError('not-found', 'the webhook of a channel is gone', {
    discordCode: RESTJSONErrorCodes.UnknownWebhook,
    cause,
  });

const FORBIDDEN_IN_NAMES = /clyde|discord/gi;
/** Joiners are parts of emoji. */
const BLANKS = /(?:[\p{Cc}\s]|(?![\u200C\u200D])\p{Cf})+/gu;

/** Discord takes no name that is empty, over 80 characters or holds one of its own. */
export const personaName = (name: string): string => {
  const plain = name.toWellFormed().replaceAll(BLANKS, ' ').trim();
  const apart = plain.replaceAll(FORBIDDEN_IN_NAMES, (word) => `${word[0]}\u200A${word.slice(1)}`);
  return shorten(apart, WEBHOOK_NAME_CHARS) || '…';
};

/**
 * Writes through a webhook in a channel, or in a thread of it. People may have deleted the webhook, or
 * given it another channel: then nothing is written or rewritten (`isHookGone`), and the bot erases.
 */
export const webhookMessageWriter = (
  api: Api,
  hook: WebhookKey,
  channel: Channel,
  options: WebhookMessageWriterOptions = {},
): MessageWriter => {
  const { persona } = options;
  const threadId = threadIdOf(channel);
  const thread: Record<string, string> = threadId === undefined ? {} : { thread_id: threadId };
  const common = { auth: false, ...(options.signal ? { signal: options.signal } : {}) };
  const route = (messageId: string): RouteLike =>
    Routes.webhookMessage(hook.id, hook.token, messageId);
  const erase = async (id: string, query: Record<string, string>): Promise<unknown> =>
    api.send('DELETE', route(id), { ...common, query });
  /** The channel has a message of which the webhook knows nothing. */
  const isLeftBehind = async (id: string): Promise<boolean> => {
    try {
      await api.send('GET', Routes.channelMessage(channel.id, id));
      return true;
    } catch (thrown) {
      if (isGone(thrown)) return false;
      throw thrown;
    }
  };
  return {
    write: async (part) => {
      const { body, files } = bodyOf(part);
      // No nonce here: what was lost on the way back would stand twice if it were sent again.
      const posted = await api.sendOnce<APIMessage>('POST', Routes.webhook(hook.id, hook.token), {
        ...common,
        query: { ...thread, wait: 'true' },
        body: {
          ...body,
          ...(persona
            ? {
                username: personaName(persona.name),
                ...(persona.avatarUrl ? { avatar_url: persona.avatarUrl } : {}),
              }
            : {}),
        },
        files,
      });
      if (posted.channel_id === channel.id) return posted.id;
      try {
        await ignoreGone(erase(posted.id, {}));
      } catch (thrown) {
        // Whatever becomes of this one, no other is to be posted there.
        throw hookGone(thrown);
      }
      throw hookGone();
    },
    rewrite: async (id, part) => {
      try {
        await api.send('PATCH', route(id), { ...common, query: thread, ...bodyOf(part) });
      } catch (thrown) {
        throw isGone(thrown) && (await isLeftBehind(id)) ? hookGone() : thrown;
      }
    },
    erase: async (id) => {
      try {
        await erase(id, thread);
      } catch (thrown) {
        if (!isGone(thrown) && !isHookGone(thrown)) throw thrown;
        await botMessageWriter(api, channel, options).erase(id);
      }
    },
  };
};
