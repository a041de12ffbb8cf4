import { extname } from 'node:path';
import {
  type APIAttachment,
  type APIGuildMember,
  type APIMessage,
  type APIMessageSnapshotFields,
  type APIStickerItem,
  type APIUser,
  MessageFlags,
  MessageReferenceType,
  MessageType,
  StickerFormatType,
} from 'discord.js';
import type { Application } from '../application.ts';
import { type OpenRemoteFile, loudnessOf } from '../files.ts';
import { channelOf, positionOf } from '../ids.ts';
import { cardTexts, pollText } from './message-text.ts';
import { wordsIn } from '../mirrors/parts.ts';
import { parseDiscord } from '../rich-text/parse.ts';
import { sections } from '../../../src/rich-text/compose.ts';
import type { MessageFile, Author, Message } from '../../../src/model/message.ts';
import type { Channel, MessageRef } from '../../../src/model/place.ts';
import { shownName } from '../../../src/text/quoted-words.ts';

/** A message as REST gives it, or as the gateway does, which adds parts of the member. */
export type RawMessage = APIMessage & {
  readonly guild_id?: string;
  readonly member?: Partial<Pick<APIGuildMember, 'nick' | 'avatar' | 'roles'>>;
};

const IMAGES = 'https://cdn.discordapp.com';
const AVATAR_PX = 256;

/**
 * Types of messages with people's own words and of replies to commands; all others are by Discord
 * itself.
 */
const WRITTEN: ReadonlySet<MessageType> = new Set([
  MessageType.Default,
  MessageType.Reply,
  MessageType.ChatInputCommand,
  MessageType.ContextMenuCommand,
]);

const STICKER_FILES: Readonly<Record<StickerFormatType, string>> = {
  [StickerFormatType.PNG]: 'https://media.discordapp.net/stickers/%.png',
  [StickerFormatType.APNG]: 'https://media.discordapp.net/stickers/%.png',
  [StickerFormatType.Lottie]: `${IMAGES}/stickers/%.json`,
  [StickerFormatType.GIF]: 'https://media.discordapp.net/stickers/%.gif',
};

export const avatarOf = (
  user: APIUser,
  guildId: string | undefined,
  memberAvatar?: string | null,
) => {
  if (guildId && memberAvatar)
    return `${IMAGES}/guilds/${guildId}/users/${user.id}/avatars/${memberAvatar}.png?size=${AVATAR_PX}`;
  if (user.avatar) return `${IMAGES}/avatars/${user.id}/${user.avatar}.png?size=${AVATAR_PX}`;
  return `${IMAGES}/embed/avatars/${Number((BigInt(user.id) >> 22n) % 6n)}.png`;
};

export const nameOf = (user: APIUser, nick?: string | null): string =>
  shownName(nick, user.global_name, user.username, user.id);

const stickerOf = ({ id, name, format_type }: APIStickerItem) => ({
  name,
  url: STICKER_FILES[format_type].replace('%', id),
});

/** The original file name: `filename` keeps only plain letters, and `title` holds the rest. */
export const fileNameOf = ({
  filename,
  title,
}: Pick<APIAttachment, 'filename' | 'title'>): string => {
  const extension = extname(filename);
  return shownName(title && !title.endsWith(extension) ? title + extension : title, filename);
};

/** True for what a program writes; the news of a followed channel come through a webhook, from people. */
const isBot = ({ author, webhook_id, flags }: RawMessage): boolean =>
  ((flags ?? 0) & MessageFlags.IsCrosspost) === 0 &&
  (author.bot === true || webhook_id !== undefined);

export type MessageReader = ReturnType<typeof createMessageReader>;

export interface MessageReaderDeps {
  readonly application: () => Pick<Application, 'id' | 'botId'>;
  readonly openFile: OpenRemoteFile;
  /** The current address of a file; undefined when it or its message is gone. */
  readonly renew: (ref: MessageRef, fileId: string) => Promise<string | undefined>;
}

export const createMessageReader = (deps: MessageReaderDeps) => {
  const { application, openFile, renew } = deps;

  /**
   * True when the bot wrote it, itself or through its webhook; known before the response to the
   * post, as Discord names the application that owns the webhook (reference, "Message Object").
   */
  const isOurs = ({ author, webhook_id, application_id }: RawMessage): boolean => {
    const { id, botId } = application();
    return author.id === botId || (webhook_id !== undefined && application_id === id);
  };

  const fileOf =
    (ref: MessageRef, isVoice: boolean) =>
    (raw: APIAttachment): MessageFile => ({
      ...openFile({ url: raw.url, sizeBytes: raw.size, renew: async () => renew(ref, raw.id) }),
      id: raw.id,
      name: fileNameOf(raw),
      mediaType: raw.content_type ?? 'application/octet-stream',
      ...(raw.description ? { altText: raw.description } : {}),
      ...(isVoice && raw.waveform !== undefined
        ? {
            voice: {
              durationMs: (raw.duration_secs ?? 0) * 1_000,
              loudness: loudnessOf(raw.waveform),
            },
          }
        : {}),
    });

  const authorOf = (raw: RawMessage): Author => ({
    id: raw.author.id,
    name: nameOf(raw.author, raw.member?.nick),
    avatarUrl: avatarOf(raw.author, raw.guild_id, raw.member?.avatar),
    kind: isOurs(raw) ? 'ourselves' : isBot(raw) ? 'bot' : 'person',
    ...(raw.member?.roles ? { roles: raw.member.roles } : {}),
  });

  return {
    isOurs,
    /**
     * Reads a raw message.
     *
     * @param of the source whose mirror is meant, in a message that holds several
     */
    read(raw: RawMessage, channel: Channel, of?: MessageRef): Message {
      const ref: MessageRef = { channel, id: raw.id };
      const { message_reference: reference } = raw;
      const snapshot: APIMessageSnapshotFields | undefined = raw.message_snapshots?.[0]?.message;
      const shown = snapshot ?? raw;
      const isForward = reference?.type === MessageReferenceType.Forward;
      const speaksInCards = isForward || raw.author.bot || raw.webhook_id !== undefined;
      const isVoice = ((shown.flags ?? 0) & MessageFlags.IsVoiceMessage) !== 0;
      const author = authorOf(raw);
      const byBot = raw.webhook_id === undefined;
      const words = author.kind === 'ourselves' ? wordsIn(shown.content, byBot, of) : undefined;
      const texts = [
        parseDiscord(words?.text ?? shown.content),
        pollText(raw),
        ...(speaksInCards ? cardTexts(shown) : []),
      ];
      return {
        ref,
        position: positionOf(raw.id),
        author: words?.name === undefined ? author : { ...author, name: words.name },
        text: sections(...texts.filter((each) => each.length > 0)),
        files: shown.attachments.map(fileOf(ref, isVoice)),
        stickers: (shown.sticker_items ?? []).map(stickerOf),
        ...(raw.type === MessageType.Reply && reference?.message_id !== undefined
          ? {
              replyTo: {
                channel:
                  reference.channel_id === channel.id
                    ? channel
                    : channelOf(raw.guild_id, reference.channel_id),
                id: reference.message_id,
              },
            }
          : {}),
        ...(isForward ? { forwarded: true } : {}),
        ...(words && (!byBot || words.name !== undefined) ? { copied: true } : {}),
        ...(raw.poll ? { holds: 'poll' } : {}),
        ...(raw.edited_timestamp ? { edited: true } : {}),
        ...(WRITTEN.has(raw.type) ? {} : { system: true }),
      };
    },
  };
};

/** True when a message has visible content: without the Message Content intent there is none. */
export const isReadable = (raw: RawMessage): boolean =>
  raw.content !== '' ||
  raw.attachments.length + raw.embeds.length + (raw.sticker_items?.length ?? 0) > 0 ||
  (raw.components?.length ?? 0) > 0 ||
  raw.poll !== undefined ||
  raw.message_snapshots !== undefined;
