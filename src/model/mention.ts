import type { Channel } from './place.ts';

export type MentionKind = 'member' | 'role' | 'channel';

/** A member, role or channel that a text names by its id. */
export interface MentionedId {
  readonly kind: MentionKind;
  readonly id: string;
}

/** The name behind an id, without `@` or `#`; undefined where it is not known. */
export type MentionNames = (kind: MentionKind, id: string) => string | undefined;

/** Mentions a channel or a thread in a text of ours; the platform shows it as a link. */
export const channelMention = ({ id }: Pick<Channel, 'id'>): string => `<#${id}>`;

/** Mentions a role in a text of ours; nobody is notified. */
export const roleMention = (id: string): string => `<@&${id}>`;

/** Shows a custom emoji in a text of ours, whatever its name. */
export const customEmoji = (id: string): string => `<:emoji:${id}>`;

/** Matches the channel mentions of a typed text, each with its `id`: `<#1>`, `<#C1|general>`. */
export const TYPED_CHANNEL_MENTION = /<#(?<id>[^>|\s]+)(?:\|[^>]*)?>/gu;

const ONE_CHANNEL = new RegExp(`^${TYPED_CHANNEL_MENTION.source}$`, 'u');
const ONE_CUSTOM_EMOJI = /^<a?:[^:>]+:(?<id>[^:>]+)>$/u;

/** The id of a channel that somebody typed as a mention; undefined for any other text. */
export const typedChannelId = (typed: string): string | undefined =>
  ONE_CHANNEL.exec(typed)?.groups?.['id'];

/** The id of a custom emoji that somebody typed; undefined for any other text. */
export const typedCustomEmojiId = (typed: string): string | undefined =>
  ONE_CUSTOM_EMOJI.exec(typed)?.groups?.['id'];

const ANY_MENTION = /^<(?<sign>@[!&]?|#)(?<id>\w+)/u;
const KINDS: Readonly<Record<string, MentionKind>> = {
  '@': 'member',
  '@!': 'member',
  '@&': 'role',
  '#': 'channel',
};

/** The name behind one mention, given as it is written; undefined where it is not known. */
export const mentionedName = (mention: string, names: MentionNames): string | undefined => {
  const { sign = '', id } = ANY_MENTION.exec(mention)?.groups ?? {};
  const kind = KINDS[sign];
  return kind && id !== undefined ? names(kind, id) : undefined;
};
