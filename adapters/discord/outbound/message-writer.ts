import { createHash, randomBytes } from 'node:crypto';
import {
  MessageFlags,
  RESTJSONErrorCodes,
  Routes,
  type APIMessage,
  type RawFile,
  type RouteLike,
} from 'discord.js';
import type { Channel, MessageRef } from '../../../src/model/place.ts';
import type { Persona } from '../../../src/ports/mirrors.ts';
import { shorten } from '../../../src/text/split/shorten.ts';
import type { Api } from '../api.ts';
import { DiscordError, isGone, isRefusal } from '../errors.ts';
import { channelIdOf, threadIdOf } from '../ids.ts';
import { NONCE_CHARS, WEBHOOK_NAME_CHARS } from '../limits.ts';
import type { Part } from './render.ts';

/** Writes messages in one place, as the bot, through a webhook or as an interaction's answer. */
export interface MessageWriter {
  /** Resolves with the new message's id. `index` is the part's among those of one text. */
  write(part: Part, index: number): Promise<string>;
  rewrite(id: string, part: Part): Promise<void>;
  /** Deletes a message; one that is gone already is no error. */
  erase(id: string): Promise<void>;
}

/** The mentions that may ping anyone: none, whatever stands in a text. */
const NOBODY = { parse: [], replied_user: false } as const;

/** A request's body and files for one part. */
export const bodyOf = (part: Part): { body: Record<string, unknown>; files: RawFile[] } => {
  const { files } = part;
  return {
    files: files.map(({ name, mediaType, bytes }) => ({
      name,
      data: bytes,
      contentType: mediaType,
    })),
    body: {
      ...(part.voice
        ? { flags: MessageFlags.IsVoiceMessage }
        : { content: part.content.toWellFormed() }),
      allowed_mentions: NOBODY,
      ...(part.rows ? { components: part.rows } : {}),
      // Of an edit: what is not named here goes.
      attachments: files.map(({ name, voice }, id) => ({
        id,
        filename: name,
        ...(part.voice && voice
          ? { waveform: voice.waveform, duration_secs: voice.durationMs / 1_000 }
          : {}),
      })),
    },
  };
};

/** A nonce's bytes: as base64, three of them are four characters. */
const NONCE_BYTES = Math.trunc((NONCE_CHARS * 3) / 4);

/** The same nonce for the same words: Discord then posts only once within some minutes. */
export const nonceOf = (...words: readonly (string | number)[]): string =>
  createHash('sha256')
    .update(JSON.stringify(words))
    .digest()
    .subarray(0, NONCE_BYTES)
    .toString('base64url');

/** Waits for a deletion of what may be gone. A webhook that is gone does not take its messages along. */
export const ignoreGone = async (erasing: Promise<unknown>): Promise<void> => {
  try {
    await erasing;
  } catch (thrown) {
    if (!isRefusal(thrown, RESTJSONErrorCodes.UnknownMessage, RESTJSONErrorCodes.UnknownChannel))
      throw thrown;
  }
};

export interface BotMessageWriterOptions {
  /** The nonce of the part with this index; by default it differs each time. */
  readonly nonce?: (index: number) => string;
  /** The message that every part answers to. Without this message nothing is posted: `not-found`. */
  readonly replyTo?: MessageRef | undefined;
  readonly signal?: AbortSignal;
}

export const botMessageWriter = (
  api: Api,
  channel: Channel,
  options: BotMessageWriterOptions = {},
): MessageWriter => {
  const id = channelIdOf(channel);
  const nonce = options.nonce ?? (() => randomBytes(NONCE_BYTES).toString('base64url'));
  const signal = options.signal ? { signal: options.signal } : {};
  const reference = options.replyTo && {
    message_reference: { message_id: options.replyTo.id, fail_if_not_exists: true },
  };
  return {
    write: async (part, index) => {
      const { body, files } = bodyOf(part);
      const posted = await api.send<APIMessage>('POST', Routes.channelMessages(id), {
        body: { ...body, ...reference, nonce: nonce(index), enforce_nonce: true },
        files,
        ...signal,
      });
      return posted.id;
    },
    rewrite: async (messageId, part) => {
      await api.send('PATCH', Routes.channelMessage(id, messageId), { ...bodyOf(part), ...signal });
    },
    erase: async (messageId) =>
      ignoreGone(api.send('DELETE', Routes.channelMessage(id, messageId), signal)),
  };
};

export interface WebhookKey {
  readonly id: string;
  readonly token: string;
}

/** True when the webhook was deleted by hand, or given another token. */
export const isHookGone = (thrown: unknown): boolean =>
  isRefusal(thrown, RESTJSONErrorCodes.UnknownWebhook, RESTJSONErrorCodes.InvalidWebhookToken);

/** The error that Discord gives for a webhook that is not, or no longer, where it is wanted. */
export const hookGone = (cause?: unknown): DiscordError =>
  new DiscordError('not-found', 'the webhook of a channel is gone', {
    discordCode: RESTJSONErrorCodes.UnknownWebhook,
    cause,
  });

const FORBIDDEN_IN_NAMES = /clyde|discord/gi;
/** Joiners are parts of emoji. */
const BLANKS = /(?:[\p{Cc}\s]|(?![\u200C\u200D])\p{Cf})+/gu;

/** A name as Discord takes it: not empty, at most 80 characters, and without one of Discord's own. */
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
  persona?: Persona,
  signal?: AbortSignal,
): MessageWriter => {
  const threadId = threadIdOf(channel);
  const thread: Record<string, string> = threadId === undefined ? {} : { thread_id: threadId };
  const common = { auth: false, ...(signal ? { signal } : {}) };
  const route = (messageId: string): RouteLike =>
    Routes.webhookMessage(hook.id, hook.token, messageId);
  const erase = async (id: string, query: Record<string, string>): Promise<unknown> =>
    api.send('DELETE', route(id), { ...common, query });
  /** True when the channel has a message of which the webhook knows nothing. */
  const isLeftBehind = async (id: string): Promise<boolean> => {
    try {
      await api.send('GET', Routes.channelMessage(channel.id, id));
      return true;
    } catch (thrown) {
      if (isGone(thrown)) return false;
      throw thrown;
    }
  };
  const shown = persona && {
    username: personaName(persona.name),
    ...(persona.avatarUrl ? { avatar_url: persona.avatarUrl } : {}),
  };
  return {
    write: async (part) => {
      const { body, files } = bodyOf(part);
      // No nonce here: what was lost on the way back would stand twice if it were sent again.
      const posted = await api.sendOnce<APIMessage>('POST', Routes.webhook(hook.id, hook.token), {
        ...common,
        query: { ...thread, wait: 'true' },
        body: { ...body, ...shown },
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
        await botMessageWriter(api, channel, signal ? { signal } : {}).erase(id);
      }
    },
  };
};
