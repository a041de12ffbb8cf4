import {
  ChannelType,
  PermissionFlagsBits,
  PermissionsBitField,
  OverwriteType,
  type APIOverwrite,
  type Client,
  type GuildBasedChannel,
} from 'discord.js';
import { AppError, type AppErrorOptions } from '../../src/errors.ts';
import type { Channel } from '../../src/model/place.ts';
import { isInPlace, type WatchMode } from '../../src/model/space.ts';

type Permission = keyof typeof PermissionFlagsBits;

/** The names of permissions in Discord's own settings. */
export const PERMISSION_NAMES = {
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
  PinMessages: 'Pin Messages',
  AddReactions: 'Add Reactions',
  RequestToSpeak: 'Request to Speak',
  ManageChannels: 'Manage Channels',
  ManageRoles: 'Manage Roles',
} as const satisfies Partial<Record<Permission, string>>;

const ALWAYS = [
  'ViewChannel',
  'ReadMessageHistory',
  'SendMessages',
  'SendMessagesInThreads',
  'AttachFiles',
] as const;

/**
 * Permissions for mirrors: without `ManageMessages`, messages of a deleted webhook could not be
 * deleted.
 */
export const MIRROR = [...ALWAYS, 'EmbedLinks', 'ManageWebhooks', 'ManageMessages'] as const;

/** Permissions without which messages are mirrored all the same, but no threads begun, nothing pinned, or no reactions copied. */
export const BESIDE_MIRROR = ['CreatePublicThreads', 'PinMessages', 'AddReactions'] as const;

const NEEDED = {
  reply: ALWAYS,
  compact: ALWAYS,
  request: ALWAYS,
  mirror: MIRROR,
  thread: [...MIRROR, 'CreatePublicThreads'],
} as const satisfies Record<WatchMode, readonly (keyof typeof PERMISSION_NAMES)[]>;

/** Permissions for the notice and the captions of a voice channel, and for voice itself. */
const VOICE = ['ViewChannel', 'Connect', 'Speak', 'SendMessages', 'AttachFiles'] as const;

/** The intent, as the developer portal names it, without which messages arrive without their text. */
export const CONTENT_INTENT = 'Message Content Intent';

/** Permissions that the invite link requests: those that the modes and voice need, or can do without. */
export const INVITE_PERMISSIONS: bigint = PermissionsBitField.resolve([
  ...new Set([
    ...Object.values(NEEDED).flat(),
    ...BESIDE_MIRROR,
    ...VOICE,
    'RequestToSpeak' as const,
  ]),
]);

export interface ChannelKind {
  /** True for a thread, in which `SendMessages` has no meaning. */
  readonly isThread: boolean;
  /**
   * True for a voice channel, in which nothing is allowed without `Connect` (reference, "Implicit
   * Permissions").
   */
  readonly isVoice: boolean;
}

type KnownChannel = Pick<GuildBasedChannel, 'isThread' | 'isVoiceBased'>;

export const kindOf = (found: KnownChannel | null | undefined): ChannelKind => ({
  isThread: found?.isThread() ?? false,
  isVoice: found?.isVoiceBased() ?? false,
});

/** Lists the permissions that one mode lacks, as Discord names them. */
export const missingOf = (
  granted: Readonly<PermissionsBitField> | null | undefined,
  mode: WatchMode,
  { isThread, isVoice }: ChannelKind,
): string[] => {
  if (!granted?.has('ViewChannel')) return [PERMISSION_NAMES.ViewChannel];
  return [...(isVoice ? (['Connect'] as const) : []), ...NEEDED[mode]]
    .filter((name) => !granted.has(name) && !(isThread && name === 'SendMessages'))
    .map((name) => PERMISSION_NAMES[name]);
};

/** Lists what mirrors do without, as Discord names it; nothing of a hidden channel. */
export const missingBeside = (
  granted: Readonly<PermissionsBitField> | null | undefined,
  mode: WatchMode,
): string[] =>
  mode === 'mirror' && granted?.has('ViewChannel')
    ? BESIDE_MIRROR.filter((name) => !granted.has(name)).map((name) => PERMISSION_NAMES[name])
    : [];

/** Finds a channel, or the parent of an unknown thread; undefined when it is hidden. */
export const findIn = (
  client: Client | undefined,
  { id, parentId, space }: Channel,
): GuildBasedChannel | undefined => {
  const cache = client?.channels.cache;
  const found = cache?.get(id) ?? cache?.get(parentId ?? '');
  // A channel of another server is ignored: its members have not agreed.
  return found && !found.isDMBased() && found.guildId === space.id ? found : undefined;
};

/** The bot's permissions in a channel; undefined when it is hidden. */
export const grantedIn = (
  client: Client | undefined,
  channel: Channel,
): Readonly<PermissionsBitField> | undefined => {
  const found = findIn(client, channel);
  const me = found?.guild.members.me;
  return found && me ? found.permissionsFor(me) : undefined;
};

/** Replaces `Speak` on a stage: moderators may always speak, others may request it. */
const onStage = (
  name: keyof typeof PERMISSION_NAMES,
  isModerator: boolean,
): readonly (keyof typeof PERMISSION_NAMES)[] => {
  if (name !== 'Speak') return [name];
  return isModerator ? [] : ['RequestToSpeak'];
};

/** Lists the permissions that a voice channel and its chat lack, as Discord names them. */
export const missingForVoice = (client: Client | undefined, room: Channel): string[] => {
  const granted = grantedIn(client, room);
  if (!granted?.has('ViewChannel')) return [PERMISSION_NAMES.ViewChannel];
  const isStage = findIn(client, room)?.type === ChannelType.GuildStageVoice;
  const needed = isStage
    ? VOICE.flatMap((name) => onStage(name, granted.has('MuteMembers')))
    : VOICE;
  return needed.filter((name) => !granted.has(name)).map((name) => PERMISSION_NAMES[name]);
};

/** Lists the permissions that the bot lacks to post in a channel or thread, as Discord names them. */
export const missingToPost = (client: Client | undefined, channel: Channel): string[] => {
  const granted = grantedIn(client, channel);
  if (!granted?.has('ViewChannel')) return [PERMISSION_NAMES.ViewChannel];
  const { isThread, isVoice } = kindOf(findIn(client, channel));
  const needed = [
    ...(isVoice ? (['Connect'] as const) : []),
    isThread ? ('SendMessagesInThreads' as const) : ('SendMessages' as const),
  ];
  return needed.filter((name) => !granted.has(name)).map((name) => PERMISSION_NAMES[name]);
};

/** True when the bot may join a channel beyond its user limit. */
export const mayJoinFull = (client: Client | undefined, room: Channel): boolean =>
  grantedIn(client, room)?.has('MoveMembers') ?? false;

const TEXT_CHANNELS: readonly ChannelType[] = [
  ChannelType.GuildText,
  ChannelType.GuildAnnouncement,
];

/** Channels that hold only posts, and so no messages of their own. */
const FORUMS: readonly ChannelType[] = [ChannelType.GuildForum, ChannelType.GuildMedia];

/** True where messages stand in the posts of a channel alone. */
export const holdsPosts = (client: Client, { id }: Channel): boolean => {
  const type = client.channels.cache.get(id)?.type;
  return type !== undefined && FORUMS.includes(type);
};

/** False in a text channel in which the bot may begin no threads; posts need no such permission. */
export const mayBeginThreads = (client: Client, channel: Channel): boolean =>
  !TEXT_CHANNELS.includes(findIn(client, channel)?.type ?? ChannelType.GuildForum) ||
  (grantedIn(client, channel)?.has('CreatePublicThreads') ?? true);

/** True when the mode works in a channel of this type: mirrors and threads need a place. */
export const fitsMode = (client: Client, { id }: Channel, mode: WatchMode): boolean => {
  const type = client.channels.cache.get(id)?.type;
  if (type === undefined || isInPlace(mode)) return true;
  return mode === 'thread' ? TEXT_CHANNELS.includes(type) : type !== ChannelType.GuildCategory;
};

/** True when the bot receives the channel's messages and may read its history. */
export const isReadableBack = (client: Client, channel: Channel): boolean =>
  grantedIn(client, channel)?.has([
    'ViewChannel',
    'ReadMessageHistory',
    ...(kindOf(findIn(client, channel)).isVoice ? (['Connect'] as const) : []),
  ]) ?? false;

/** True when a channel has other overwrites than the client's cache knows of. */
export const hasNewOverwrites = (
  client: Client,
  {
    id,
    permission_overwrites: overwrites = [],
  }: { readonly id: string; readonly permission_overwrites?: readonly APIOverwrite[] },
): boolean => {
  const known = client.channels.cache.get(id);
  if (!known || !('permissionOverwrites' in known)) return true;
  const { cache } = known.permissionOverwrites;
  const isKnown = ({ id: of, allow, deny }: APIOverwrite): boolean => {
    const before = cache.get(of);
    return before?.allow.bitfield === BigInt(allow) && before.deny.bitfield === BigInt(deny);
  };
  return cache.size !== overwrites.length || !overwrites.every(isKnown);
};

/**
 * Throws `forbidden` without the permission to read history: Discord would then return no messages,
 * as if there were none.
 */
export const demandHistory = (
  client: Client,
  channel: Channel,
  options?: AppErrorOptions,
): void => {
  if (grantedIn(client, channel)?.has('ReadMessageHistory') === false)
    throw new AppError('forbidden', 'the permission Read Message History is missing', options);
};

/** The overwrites of a channel, or of a thread's channel, for roles and for people. */
const overwritesOf = (channel: GuildBasedChannel) => {
  const root = channel.isThread() ? channel.parent : channel;
  const me = channel.client.user.id;
  return [...(root?.permissionOverwrites.cache.values() ?? [])].filter(({ id }) => id !== me);
};

/** True when everybody who can read `readers` can also see `other`, and so may see its name. */
export const isSeenByReadersOf = (
  readers: GuildBasedChannel,
  other: GuildBasedChannel,
): boolean => {
  if (readers.id === other.id) return true;
  if (other.type === ChannelType.PrivateThread) return false;
  const roles = [...other.guild.roles.cache.values()];
  const seenBy = (channel: GuildBasedChannel) =>
    roles.filter((role) => channel.permissionsFor(role)?.has('ViewChannel'));
  const [seeing, reading] = [new Set(seenBy(other)), seenBy(readers)];
  const [ofOther, ofReaders] = [overwritesOf(other), overwritesOf(readers)];
  const isDenied = (id: string): boolean =>
    ofReaders.some((one) => one.id === id && one.deny.has('ViewChannel'));
  const isLetIn = (id: string): boolean =>
    ofOther.some((one) => one.id === id && one.allow.has('ViewChannel'));
  const guests = ofReaders.filter(
    ({ type, allow }) => type === OverwriteType.Member && allow.has('ViewChannel'),
  );
  /** Overwrites that allow: an allow outweighs a deny of another role. */
  const letBackIn = ofReaders.filter(({ allow }) => allow.has('ViewChannel'));
  const keptOut = ofOther.filter(({ deny }) => deny.has('ViewChannel'));
  return (
    reading.every((role) => seeing.has(role)) &&
    // Members with several roles or overwrites of their own get all of them combined.
    keptOut.every(({ id }) => isDenied(id)) &&
    (keptOut.length === 0 || letBackIn.every(({ id }) => isLetIn(id))) &&
    (seeing.size === roles.length || guests.every(({ id }) => isLetIn(id)))
  );
};
