import { AppError } from '../../src/errors.ts';
import type { Channel, Space } from '../../src/model/place.ts';

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

export const timeOf = (position: string): number => Number(BigInt(position) >> 22n) + EPOCH_MS;

export const linkTo = (channel: Channel, messageId: string): string =>
  `https://discord.com/channels/${guildIdOf(channel) ?? '@me'}/${channel.id}/${messageId}`;

/** Id of a thread; undefined for a channel that is no thread. */
export const threadIdOf = ({ id, parentId }: Channel): string | undefined =>
  parentId === undefined ? undefined : id;

/** Checks the id of a channel. Throws `not-found` for an impossible one. */
export const channelIdOf = ({ id, space }: Channel): string => {
  if (space.platform !== PLATFORM || !/^\d{17,20}$/.test(id))
    throw new AppError('not-found', 'there is no such channel on Discord');
  return id;
};
