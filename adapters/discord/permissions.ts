import {
  ChannelType,
  PermissionFlagsBits,
  PermissionsBitField,
  type Client,
  type GuildBasedChannel,
} from 'discord.js';
import { AppError } from '../../src/errors.ts';
import type { Channel } from '../../src/model/place.ts';
import type { WatchMode } from '../../src/model/watch.ts';

type Permission = keyof typeof PermissionFlagsBits;

/** The names of permissions in Discord's own settings. */
const NAMES = {
  ViewChannel: 'View Channel',
  Connect: 'Connect',
  Speak: 'Speak',
  ReadMessageHistory: 'Read Message History',
  SendMessages: 'Send Messages',
  SendMessagesInThreads: 'Send Messages in Threads',
  CreatePublicThreads: 'Create Public Threads',
  AttachFiles: 'Attach Files',
  EmbedLinks: 'Embed Links',
  ManageWebhooks: 'Manage Webhooks',
  ManageMessages: 'Manage Messages',
  RequestToSpeak: 'Request to Speak',
} as const satisfies Partial<Record<Permission, string>>;

const ALWAYS = [
  'ViewChannel',
  'ReadMessageHistory',
  'SendMessages',
  'SendMessagesInThreads',
  'AttachFiles',
] as const;

/**
 * Permissions for mirrors: messages of a webhook that is gone can be deleted only with
 * `ManageMessages`.
 */
const COPIES = [...ALWAYS, 'EmbedLinks', 'ManageWebhooks', 'ManageMessages'] as const;

const NEEDED = {
  reply: ALWAYS,
  mirror: COPIES,
  thread: [...COPIES, 'CreatePublicThreads'],
} as const satisfies Record<WatchMode, readonly (keyof typeof NAMES)[]>;

/** Permissions that the notice and the captions of a voice channel need beside the voice itself. */
const VOICE = ['ViewChannel', 'Connect', 'Speak', 'SendMessages', 'AttachFiles'] as const;

/** The switch of the developer portal without which messages come without their text. */
export const CONTENT_INTENT = 'Message Content Intent';

/**
 * Permissions that the bot asks for when it is added to a server: all that any mode needs, and no
 * other.
 */
export const INVITE_PERMISSIONS: bigint = PermissionsBitField.resolve([
  ...new Set([...Object.values(NEEDED).flat(), ...VOICE, 'RequestToSpeak' as const]),
]);

export interface ChannelKind {
  /** True for a thread: `SendMessages` says nothing there. */
  readonly isThread: boolean;
  /**
   * True for a voice channel: nothing is allowed there without `Connect` (reference, "Implicit
   * Permissions").
   */
  readonly isVoice: boolean;
}

type Found = Pick<GuildBasedChannel, 'isThread' | 'isVoiceBased'>;

export const kindOf = (found: Found | null | undefined): ChannelKind => ({
  isThread: found?.isThread() ?? false,
  isVoice: found?.isVoiceBased() ?? false,
});

/** The permissions that are missing for one mode, as Discord calls them. */
export const missingOf = (
  granted: Readonly<PermissionsBitField> | null | undefined,
  mode: WatchMode,
  { isThread, isVoice }: ChannelKind,
): string[] => {
  if (!granted?.has('ViewChannel')) return [NAMES.ViewChannel];
  return [...(isVoice ? (['Connect'] as const) : []), ...NEEDED[mode]]
    .filter((name) => !granted.has(name) && !(isThread && name === 'SendMessages'))
    .map((name) => NAMES[name]);
};

/**
 * The permission to speak on a stage: a moderator lets others speak who ask for it; moderators need
 * nobody's leave.
 */
const onStage = (
  name: keyof typeof NAMES,
  isModerator: boolean,
): readonly (keyof typeof NAMES)[] => {
  if (name !== 'Speak') return [name];
  return isModerator ? [] : ['RequestToSpeak'];
};

/** The permissions that are missing for a voice channel and its chat, as Discord calls them. */
export const missingForVoice = (client: Client, room: Channel): string[] => {
  const granted = grantedIn(client, room);
  if (!granted?.has('ViewChannel')) return [NAMES.ViewChannel];
  const isStage = findIn(client, room)?.type === ChannelType.GuildStageVoice;
  const needed = isStage
    ? VOICE.flatMap((name) => onStage(name, granted.has('MuteMembers')))
    : VOICE;
  return needed.filter((name) => !granted.has(name)).map((name) => NAMES[name]);
};

/** True when the bot may join beyond a channel's limit of people. */
export const mayJoinFull = (client: Client, room: Channel): boolean =>
  grantedIn(client, room)?.has('MoveMembers') ?? false;

const TEXT_CHANNELS: readonly ChannelType[] = [
  ChannelType.GuildText,
  ChannelType.GuildAnnouncement,
];
/**
 * Channels in which no message stands by itself, but only in a post that would have to be made for
 * it.
 */
const NO_MESSAGES: readonly ChannelType[] = [
  ChannelType.GuildForum,
  ChannelType.GuildMedia,
  ChannelType.GuildCategory,
];

/** True when a mode can work in a channel of this kind: mirrors and threads need a place. */
export const fitsMode = (client: Client, { id }: Channel, mode: WatchMode): boolean => {
  const type = client.channels.cache.get(id)?.type;
  if (type === undefined || mode === 'reply') return true;
  return mode === 'thread' ? TEXT_CHANNELS.includes(type) : !NO_MESSAGES.includes(type);
};

/** A channel of a server, or of a thread that is not known, its channel; undefined if it is hidden. */
export const findIn = (
  client: Client,
  { id, parentId, space }: Channel,
): GuildBasedChannel | undefined => {
  const { cache } = client.channels;
  const found = cache.get(id) ?? cache.get(parentId ?? '');
  // A channel of another server is as good as none: its people were not asked.
  return found && !found.isDMBased() && found.guildId === space.id ? found : undefined;
};

/** The bot's permissions in a channel; undefined where it cannot see it. */
export const grantedIn = (
  client: Client,
  channel: Channel,
): Readonly<PermissionsBitField> | undefined => {
  const found = findIn(client, channel);
  const me = found?.guild.members.me;
  return found && me ? found.permissionsFor(me) : undefined;
};

/** True when the bot is told of what is written in a channel, and may look it up. */
export const isReadableBack = (client: Client, channel: Channel): boolean =>
  grantedIn(client, channel)?.has([
    'ViewChannel',
    'ReadMessageHistory',
    ...(kindOf(findIn(client, channel)).isVoice ? (['Connect'] as const) : []),
  ]) ?? false;

/** Throws `forbidden` where Discord would answer with no message, as if there had never been one. */
export const demandHistory = (client: Client, channel: Channel): void => {
  if (grantedIn(client, channel)?.has('ReadMessageHistory') === false)
    throw new AppError('forbidden', 'the permission Read Message History is missing');
};
