import { createHash, randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  MessageFlags,
  RESTJSONErrorCodes,
  Routes,
  type APIMessage,
  type RawFile,
} from 'discord.js';
import { toAppError } from '../../src/errors.ts';
import type { Channel, MessageRef } from '../../src/model.ts';
import type { Api } from './api.ts';
import { isRefusal } from './errors.ts';
import { channelIdOf } from './ids.ts';
import type { Part } from './render.ts';

/** Writes messages in one place, as the bot, through a webhook or as an interaction's answer. */
export interface Pen {
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

/** Nonces are 25 characters at most. */
const NONCE_BYTES = 18;

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

export interface BotPenOptions {
  /** Of the part with this index; by default it differs each time. */
  readonly nonce?: (index: number) => string;
  /** What every part answers to. Without this message nothing is posted: `not-found`. */
  readonly replyTo?: MessageRef | undefined;
  readonly signal?: AbortSignal;
}

export const botPen = (api: Api, channel: Channel, options: BotPenOptions = {}): Pen => {
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
export const paced = (pen: Pen, wait: () => Promise<void>): Pen => ({
  ...pen,
  write: async (part, index) => {
    await wait();
    return pen.write(part, index);
  },
});

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
export const redraw = async (
  pen: Pen,
  ids: readonly string[],
  parts: readonly Part[],
  shown: readonly Part[] = [],
): Promise<string[]> => {
  const now: string[] = [];
  try {
    for (const [index, part] of parts.entries()) {
      const id = ids[index];
      if (id === undefined) now.push(await pen.write(part, index));
      else {
        if (!isSame(shown[index], part)) await pen.rewrite(id, part);
        now.push(id);
      }
    }
  } catch (thrown) {
    if (isFinal(thrown)) for (const id of now.slice(ids.length)) await pen.erase(id);
    throw thrown;
  }
  for (const id of ids.slice(parts.length)) await pen.erase(id);
  return now;
};
