import { randomBytes } from 'node:crypto';
import { ChannelType, Intent, VOICE_CHANNELS } from '../codes.ts';
import type { Json } from '../faults.ts';
import { may } from '../permissions.ts';
import { renderMember, renderVoiceState } from '../render.ts';
import type { Channel, Guild, User, VoiceState, World } from '../state.ts';

/** Who is in which voice channel, and how: the part of voice that the main gateway tells. */

const put = (
  world: World,
  guild: Guild,
  user: User,
  after: VoiceState | undefined,
  asked = false,
): void => {
  const before = guild.voiceStates.get(user.id);
  const shown = after ?? before;
  if (shown === undefined) return;
  if (after) guild.voiceStates.set(user.id, after);
  else guild.voiceStates.delete(user.id);
  const member = guild.members.get(user.id);
  world.emit({
    t: 'VOICE_STATE_UPDATE',
    intents: Intent.GuildVoiceStates,
    guildId: guild.id,
    d: () => ({
      ...renderVoiceState(shown),
      ...(after ? {} : { channel_id: null }),
      guild_id: guild.id,
      ...(member ? { member: renderMember(member) } : {}),
    }),
  });
  world.voiceChanged({ guild, user, before, after, asked });
};

/** Whether a place is theirs for the asking: permission Connect, and room enough. */
export const admits = (world: World, channel: Channel, user: User): boolean => {
  const { guild, userLimit = 0 } = channel;
  if (guild === undefined || channel.deleted || !VOICE_CHANNELS.includes(channel.type))
    return false;
  if (!may(world, channel, user.id, 'ViewChannel', 'Connect')) return false;
  const others = [...guild.voiceStates.values()].filter(
    (one) => one.channel === channel && one.user !== user,
  );
  const isFull = userLimit > 0 && others.length >= userLimit;
  return !isFull || may(world, channel, user.id, 'MoveMembers');
};

/** What somebody says of themselves, or a moderator of them. */
export type VoiceFlags = Partial<
  Pick<VoiceState, 'mute' | 'deaf' | 'selfMute' | 'selfDeaf' | 'selfVideo' | 'suppress'>
>;

/** What the bot asks for itself, and the session of the main gateway that it asks in. */
interface Asked {
  readonly sessionId: string;
  readonly selfMute: boolean;
  readonly selfDeaf: boolean;
}

/** Brings somebody into a channel, from another one too; nobody is asked for permission. */
export const enterVoice = (world: World, channel: Channel, user: User, asked?: Asked): void => {
  const { guild } = channel;
  if (guild === undefined) throw new Error(`${channel.name} is of no server`);
  const before = guild.voiceStates.get(user.id);
  const isStage = channel.type === ChannelType.GuildStageVoice;
  const stays = before?.channel === channel;
  put(
    world,
    guild,
    user,
    {
      user,
      sessionId: before?.sessionId ?? randomBytes(16).toString('hex'),
      mute: before?.mute ?? false,
      deaf: before?.deaf ?? false,
      selfMute: before?.selfMute ?? false,
      selfDeaf: before?.selfDeaf ?? false,
      selfVideo: stays && before.selfVideo,
      suppress: stays ? before.suppress : isStage || !may(world, channel, user.id, 'Speak'),
      ...asked,
      channel,
    },
    asked !== undefined,
  );
};

export const changeVoice = (world: World, guild: Guild, user: User, flags: VoiceFlags): void => {
  const before = guild.voiceStates.get(user.id);
  if (before === undefined) throw new Error(`${user.name} is in no voice channel`);
  put(world, guild, user, { ...before, ...flags });
};

/** Who may not speak any more is suppressed, and no longer once they may; a stage has its own rules. */
export const followPermissions = (world: World, channel: Channel, user: User): void => {
  const state = channel.guild?.voiceStates.get(user.id);
  if (!channel.guild || state?.channel !== channel || channel.type !== ChannelType.GuildVoice)
    return;
  const suppress = !may(world, channel, user.id, 'Speak');
  if (suppress !== state.suppress) changeVoice(world, channel.guild, user, { suppress });
};

export const leaveVoice = (world: World, guild: Guild, user: User): void =>
  put(world, guild, user, undefined);

/** The channel goes: so do all who are in it. */
export const emptyVoice = (world: World, channel: Channel): void => {
  for (const one of channel.guild?.voiceStates.values() ?? [])
    if (one.channel === channel) leaveVoice(world, channel.guild!, one.user);
};

/** A session of the bot is over, and so is its stay in the voice channels that it entered; another session's is not. */
export const endVoice = (world: World, sessionId: string): void => {
  for (const guild of world.guilds.values())
    if (guild.voiceStates.get(world.bot.id)?.sessionId === sessionId)
      leaveVoice(world, guild, world.bot);
};

/** Op 4 of the bot. What it may not do is passed over without a word. */
export const obeyVoiceState = (world: World, sessionId: string, d: Json): void => {
  const guild = world.guilds.get(String(d['guild_id']));
  if (!guild?.members.has(world.bot.id)) return;
  const channelId = d['channel_id'];
  if (channelId === null) return leaveVoice(world, guild, world.bot);
  const channel = typeof channelId === 'string' ? world.channels.get(channelId) : undefined;
  if (channel?.guild !== guild) return;
  const stays = guild.voiceStates.get(world.bot.id)?.channel === channel;
  if (!stays && !admits(world, channel, world.bot)) return;
  const [selfMute, selfDeaf] = [d['self_mute'] === true, d['self_deaf'] === true];
  enterVoice(world, channel, world.bot, { sessionId, selfMute, selfDeaf });
};
