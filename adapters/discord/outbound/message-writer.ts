import { hash, randomBytes } from 'node:crypto';
import {
  MessageFlags,
  RESTJSONErrorCodes,
  Routes,
  type APIAttachment,
  type APIMessage,
  type RawFile,
  type RouteLike,
} from 'discord.js';
import type { Channel, MessageRef } from '../../../src/model/place.ts';
import type { Persona, MirrorFile } from '../../../src/ports/mirrors.ts';
import { shorten } from '../../../src/text/quoted-words.ts';
import type { Api, RequestGuard } from '../api.ts';
import { DiscordError, isGone, isRefusal } from '../errors.ts';
import { channelIdOf, threadIdOf } from '../ids.ts';
import { ALT_TEXT_CHARS, NONCE_CHARS, WEBHOOK_NAME_CHARS } from '../limits.ts';
import { fileNameOf } from '../inbound/message-reader.ts';
import { waveformOf } from '../files.ts';
import type { Part } from './render.ts';
import { isDeepStrictEqual } from 'node:util';
import { AppError, recover, toAppError } from '../../../src/errors.ts';

/** Writes messages in one place, as the bot, through a webhook or as an interaction's response. */
export interface MessageWriter {
  /**
   * Posts a part; resolves with the new message's id. `index` is the part's place among those of
   * one text.
   */
  write(part: Part, index: number): Promise<string>;
  rewrite(id: string, part: Part): Promise<void>;
  /** Deletes a message; one that is gone already is no error. */
  erase(id: string): Promise<void>;
}

/** Mentions that notify nobody, whatever a text contains. */
const NOBODY = { parse: [], replied_user: false } as const;

/** Mentions that notify those whom a new message of one part is for, and nobody else. */
const allowedIn = ({ notifies = [] }: Part) =>
  notifies.length > 0 ? { allowed_mentions: { ...NOBODY, users: notifies } } : {};

/** A file's name with the characters that Discord keeps. */
const plainName = (name: string): string => name.replaceAll(/[^\w.-]+/g, '_');

/** The attachment that a message has of this file; its bytes cannot have changed since. */
const isOf =
  (file: MirrorFile) =>
  (raw: APIAttachment): boolean =>
    raw.size === ('bytes' in file ? file.bytes.byteLength : file.sizeBytes) &&
    (fileNameOf(raw) === file.name || plainName(raw.filename) === plainName(file.name));

/** The file of an attachment that a message keeps as it is. */
export const asStanding = (raw: APIAttachment): MirrorFile => ({
  name: fileNameOf(raw),
  mediaType: raw.content_type ?? '',
  sizeBytes: raw.size,
  read: async () => {
    throw new AppError('not-found', 'a file of a message is gone');
  },
});

/**
 * A request's body and files for one part.
 *
 * @param standing the attachments of the message to be edited: those of the part's files stay
 */
export const bodyOf = async (
  part: Part,
  standing: readonly APIAttachment[] = [],
): Promise<{ body: Record<string, unknown>; files: RawFile[] }> => {
  const unmatched = [...standing];
  const files = part.files.map((file) => {
    const at = unmatched.findIndex(isOf(file));
    return { file, attachment: at < 0 ? undefined : unmatched.splice(at, 1)[0] };
  });
  const sent = files.filter(({ attachment }) => !attachment).map(({ file }) => file);
  return {
    files: await Promise.all(
      sent.map(async (file) => ({
        name: file.name,
        data: 'bytes' in file ? file.bytes : await file.read(),
        contentType: file.mediaType,
      })),
    ),
    body: {
      ...(part.voice
        ? { flags: MessageFlags.IsVoiceMessage }
        : { content: part.content.toWellFormed() }),
      allowed_mentions: NOBODY,
      ...(part.rows ? { components: part.rows } : {}),
      // An edit removes the attachments that are not named here.
      attachments: files.map(({ file, attachment }) => {
        const { name, voice, altText } = file;
        return attachment
          ? { id: attachment.id }
          : {
              id: sent.indexOf(file),
              filename: name,
              ...(altText === undefined ? {} : { description: shorten(altText, ALT_TEXT_CHARS) }),
              ...(part.voice && voice
                ? { waveform: waveformOf(voice.loudness), duration_secs: voice.durationMs / 1_000 }
                : {}),
            };
      }),
    },
  };
};

/** The request's body and files for an edit, which sends no file again that the message has. */
const editOf = async (part: Part, read: () => Promise<Pick<APIMessage, 'attachments'>>) => {
  if (part.files.length === 0) return bodyOf(part);
  const { attachments } = await read();
  return bodyOf(part, attachments);
};

/** Bytes of a nonce: as base64, three bytes are four characters. */
const NONCE_BYTES = Math.trunc((NONCE_CHARS * 3) / 4);

/** A nonce that is the same for the same words: Discord then posts only once within some minutes. */
export const nonceOf = (...words: readonly (string | number)[]): string =>
  hash('sha256', JSON.stringify(words), 'buffer').subarray(0, NONCE_BYTES).toString('base64url');

/**
 * Waits for a deletion and ignores that the message is gone. The messages of a deleted webhook
 * stay.
 */
export const ignoreGone = async (erasing: Promise<unknown>): Promise<void> => {
  const gone = [RESTJSONErrorCodes.UnknownMessage, RESTJSONErrorCodes.UnknownChannel];
  await recover(erasing, (thrown) => isRefusal(thrown, ...gone));
};

export interface BotMessageWriterOptions extends RequestGuard {
  /** The nonce of the part with this index; by default it differs each time. */
  readonly nonce?: (index: number) => string;
  /**
   * The message that every part replies to. Rejects with `not-found` when it is gone; nothing is
   * then posted.
   */
  readonly replyTo?: MessageRef | undefined;
}

export const botMessageWriter = (
  api: Api,
  channel: Channel,
  { nonce: nonceOfPart, replyTo, ...guard }: BotMessageWriterOptions = {},
): MessageWriter => {
  const id = channelIdOf(channel);
  const nonce = nonceOfPart ?? (() => randomBytes(NONCE_BYTES).toString('base64url'));
  const reference = replyTo && {
    message_reference: { message_id: replyTo.id, fail_if_not_exists: true },
  };
  return {
    write: async (part, index) => {
      const { body, files } = await bodyOf(part);
      const posted = await api.send<APIMessage>('POST', Routes.channelMessages(id), {
        body: {
          ...body,
          ...allowedIn(part),
          ...reference,
          nonce: nonce(index),
          enforce_nonce: true,
        },
        files,
        ...guard,
      });
      return posted.id;
    },
    rewrite: async (messageId, part) => {
      const target = Routes.channelMessage(id, messageId);
      const edit = await editOf(part, async () => api.send('GET', target, guard));
      await api.send('PATCH', target, { ...edit, ...guard });
    },
    erase: async (messageId) =>
      ignoreGone(api.send('DELETE', Routes.channelMessage(id, messageId), guard)),
  };
};

export interface WebhookKey {
  readonly id: string;
  readonly token: string;
}

/** True when the webhook was deleted, or given another token. */
export const isHookGone = (thrown: unknown): boolean =>
  isRefusal(thrown, RESTJSONErrorCodes.UnknownWebhook, RESTJSONErrorCodes.InvalidWebhookToken);

/** Discord's error for a webhook that does not exist, or is no longer in its channel. */
export const hookGone = (cause?: unknown): DiscordError =>
  new DiscordError('not-found', 'the webhook of a channel is gone', {
    discordCode: RESTJSONErrorCodes.UnknownWebhook,
    cause,
  });

const FORBIDDEN_IN_NAMES = /clyde|discord/gi;
/** Matches blanks; joiners are none, as they are parts of emoji. */
const BLANKS = /(?:[\p{Cc}\s]|(?![\u200C\u200D])\p{Cf})+/gu;

/**
 * A name that Discord accepts: not empty, at most 80 characters, and without Discord's reserved
 * names.
 */
export const personaName = (name: string): string => {
  const plain = name.toWellFormed().replaceAll(BLANKS, ' ').trim();
  const apart = plain.replaceAll(FORBIDDEN_IN_NAMES, (word) => `${word[0]}\u200A${word.slice(1)}`);
  return shorten(apart, WEBHOOK_NAME_CHARS) || '…';
};

/**
 * Writes through a webhook in a channel or its thread. Where people deleted the webhook, or moved
 * it to another channel, nothing is written or rewritten (`isHookGone`), and the bot deletes
 * messages.
 */
export const webhookMessageWriter = (
  api: Api,
  hook: WebhookKey,
  channel: Channel,
  persona?: Persona,
  guard: RequestGuard = {},
): MessageWriter => {
  const threadId = threadIdOf(channel);
  const thread: Record<string, string> = threadId === undefined ? {} : { thread_id: threadId };
  const common = { auth: false, ...guard };
  const route = (messageId: string): RouteLike =>
    Routes.webhookMessage(hook.id, hook.token, messageId);
  const erase = async (id: string, query: Record<string, string>): Promise<unknown> =>
    api.send('DELETE', route(id), { ...common, query });
  /** True when a message is in the channel and unknown to the webhook. */
  const isLeftBehind = async (id: string): Promise<boolean> =>
    recover(
      api.send('GET', Routes.channelMessage(channel.id, id)).then(() => true),
      isGone,
      false,
    );
  const shown = persona && {
    username: personaName(persona.name),
    ...(persona.avatarUrl ? { avatar_url: persona.avatarUrl } : {}),
  };
  return {
    write: async (part) => {
      const { body, files } = await bodyOf(part);
      // Without a nonce, a request repeated after a lost response would post twice.
      const posted = await api.sendOnce<APIMessage>('POST', Routes.webhook(hook.id, hook.token), {
        ...common,
        query: { ...thread, wait: 'true' },
        body: { ...body, ...allowedIn(part), ...shown },
        files,
      });
      if (posted.channel_id === channel.id) return posted.id;
      try {
        await ignoreGone(erase(posted.id, {}));
      } catch (thrown) {
        // Even if deleting fails, no other message is to be posted there.
        throw hookGone(thrown);
      }
      throw hookGone();
    },
    rewrite: async (id, part) => {
      try {
        const options = { ...common, query: thread };
        const edit = await editOf(part, async () => api.send('GET', route(id), options));
        await api.send('PATCH', route(id), { ...options, ...edit });
      } catch (thrown) {
        throw isGone(thrown) && (await isLeftBehind(id)) ? hookGone() : thrown;
      }
    },
    erase: async (id) => {
      try {
        await erase(id, thread);
      } catch (thrown) {
        if (!isGone(thrown) && !isHookGone(thrown)) throw thrown;
        await botMessageWriter(api, channel, guard).erase(id);
      }
    },
  };
};

const isSame = (a: Part | undefined, b: Part): boolean =>
  a?.content === b.content &&
  a.files.length === b.files.length &&
  a.files.every((file, index) => file === b.files[index]) &&
  isDeepStrictEqual(a.rows, b.rows);

/** Refused for good. */
export const isFinal = (thrown: unknown): boolean => {
  const { retryable, code } = toAppError(thrown);
  return !retryable && code !== 'cancelled';
};

/**
 * Puts parts in the place of what stands: edits, adds and takes away messages. When a part
 * is refused for good, what was added before it is taken away again.
 *
 * @param shown what stands there, where that is known: what stays the same is left alone
 */
export const syncParts = async (
  writer: MessageWriter,
  ids: readonly string[],
  parts: readonly Part[],
  shown: readonly Part[] = [],
): Promise<string[]> => {
  const now: string[] = [];
  try {
    for (const [index, part] of parts.entries()) {
      const id = ids[index];
      if (id === undefined) now.push(await writer.write(part, index));
      else {
        if (!isSame(shown[index], part)) await writer.rewrite(id, part);
        now.push(id);
      }
    }
  } catch (thrown) {
    if (isFinal(thrown)) for (const id of now.slice(ids.length)) await writer.erase(id);
    throw thrown;
  }
  for (const id of ids.slice(parts.length)) await writer.erase(id);
  return now;
};
