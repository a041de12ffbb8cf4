import { ChannelType, PermissionFlagsBits, PermissionsBitField, type Client } from 'discord.js';
import type { Channel } from '../../src/model.ts';
import type { WatchMode } from '../../src/watch/port.ts';

type Permission = keyof typeof PermissionFlagsBits;

/** As Discord's own settings call them. */
const NAMES = {
  ViewChannel: 'View Channel',
  ReadMessageHistory: 'Read Message History',
  SendMessages: 'Send Messages',
  SendMessagesInThreads: 'Send Messages in Threads',
  CreatePublicThreads: 'Create Public Threads',
  AttachFiles: 'Attach Files',
  EmbedLinks: 'Embed Links',
  ManageWebhooks: 'Manage Webhooks',
} as const satisfies Partial<Record<Permission, string>>;

const ALWAYS = [
  'ViewChannel',
  'ReadMessageHistory',
  'SendMessages',
  'SendMessagesInThreads',
  'AttachFiles',
] as const;

const NEEDED = {
  reply: ALWAYS,
  mirror: [...ALWAYS, 'EmbedLinks', 'ManageWebhooks'],
  thread: [...ALWAYS, 'EmbedLinks', 'ManageWebhooks', 'CreatePublicThreads'],
} as const satisfies Record<WatchMode, readonly (keyof typeof NAMES)[]>;

/** The switch of the developer portal without which messages come without their text. */
export const CONTENT_INTENT = 'Message Content Intent';

/** What the bot asks for when it is added to a server: all that any mode needs, and nothing else. */
export const INVITE_PERMISSIONS: bigint = PermissionsBitField.resolve([
  ...new Set(Object.values(NEEDED).flat()),
]);

/**
 * What is still to be allowed for one mode, as Discord calls it.
 *
 * @param inThread where `SendMessages` says nothing
 */
export const missingOf = (
  granted: Readonly<PermissionsBitField> | null | undefined,
  mode: WatchMode,
  inThread: boolean,
): string[] =>
  granted?.has('ViewChannel')
    ? NEEDED[mode]
        .filter((name) => !granted.has(name) && !(inThread && name === 'SendMessages'))
        .map((name) => NAMES[name])
    : [NAMES.ViewChannel];

const TEXT_CHANNELS: readonly ChannelType[] = [
  ChannelType.GuildText,
  ChannelType.GuildAnnouncement,
];
/** Where no message stands by itself, but in a post that would have to be made for it. */
const NO_MESSAGES: readonly ChannelType[] = [
  ChannelType.GuildForum,
  ChannelType.GuildMedia,
  ChannelType.GuildCategory,
];

/** Whether a mode can work in a channel of this kind: copies and threads need a place. */
export const fits = (client: Client, { id }: Channel, mode: WatchMode): boolean => {
  const type = client.channels.cache.get(id)?.type;
  if (type === undefined || mode === 'reply') return true;
  return mode === 'thread' ? TEXT_CHANNELS.includes(type) : !NO_MESSAGES.includes(type);
};

/** What the bot may do in a channel; undefined where it cannot see it. */
export const grantedIn = (
  client: Client,
  { id, parentId, space }: Channel,
): Readonly<PermissionsBitField> | undefined => {
  const { cache } = client.channels;
  const found = cache.get(id) ?? cache.get(parentId ?? '');
  // A channel of another server is as good as none: its people were not asked.
  if (!found || found.isDMBased() || found.guildId !== space.id) return undefined;
  if (!found.guild.members.me) return undefined;
  return found.permissionsFor(found.guild.members.me);
};
