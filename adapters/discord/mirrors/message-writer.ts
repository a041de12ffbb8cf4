import { createHash, randomBytes } from 'node:crypto';
import {
  MessageFlags,
  RESTJSONErrorCodes,
  Routes,
  type APIMessage,
  type RawFile,
} from 'discord.js';
import type { Channel, MessageRef } from '../../../src/model/place.ts';
import type { Api } from '../api.ts';
import { isRefusal } from '../errors.ts';
import { channelIdOf } from '../ids.ts';
import { NONCE_CHARS } from '../limits.ts';
import type { Part } from '../outbound/render.ts';

/** Writes messages in one place, as the bot, through a webhook or as an interaction's answer. */
export interface MessageWriter {
  /** Resolves with the new message's id. `index` is the part's among those of one text. */
  write(part: Part, index: number): Promise<string>;
  rewrite(id: string, part: Part): Promise<void>;
  /** A message that is gone already is no error. */
  erase(id: string): Promise<void>;
}

/** Nobody is ever pinged, whatever stands in a text. */
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

/** As base64, three bytes are four characters. */
const NONCE_BYTES = Math.trunc((NONCE_CHARS * 3) / 4);

/** The same nonce for the same words: Discord then posts only once within some minutes. */
export const nonceOf = (...words: readonly (string | number)[]): string =>
  createHash('sha256')
    .update(JSON.stringify(words))
    .digest()
    .subarray(0, NONCE_BYTES)
    .toString('base64url');

/** For erasing. A webhook that is gone does not take its messages along. */
export const ignoreGone = async (erasing: Promise<unknown>): Promise<void> => {
  try {
    await erasing;
  } catch (thrown) {
    if (!isRefusal(thrown, RESTJSONErrorCodes.UnknownMessage, RESTJSONErrorCodes.UnknownChannel))
      throw thrown;
  }
};

export interface BotMessageWriterOptions {
  /** Of the part with this index; by default it differs each time. */
  readonly nonce?: (index: number) => string;
  /** What every part answers to. Without this message nothing is posted: `not-found`. */
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

/** The same pen, that waits before each message that it writes. */
export const paced = (pen: MessageWriter, wait: () => Promise<void>): MessageWriter => ({
  ...pen,
  write: async (part, index) => {
    await wait();
    return pen.write(part, index);
  },
});
