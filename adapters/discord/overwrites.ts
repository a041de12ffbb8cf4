import {
  OverwriteType,
  PermissionsBitField,
  type APIOverwrite,
  type GuildChannel,
} from 'discord.js';
import { BESIDE_MIRROR, MIRROR } from './permissions.ts';

const { ViewChannel } = PermissionsBitField.Flags;

/** True where everybody on the server sees a channel. */
export const isOpenToAll = (channel: GuildChannel): boolean =>
  channel.permissionsFor(channel.guild.roles.everyone).has(ViewChannel) &&
  channel.permissionOverwrites.cache.every(({ deny }) => !deny.has(ViewChannel));

/**
 * The overwrites of a channel like another one: as far as the bot itself has a permission, it may allow or deny it
 * (reference, "Create Guild Channel"). The bot keeps its own access, and a role gets in where only that is let in.
 */
export const overwritesFor = (source: GuildChannel, seenBy: string | undefined): APIOverwrite[] => {
  const { guild } = source;
  const me = guild.members.me;
  const granted = me?.permissions ?? new PermissionsBitField();
  const all = new Map(
    [...source.permissionOverwrites.cache.values()].map(({ id, type, allow, deny }) => [
      id,
      {
        id,
        type,
        allow: allow.bitfield & granted.bitfield,
        deny: deny.bitfield & granted.bitfield,
      },
    ]),
  );
  const add = (id: string, type: OverwriteType, allow: bigint, deny: bigint): void => {
    const before = all.get(id) ?? { allow: 0n, deny: 0n };
    all.set(id, {
      id,
      type,
      allow: (before.allow | allow) & ~deny,
      deny: (before.deny | deny) & ~allow,
    });
  };
  if (seenBy !== undefined) {
    add(guild.id, OverwriteType.Role, 0n, ViewChannel);
    add(seenBy, OverwriteType.Role, ViewChannel, 0n);
  }
  const ours = PermissionsBitField.resolve([...MIRROR, ...BESIDE_MIRROR]);
  if (me) add(me.id, OverwriteType.Member, ours & granted.bitfield, 0n);
  return [...all.values()].map(({ id, type, allow, deny }) => ({
    id,
    type,
    allow: String(allow),
    deny: String(deny),
  }));
};
