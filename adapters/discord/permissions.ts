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

/** As Discord's own settings call them. */
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

/** What a webhook that is gone has written, only those can take away who manage messages. */
const COPIES = [...ALWAYS, 'EmbedLinks', 'ManageWebhooks', 'ManageMessages'] as const;

const NEEDED = {
  reply: ALWAYS,
  mirror: COPIES,
  thread: [...COPIES, 'CreatePublicThreads'],
} as const satisfies Record<WatchMode, readonly (keyof typeof NAMES)[]>;

/** What the notice and the captions of a voice channel need beside the voice itself. */
const VOICE = ['ViewChannel', 'Connect', 'Speak', 'SendMessages', 'AttachFiles'] as const;

/** The switch of the developer portal without which messages come without their text. */
export const CONTENT_INTENT = 'Message Content Intent';

/** What the bot asks for when it is added to a server: all that any mode needs, and nothing else. */
export const INVITE_PERMISSIONS: bigint = PermissionsBitField.resolve([
  ...new Set([...Object.values(NEEDED).flat(), ...VOICE, 'RequestToSpeak' as const]),
]);

export interface ChannelKind {
  /** There `SendMessages` says nothing. */
  readonly isThread: boolean;
  /** There nothing is allowed without `Connect` (reference, "Implicit Permissions"). */
  readonly isVoice: boolean;
}

type Found = Pick<GuildBasedChannel, 'isThread' | 'isVoiceBased'>;

export const kindOf = (found: Found | null | undefined): ChannelKind => ({
  isThread: found?.isThread() ?? false,
  isVoice: found?.isVoiceBased() ?? false,
});

/** What is still to be allowed for one mode, as Discord calls it. */
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

/** On a stage a moderator lets somebody speak who asks for it; moderators need nobody's leave. */
const onStage = (
  name: keyof typeof NAMES,
  isModerator: boolean,
): readonly (keyof typeof NAMES)[] => {
  if (name !== 'Speak') return [name];
  return isModerator ? [] : ['RequestToSpeak'];
};

/** What is still to be allowed for being heard and read in a voice channel, as Discord calls it. */
export const missingForVoice = (client: Client, room: Channel): string[] => {
  const granted = grantedIn(client, room);
  if (!granted?.has('ViewChannel')) return [NAMES.ViewChannel];
  const isStage = findIn(client, room)?.type === ChannelType.GuildStageVoice;
  const needed = isStage
    ? VOICE.flatMap((name) => onStage(name, granted.has('MuteMembers')))
    : VOICE;
  return needed.filter((name) => !granted.has(name)).map((name) => NAMES[name]);
};

/** Whether a channel's limit of people is none to the bot. */
export const mayJoinFull = (client: Client, room: Channel): boolean =>
  grantedIn(client, room)?.has('MoveMembers') ?? false;

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

/** What the bot may do in a channel; undefined where it cannot see it. */
export const grantedIn = (
  client: Client,
  channel: Channel,
): Readonly<PermissionsBitField> | undefined => {
  const found = findIn(client, channel);
  const me = found?.guild.members.me;
  return found && me ? found.permissionsFor(me) : undefined;
};

/** Whether the bot is told of what is written in a channel, and may look it up. */
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
