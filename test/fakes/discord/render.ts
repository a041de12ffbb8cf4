import { ChannelType, MessageFlags, VOICE_CHANNELS } from './codes.ts';
import { attachmentUrl } from './cdn.ts';
import { isoTime } from './clock.ts';
import type { Json } from './faults.ts';
import type {
  Attachment,
  Channel,
  Guild,
  Member,
  Message,
  Role,
  User,
  VoiceState,
  Webhook,
  World,
} from './state.ts';

export const renderUser = (user: User): Json => ({
  id: user.id,
  username: user.name,
  global_name: user.displayName,
  discriminator: user.bot ? '0001' : '0',
  avatar: user.avatar,
  public_flags: 0,
  ...(user.bot ? { bot: true } : {}),
});

const renderMemberAlone = (member: Member): Json => ({
  roles: member.roles,
  nick: member.nick,
  avatar: null,
  joined_at: isoTime(member.joinedAt),
  premium_since: null,
  deaf: false,
  mute: false,
  flags: 0,
  pending: false,
  communication_disabled_until: null,
});

export const renderMember = (member: Member): Json => ({
  user: renderUser(member.user),
  ...renderMemberAlone(member),
});

export const renderRole = (role: Role): Json => ({
  id: role.id,
  name: role.name,
  color: 0,
  colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
  hoist: false,
  icon: null,
  unicode_emoji: null,
  position: role.position,
  permissions: String(role.permissions),
  managed: role.managed,
  mentionable: role.mentionable,
  flags: 0,
});

const renderThreadParts = (channel: Channel): Json => {
  const { thread } = channel;
  if (thread === undefined) return {};
  // Without the message that it begins with: "Channel Object", `message_count`.
  const written = [...channel.messages.values()].filter(({ type }) => type !== 21).length;
  return {
    owner_id: thread.ownerId,
    message_count: written,
    member_count: 1,
    total_message_sent: written,
    thread_metadata: {
      archived: thread.archived,
      locked: thread.locked,
      auto_archive_duration: 1440,
      archive_timestamp: isoTime(thread.createdAt),
      create_timestamp: isoTime(thread.createdAt),
    },
  };
};

export const renderChannel = (channel: Channel): Json => ({
  id: channel.id,
  type: channel.type,
  last_message_id: channel.lastMessageId,
  flags: 0,
  ...(channel.guild === undefined
    ? { recipients: channel.recipients.filter((user) => !user.bot).map(renderUser) }
    : {
        guild_id: channel.guild.id,
        name: channel.name,
        topic: channel.topic,
        parent_id: channel.parentId,
        position: channel.position,
        nsfw: channel.nsfw,
        rate_limit_per_user: 0,
        permission_overwrites: channel.overwrites.map((one) => ({
          id: one.id,
          type: one.type,
          allow: String(one.allow),
          deny: String(one.deny),
        })),
        ...(channel.type === ChannelType.GuildForum
          ? { available_tags: [], default_reaction_emoji: null, default_sort_order: null }
          : {}),
        ...(VOICE_CHANNELS.includes(channel.type)
          ? { bitrate: 64_000, user_limit: channel.userLimit ?? 0, rtc_region: null }
          : {}),
      }),
  ...renderThreadParts(channel),
});

export const channelsOf = (world: World, guild: Guild): Channel[] =>
  [...world.channels.values()].filter((one) => one.guild === guild && !one.deleted);

export const renderGuild = (guild: Guild): Json => ({
  id: guild.id,
  name: guild.name,
  icon: null,
  splash: null,
  discovery_splash: null,
  owner_id: guild.ownerId,
  afk_channel_id: null,
  afk_timeout: 300,
  verification_level: 0,
  default_message_notifications: 0,
  explicit_content_filter: 0,
  roles: [...guild.roles.values()].map(renderRole),
  emojis: [],
  stickers: [],
  features: [],
  mfa_level: 0,
  application_id: null,
  system_channel_id: guild.systemChannelId,
  system_channel_flags: 0,
  rules_channel_id: null,
  vanity_url_code: null,
  description: null,
  banner: null,
  premium_tier: 0,
  premium_subscription_count: 0,
  preferred_locale: guild.locale,
  public_updates_channel_id: null,
  nsfw_level: 0,
  premium_progress_bar_enabled: false,
  safety_alerts_channel_id: null,
});

export const renderVoiceState = (state: VoiceState): Json => ({
  channel_id: state.channel.id,
  user_id: state.user.id,
  session_id: state.sessionId,
  deaf: state.deaf,
  mute: state.mute,
  self_deaf: state.selfDeaf,
  self_mute: state.selfMute,
  self_video: state.selfVideo,
  suppress: state.suppress,
  request_to_speak_timestamp: null,
});

/**
 * GUILD_CREATE. Members need the Guild Members intent and are left out, but for the bot and those in
 * voice channels; who is there, `voice`, needs an intent of its own.
 */
export const renderJoinedGuild = (world: World, guild: Guild, voice = true): Json => {
  const own = guild.members.get(world.bot.id);
  const speaking = voice ? [...guild.voiceStates.values()] : [];
  const members = [...guild.members.values()].filter(
    (one) => one === own || (voice && guild.voiceStates.has(one.user.id)),
  );
  const channels = channelsOf(world, guild);
  return {
    ...renderGuild(guild),
    joined_at: isoTime(own?.joinedAt ?? world.clock.now()),
    large: false,
    unavailable: false,
    member_count: guild.members.size,
    voice_states: speaking.map(renderVoiceState),
    members: members.map(renderMember),
    channels: channels.filter((one) => one.thread === undefined).map(renderChannel),
    threads: channels.filter((one) => one.thread?.archived === false).map(renderChannel),
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
};

export const renderAttachment = (world: World, attachment: Attachment): Json => {
  const url = attachmentUrl(world, attachment);
  return {
    id: attachment.id,
    filename: attachment.name,
    size: attachment.bytes.byteLength,
    url,
    proxy_url: url,
    ...(attachment.contentType === undefined ? {} : { content_type: attachment.contentType }),
    ...(attachment.description === undefined ? {} : { description: attachment.description }),
    ...(attachment.ephemeral ? { ephemeral: true } : {}),
    ...(attachment.waveform === undefined
      ? {}
      : { waveform: attachment.waveform, duration_secs: attachment.durationSecs }),
  };
};

const renderAuthor = (message: Message): Json => {
  const { webhook } = message;
  if (webhook === undefined) return renderUser(message.author);
  return {
    id: webhook.id,
    username: webhook.name,
    global_name: null,
    discriminator: '0000',
    avatar: null,
    public_flags: 0,
    bot: true,
  };
};

/** Whether the application sees the text of a message without the Message Content intent. */
const isOpenToBot = (world: World, message: Message): boolean =>
  message.channel.guild === undefined ||
  (message.author === world.bot && message.webhook === undefined) ||
  message.mentions.includes(world.bot);

const renderInteraction = (world: World, message: Message): Json => {
  const { interaction } = message;
  if (interaction === undefined) return message.webhook ? { webhook_id: message.webhook.id } : {};
  return {
    webhook_id: world.applicationId,
    interaction_metadata: {
      id: interaction.id,
      type: interaction.type,
      user: renderUser(interaction.user),
      authorizing_integration_owners: interaction.owners,
    },
    ...(interaction.command === undefined
      ? {}
      : {
          interaction: {
            id: interaction.id,
            type: interaction.type,
            name: interaction.command,
            user: renderUser(interaction.user),
          },
        }),
  };
};

const renderReference = (world: World, message: Message, canRead: boolean): Json => {
  const { reference } = message;
  if (reference === undefined) return {};
  const { type, channelId, messageId } = reference;
  const guild = world.channels.get(channelId)?.guild;
  const target = world.channels.get(channelId)?.messages.get(messageId);
  return {
    message_reference: {
      type,
      channel_id: channelId,
      message_id: messageId,
      ...(guild === undefined ? {} : { guild_id: guild.id }),
    },
    ...(type === 1
      ? { message_snapshots: [{ message: (canRead ? linked : blank)(world, message.snapshot) }] }
      : {
          referenced_message:
            target === undefined || target.reference?.messageId === message.id
              ? null
              : renderMessage(world, target, canRead, false),
        }),
  };
};

/** What was forwarded stays as it was, but for the links to its files, which are fresh each time. */
const linked = (world: World, snapshot: Json = {}): Json => ({
  ...snapshot,
  attachments: ((snapshot['attachments'] ?? []) as { readonly id: string }[]).map((one) => {
    const kept = world.attachments.get(one.id);
    return kept ? renderAttachment(world, kept) : one;
  }),
});

const blank = (_world: World, snapshot: Json | undefined): Json => ({
  ...snapshot,
  content: '',
  attachments: [],
  embeds: [],
});

/**
 * A message as the API gives it. `canRead`: whether the asker has the Message Content intent;
 * without it, text, files, embeds, components and polls of others are blank.
 */
export const renderMessage = (
  world: World,
  message: Message,
  canRead: boolean,
  whole = true,
): Json => {
  const open = canRead || isOpenToBot(world, message);
  return {
    id: message.id,
    channel_id: message.channel.id,
    type: message.type,
    author: renderAuthor(message),
    content: open ? message.content : '',
    attachments: open ? message.attachments.map((one) => renderAttachment(world, one)) : [],
    embeds: open && !(message.flags & MessageFlags.SuppressEmbeds) ? message.embeds : [],
    components: open ? message.components : [],
    ...(open && message.poll !== undefined ? { poll: message.poll } : {}),
    mentions: message.mentions.map(renderUser),
    mention_roles: message.mentionRoles,
    mention_everyone: message.mentionEveryone,
    timestamp: isoTime(Number(BigInt(message.id) >> 22n) + 1_420_070_400_000),
    edited_timestamp: message.editedAt === undefined ? null : isoTime(message.editedAt),
    flags: message.flags,
    pinned: message.pinned,
    tts: false,
    ...(message.stickers.length === 0 ? {} : { sticker_items: message.stickers }),
    ...(message.nonce === undefined ? {} : { nonce: message.nonce }),
    ...(message.applicationId === undefined ? {} : { application_id: message.applicationId }),
    ...(message.thread === undefined ? {} : { thread: renderChannel(message.thread) }),
    ...(message.reactions.size === 0
      ? {}
      : {
          reactions: [...message.reactions.values()].map(({ emoji, users }) => ({
            emoji,
            count: users.size,
            count_details: { normal: users.size, burst: 0 },
            me: users.has(world.bot.id),
            me_burst: false,
            burst_colors: [],
          })),
        }),
    ...renderInteraction(world, message),
    ...(whole ? renderReference(world, message, canRead) : {}),
  };
};

/** The same as an event tells it: with the server and the author's membership. */
export const renderMessageEvent = (world: World, message: Message, canRead: boolean): Json => {
  const { guild } = message.channel;
  const member = message.webhook === undefined ? guild?.members.get(message.author.id) : undefined;
  return {
    ...renderMessage(world, message, canRead),
    channel_type: message.channel.type,
    ...(guild === undefined ? {} : { guild_id: guild.id }),
    ...(member === undefined ? {} : { member: renderMemberAlone(member) }),
  };
};

export const renderWebhook = (world: World, webhook: Webhook): Json => ({
  id: webhook.id,
  type: 1,
  guild_id: webhook.channel.guild?.id ?? null,
  channel_id: webhook.channel.id,
  user: renderUser(webhook.creator),
  name: webhook.name,
  avatar: webhook.avatar,
  application_id: webhook.applicationId,
  // The token of somebody else's webhook is told as well to who may manage them.
  token: webhook.token,
  url: `${world.origin}/api/webhooks/${webhook.id}/${webhook.token}`,
});
