import { mrkdwnPings, slackBlockPings } from '../read-pings.ts';
import type { RichTextBlock } from '../../../adapters/slack/rich-text/blocks.ts';
import { fieldsOf } from './blocks.ts';
import { renderMessage, repliesOf } from './render.ts';
import type { Json } from './json.ts';
import type { Channel, ChannelKind, File, Message, User, World } from './state.ts';

export interface NewMessage {
  readonly author: User;
  readonly text: string;
  readonly botId?: string | undefined;
  readonly username?: string | undefined;
  readonly iconUrl?: string | undefined;
  readonly blocks?: readonly Json[] | undefined;
  readonly attachments?: readonly Json[] | undefined;
  readonly files?: readonly File[];
  readonly threadTs?: string | undefined;
  readonly broadcast?: boolean;
  readonly metadata?: Json | undefined;
  readonly streamOf?: Message['streamOf'];
  /** Of messages that were written a while ago. */
  readonly ts?: string;
}

const CHANNEL_TYPES: Readonly<Record<ChannelKind, string>> = {
  public: 'channel',
  private: 'group',
  im: 'im',
  mpim: 'mpim',
};

/** Sends an event about a channel to the apps of all workspaces that it belongs to. */
export const channelEvent = (world: World, channel: Channel, event: Json): void =>
  world.event(
    { workspaces: channel.workspaces, channel },
    { event_ts: world.clock.ts(), ...event },
  );

/** Sends a `message` event. */
const messageEvent = (world: World, channel: Channel, event: Json): void =>
  channelEvent(world, channel, {
    type: 'message',
    channel: channel.id,
    channel_type: CHANNEL_TYPES[channel.kind],
    ...event,
  });

/** Whom a message of the app mentions so that it notifies them. */
const notifiedBy = (text: string, blocks: readonly Json[] = []): readonly string[] => {
  const words = blocks
    .filter(({ type }) => type !== 'rich_text')
    .flatMap((block) => (fieldsOf(block, 'type').includes('mrkdwn') ? fieldsOf(block, 'text') : []))
    .filter((each): each is string => typeof each === 'string');
  return [
    ...mrkdwnPings(text),
    ...words.flatMap(mrkdwnPings),
    ...slackBlockPings(blocks as unknown as RichTextBlock),
  ];
};

/**
 * Notes whom a message of the app notifies.
 *
 * @param before whom it has notified already
 */
export const notePings = (
  world: World,
  channel: Channel,
  ts: string,
  text: string,
  blocks: readonly Json[] = [],
  before: readonly string[] = [],
): void => {
  for (const who of notifiedBy(text, blocks))
    if (!before.includes(who)) world.pings.push({ who, channel: channel.id, ts });
};

/** Tells that Slack itself changed a message, as far as its words go not at all. */
const tellUnchanged = (world: World, message: Message): void => {
  const { channel } = message;
  const shown = renderMessage(world, message, channel.workspaces[0]);
  messageEvent(world, channel, {
    subtype: 'message_changed',
    hidden: true,
    ts: world.clock.ts(),
    message: shown,
    previous_message: shown,
  });
};

/**
 * Tells of a broadcast what Slack tells after its event: a change of the reply, and one of the message
 * that it answers, which has one reply more (reported at bolt-python, issue 919).
 */
const tellBroadcast = (world: World, message: Message): void => {
  tellUnchanged(world, message);
  const root = message.channel.messages.find(({ ts }) => ts === message.threadTs);
  if (root && !root.tombstone) tellUnchanged(world, root);
};

export const addMessage = (world: World, channel: Channel, given: NewMessage): Message => {
  const message: Message = {
    channel,
    ts: given.ts ?? world.clock.ts(),
    author: given.author,
    botId: given.botId,
    username: given.username,
    iconUrl: given.iconUrl,
    text: given.text,
    blocks: given.blocks,
    attachments: given.attachments,
    files: [...(given.files ?? [])],
    threadTs: given.threadTs,
    broadcast: given.broadcast ?? false,
    editedTs: undefined,
    pinned: false,
    reactions: new Map(),
    metadata: given.metadata,
    tombstone: false,
    streamOf: given.streamOf,
  };
  channel.messages.push(message);
  for (const file of message.files) file.shared = true;
  if (message.botId !== undefined)
    notePings(world, channel, message.ts, message.text, message.blocks);
  messageEvent(world, channel, renderMessage(world, message, channel.workspaces[0]));
  if (message.broadcast) tellBroadcast(world, message);
  return message;
};

export interface MessageChange {
  readonly text: string;
  readonly blocks: readonly Json[] | undefined;
  readonly attachments?: readonly Json[] | undefined;
  readonly metadata?: Json | undefined;
  /** True for a reply that is broadcast only now. */
  readonly broadcast?: boolean;
  /** False for what Slack itself changes, such as the preview of a link. */
  readonly isEdit?: boolean;
}

export const changeMessage = (world: World, message: Message, change: MessageChange): void => {
  const { channel } = message;
  const previous = renderMessage(world, message, channel.workspaces[0]);
  const before = notifiedBy(message.text, message.blocks);
  message.text = change.text;
  message.blocks = change.blocks;
  message.attachments = change.attachments ?? message.attachments;
  message.metadata = change.metadata ?? message.metadata;
  message.broadcast ||= change.broadcast ?? false;
  if (change.isEdit ?? true) message.editedTs = world.clock.ts();
  if (message.botId !== undefined)
    notePings(world, channel, message.ts, message.text, message.blocks, before);
  messageEvent(world, channel, {
    subtype: 'message_changed',
    hidden: true,
    ts: world.clock.ts(),
    message: renderMessage(world, message, channel.workspaces[0]),
    previous_message: previous,
  });
};

/** Deletes a message; a parent with replies leaves a tombstone, told as a change. */
export const deleteMessage = (world: World, message: Message): void => {
  const { channel } = message;
  const previous = renderMessage(world, message, channel.workspaces[0]);
  const common = { hidden: true, ts: world.clock.ts(), previous_message: previous };
  if (repliesOf(message).length > 0) {
    message.tombstone = true;
    const shown = renderMessage(world, message);
    return messageEvent(world, channel, { subtype: 'message_changed', message: shown, ...common });
  }
  channel.messages.splice(channel.messages.indexOf(message), 1);
  messageEvent(world, channel, { subtype: 'message_deleted', deleted_ts: message.ts, ...common });
};

/** Deletes a file: messages that show nothing else go with it, others keep a tombstone in its place. */
export const deleteFile = (world: World, file: File): void => {
  const showing = [...world.channels.values()].flatMap(({ messages }) =>
    messages.filter(({ files }) => files.includes(file)),
  );
  file.deleted = true;
  for (const message of showing) {
    const { text, blocks, files } = message;
    if (text === '' && !blocks?.length && files.every(({ deleted }) => deleted))
      deleteMessage(world, message);
    else changeMessage(world, message, { text, blocks, isEdit: false });
  }
};

export const react = (
  world: World,
  message: Message,
  user: User,
  name: string,
  isPresent: boolean,
): void => {
  const users = message.reactions.get(name) ?? new Set();
  if (users.has(user.id) === isPresent) return;
  if (isPresent) users.add(user.id);
  else users.delete(user.id);
  if (users.size > 0) message.reactions.set(name, users);
  else message.reactions.delete(name);
  channelEvent(world, message.channel, {
    type: isPresent ? 'reaction_added' : 'reaction_removed',
    user: user.id,
    reaction: name,
    item: { type: 'message', channel: message.channel.id, ts: message.ts },
    item_user: message.author.id,
  });
};

/** Pins a message to its channel, or unpins it ("pin_added", "pin_removed"). */
export const pin = (world: World, message: Message, user: User, isPinned: boolean): void => {
  if (message.pinned === isPinned) return;
  message.pinned = isPinned;
  const { channel, ts } = message;
  channelEvent(world, channel, {
    type: isPinned ? 'pin_added' : 'pin_removed',
    user: user.id,
    channel_id: channel.id,
    item: { type: 'message', channel: channel.id, message: { type: 'message', ts } },
  });
};
