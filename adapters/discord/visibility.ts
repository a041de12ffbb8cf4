import { ChannelType, OverwriteType, type GuildBasedChannel } from 'discord.js';

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
