import { AppError } from '../../src/errors.ts';
import type { Channel, LinkedMessage, MessageRef, Posted, Space } from '../../src/model/place.ts';
import { typedAddress } from '../../src/rich-text/web-address.ts';

export const PLATFORM = 'discord';

/** Prefix of the space of a direct message or a group of them. */
const DIRECT = 'dm:';

export const spaceOf = (guildId: string | undefined, channelId: string): Space => ({
  platform: PLATFORM,
  id: guildId ?? `${DIRECT}${channelId}`,
});

export const channelOf = (
  guildId: string | undefined,
  id: string,
  parentId?: string | null,
): Channel => ({
  space: spaceOf(guildId, id),
  id,
  ...(parentId ? { parentId } : {}),
});

/** Id of a channel's server; undefined for direct messages. */
export const guildIdOf = ({ space }: Channel): string | undefined =>
  space.id.startsWith(DIRECT) ? undefined : space.id;

/** Pads a snowflake so that texts sort as the numbers do: 20 digits hold all 64 bits. */
export const positionOf = (snowflake: string): string => snowflake.padStart(20, '0');

export const snowflakeAt = (position: string): string => position.replace(/^0+(?=\d)/, '');

/** Time zero of snowflakes, ms since 1970 (reference, "Snowflakes"). */
const EPOCH_MS = 1_420_070_400_000;

export const positionAt = (timeMs: number): string =>
  positionOf(String(BigInt(Math.max(0, Math.trunc(timeMs) - EPOCH_MS)) << 22n));

export const snowflakeTimeMs = (position: string): number =>
  Number(BigInt(position) >> 22n) + EPOCH_MS;

const linkToChannel = (channel: Channel): string =>
  `https://discord.com/channels/${guildIdOf(channel) ?? '@me'}/${channel.id}`;

export const linkTo = (channel: Channel, messageId: string): string =>
  `${linkToChannel(channel)}/${messageId}`;

/** The address of the thread under a message, whose id the thread has. */
export const linkToThread = ({ channel, id }: MessageRef): string =>
  linkToChannel({ ...channel, id });

const LINK_HOST = /^(?:(?:ptb|canary)\.)?discord(?:app)?\.com$/;
const LINK_PATH =
  /^\/channels\/(?<guild>\d{17,20}|@me)\/(?<channel>\d{17,20})\/(?<message>\d{17,20})\/?$/;

const linked = (channel: Channel, id: string): LinkedMessage => {
  const position = positionOf(id);
  return { ref: { channel, id }, position, writtenMs: snowflakeTimeMs(position) };
};

/** Reads a link as `linkTo` makes it, which does not say whether the channel is a thread; undefined for any other. */
export const readLink = ({ hostname, pathname }: URL): LinkedMessage | undefined => {
  const { guild, channel, message } = LINK_PATH.exec(pathname)?.groups ?? {};
  if (!LINK_HOST.test(hostname) || !channel || !message) return undefined;
  return linked(channelOf(guild === '@me' ? undefined : guild, channel), message);
};

/** Reads a link, or the id of a message `here`. */
export const findMessage = (typed: string, here: Channel): LinkedMessage | undefined => {
  if (/^\d{17,20}$/.test(typed.trim())) return linked(here, typed.trim());
  const address = typedAddress(typed);
  return address ? readLink(address) : undefined;
};

/** Id of a thread; undefined for a channel that is no thread. */
export const threadIdOf = ({ id, parentId }: Channel): string | undefined =>
  parentId === undefined ? undefined : id;

/** Checks the id of a channel. Throws `not-found` for an impossible one. */
export const channelIdOf = ({ id, space }: Channel): string => {
  if (space.platform !== PLATFORM || !/^\d{17,20}$/.test(id))
    throw new AppError('not-found', 'there is no such channel on Discord');
  return id;
};

/** The way in which messages were posted, as `Posted.handle` stores it. */
export interface Handle {
  /** True for a message that holds several mirrors, or may do so later. */
  readonly shared: boolean;
  /** True when the first message is a voice message. */
  readonly voice: boolean;
  /** The webhook that posted it; undefined: the bot itself. */
  readonly webhookId: string | undefined;
}

/** The handle of messages posted by the bot itself. */
export const BY_BOT: Handle = { shared: false, voice: false, webhookId: undefined };

/** Messages of the bot that belong together, in order: `Posted` with its handle parsed. */
export interface OwnPost {
  readonly channel: Channel;
  readonly ids: Posted['ids'];
  readonly handle: Handle;
}

/** @param ids one at least */
export const ownPost = (channel: Channel, ids: readonly string[], handle: Handle): OwnPost => ({
  channel,
  ids: ids as Posted['ids'],
  handle,
});

const form = /^(?<who>[bw])(?<shared>s?)(?<voice>v?)(?::(?<webhook>\d+))?$/;

/** Parses a handle; an unknown one counts as posted by the bot. */
export const ownPostOf = ({ channel, ids, handle }: Posted): OwnPost => {
  const groups = form.exec(handle ?? '')?.groups;
  return ownPost(channel, ids, {
    shared: groups?.['shared'] === 's',
    voice: groups?.['voice'] === 'v',
    webhookId: groups?.['webhook'],
  });
};

export const postedOf = ({ channel, ids, handle }: OwnPost): Posted => {
  const { shared, voice, webhookId } = handle;
  const who = webhookId === undefined ? 'b' : 'w';
  const by = webhookId === undefined ? '' : `:${webhookId}`;
  return { channel, ids, handle: `${who}${shared ? 's' : ''}${voice ? 'v' : ''}${by}` };
};
