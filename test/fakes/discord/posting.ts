import { ChannelType, Intent, MessageFlags } from './codes.ts';
import type { Json } from './faults.ts';
import { notePings, readMentions, type AllowedMentions } from './mentions.ts';
import { may } from './permissions.ts';
import { renderChannel, renderMessageEvent } from './render.ts';
import type { Attachment, Channel, Interaction, Message, Reference, User, World } from './state.ts';

export interface Draft {
  readonly channel: Channel;
  readonly author: User;
  readonly content?: string | undefined;
  readonly webhook?: Message['webhook'];
  readonly applicationId?: string;
  readonly type?: number;
  readonly flags?: number;
  readonly attachments?: Attachment[];
  readonly embeds?: Json[];
  readonly components?: Json[];
  readonly stickers?: readonly Json[];
  readonly poll?: Json | undefined;
  readonly reference?: Reference | undefined;
  readonly snapshot?: Json | undefined;
  readonly nonce?: string | number | undefined;
  readonly interaction?: Interaction | undefined;
  readonly allowedMentions?: AllowedMentions | null | undefined;
}

/** Event bits of something that happens in a channel. */
export const intentsOf = (channel: Channel, guildBit: number, directBit: number): number =>
  channel.guild === undefined ? directBit : guildBit;

const messageIntents = (channel: Channel): number =>
  intentsOf(channel, Intent.GuildMessages, Intent.DirectMessages);

/** Tells what happens in a channel, if the bot can see that channel. */
export const emitIn = (
  world: World,
  channel: Channel,
  t: string,
  intents: number,
  d: (canRead: boolean) => Json,
): void => {
  const seen =
    channel.guild === undefined
      ? channel.recipients.includes(world.bot)
      : may(world, channel, world.bot.id, 'ViewChannel');
  if (seen) world.emit({ t, intents, guildId: channel.guild?.id, d });
  else world.changed();
};

const emitMessage = (world: World, t: string, message: Message): void => {
  if (message.flags & MessageFlags.Ephemeral) return world.changed();
  emitIn(world, message.channel, t, messageIntents(message.channel), (canRead) =>
    renderMessageEvent(world, message, canRead),
  );
};

const ALL_KINDS = ['everyone', 'roles', 'users'];

/** What counts as a mention when a message does not say: webhooks and interactions name users only. */
const fallbackOf = (message: Pick<Message, 'webhook' | 'interaction'>): readonly string[] =>
  message.webhook !== undefined || message.interaction !== undefined ? ['users'] : ALL_KINDS;

/** Also of the messages of its webhooks the bot is the author. */
const isOurs = (world: World, message: Message): boolean => message.author === world.bot;

const repliedTo = (world: World, reference: Reference | undefined): User | undefined => {
  if (reference?.type !== 0) return undefined;
  const target = world.channels.get(reference.channelId)?.messages.get(reference.messageId);
  return target?.webhook === undefined ? target?.author : undefined;
};

const applyMentions = (
  world: World,
  message: Message,
  allowed: AllowedMentions | null | undefined,
  by: 'post' | 'edit',
): void => {
  const fallback = fallbackOf(message);
  const replied = message.type === 19 ? repliedTo(world, message.reference) : undefined;
  const found = readMentions(world, message.channel, message, allowed, fallback, replied);
  const users = found.replied === undefined ? found.users : [...found.users, found.replied];
  message.mentions = [...new Set(users)];
  message.mentionRoles = [...found.roles];
  message.mentionEveryone = found.everyone;
  if (isOurs(world, message)) notePings(world, message, found, by);
};

/** The first message of a forum's post has the id of the post. */
const newMessageId = (world: World, channel: Channel): string => {
  const parent = world.channels.get(channel.parentId ?? '');
  const isForum = parent?.type === ChannelType.GuildForum;
  return isForum && channel.lastMessageId === null ? channel.id : world.clock.snowflake();
};

/** Puts a message into its channel; the checks of the request have been made. */
export const postMessage = (world: World, draft: Draft): Message => {
  const { channel } = draft;
  const message: Message = {
    id: newMessageId(world, channel),
    channel,
    author: draft.author,
    webhook: draft.webhook,
    applicationId: draft.applicationId,
    type: draft.type ?? (draft.reference?.type === 0 ? 19 : 0),
    content: (draft.content ?? '').trim(),
    flags: draft.flags ?? 0,
    attachments: draft.attachments ?? [],
    embeds: draft.embeds ?? [],
    components: draft.components ?? [],
    stickers: draft.stickers ?? [],
    poll: draft.poll,
    reference: draft.reference,
    snapshot: draft.snapshot,
    nonce: draft.nonce,
    interaction: draft.interaction,
    mentions: [],
    mentionRoles: [],
    mentionEveryone: false,
    editedAt: undefined,
    edits: 0,
    pinned: false,
    pinnedMs: 0,
    reactions: new Map(),
    thread: undefined,
    deleted: false,
  };
  applyMentions(world, message, draft.allowedMentions, 'post');
  if (!(message.flags & MessageFlags.Ephemeral)) {
    channel.messages.set(message.id, message);
    channel.lastMessageId = message.id;
    if (channel.thread?.archived === true) {
      channel.thread.archived = false;
      emitIn(world, channel, 'THREAD_UPDATE', Intent.Guilds, () => renderChannel(channel));
    }
  }
  emitMessage(world, 'MESSAGE_CREATE', message);
  return message;
};

export interface Change {
  readonly content?: string | undefined;
  readonly embeds?: Json[] | undefined;
  readonly components?: Json[] | undefined;
  readonly attachments?: Attachment[] | undefined;
  readonly flags?: number | undefined;
  readonly allowedMentions?: AllowedMentions | null | undefined;
  /** False for what is no edit: embeds that resolve, pins, flags. */
  readonly stamped?: boolean;
}

export const editMessage = (world: World, message: Message, change: Change): void => {
  if (change.content !== undefined) message.content = change.content.trim();
  if (change.embeds !== undefined) message.embeds = change.embeds;
  if (change.components !== undefined) message.components = change.components;
  if (change.attachments !== undefined) message.attachments = change.attachments;
  if (change.flags !== undefined) message.flags = change.flags;
  if (change.stamped ?? true) {
    message.editedAt = world.clock.now();
    message.edits += 1;
    applyMentions(world, message, change.allowedMentions, 'edit');
  }
  emitMessage(world, 'MESSAGE_UPDATE', message);
};

const forget = (message: Message): void => {
  message.deleted = true;
  message.channel.messages.delete(message.id);
  for (const one of message.attachments) one.available = false;
};

export const deleteMessage = (world: World, message: Message): void => {
  const { channel } = message;
  forget(message);
  if (message.flags & MessageFlags.Ephemeral) return world.changed();
  emitIn(world, channel, 'MESSAGE_DELETE', messageIntents(channel), () => ({
    id: message.id,
    channel_id: channel.id,
    ...(channel.guild === undefined ? {} : { guild_id: channel.guild.id }),
  }));
};

export const deleteMessages = (
  world: World,
  channel: Channel,
  messages: readonly Message[],
): void => {
  messages.forEach(forget);
  emitIn(world, channel, 'MESSAGE_DELETE_BULK', messageIntents(channel), () => ({
    ids: messages.map((one) => one.id),
    channel_id: channel.id,
    ...(channel.guild === undefined ? {} : { guild_id: channel.guild.id }),
  }));
};

/** A thread under a message, or on its own (`message` undefined). */
export const openThread = (
  world: World,
  parent: Channel,
  owner: User,
  name: string,
  message: Message | undefined,
  type: number = ChannelType.PublicThread,
): Channel => {
  const thread: Channel = {
    id: message?.id ?? world.clock.snowflake(),
    type,
    guild: parent.guild,
    name,
    topic: null,
    nsfw: false,
    parentId: parent.id,
    position: 0,
    overwrites: [],
    recipients: [],
    lastMessageId: null,
    thread: {
      archived: false,
      locked: false,
      ownerId: owner.id,
      createdAt: world.clock.now(),
      memberIds: new Set([owner.id]),
    },
    messages: new Map(),
    typings: 0,
    deleted: false,
  };
  world.channels.set(thread.id, thread);
  emitIn(world, thread, 'THREAD_CREATE', Intent.Guilds, () => ({
    ...renderChannel(thread),
    newly_created: true,
  }));
  if (message !== undefined) {
    message.thread = thread;
    editMessage(world, message, { flags: message.flags | MessageFlags.HasThread, stamped: false });
    postMessage(world, {
      channel: thread,
      author: message.author,
      type: 21,
      reference: { type: 0, channelId: parent.id, messageId: message.id },
    });
  }
  return thread;
};

/** Pins a message, or unpins it; no two of a channel are pinned at the same time. */
export const setPinned = (world: World, message: Message, isPinned: boolean): void => {
  const times = [...message.channel.messages.values()].map(({ pinnedMs }) => pinnedMs);
  message.pinned = isPinned;
  message.pinnedMs = Math.max(world.clock.now(), ...times.map((ms) => ms + 1));
  editMessage(world, message, { stamped: false });
};
