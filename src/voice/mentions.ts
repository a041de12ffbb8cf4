import type { MentionKind, MentionNames } from '../model/mention.ts';
import type { Channel } from '../model/place.ts';

const MENTION = /^<(?<sign>@[!&]?|#)(?<id>\w+)/;
const KINDS: Readonly<Record<string, MentionKind>> = {
  '@': 'member',
  '@!': 'member',
  '@&': 'role',
  '#': 'channel',
};

/** Writes a mention of a channel. With `mentionedName`, all that voice knows of the markup of mentions. */
export const channelMention = ({ id }: Pick<Channel, 'id'>): string => `<#${id}>`;

/** The name behind one mention, as it is written; undefined where it is not known. */
export const mentionedName = (mention: string, names: MentionNames): string | undefined => {
  const { sign = '', id } = MENTION.exec(mention)?.groups ?? {};
  const kind = KINDS[sign];
  return kind && id !== undefined ? names(kind, id) : undefined;
};
