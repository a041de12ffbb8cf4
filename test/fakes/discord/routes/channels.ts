import { ChannelType, Intent } from '../codes.ts';
import { z } from 'zod';
import { fault, type Json } from '../faults.ts';
import { demand, may, visibleChannel } from '../permissions.ts';
import { emitIn, openThread, postMessage, setPinned } from '../posting.ts';
import { removeChannel, updateChannel } from '../population.ts';
import { channelsOf, renderChannel, renderMember, renderMessage, renderUser } from '../render.ts';
import { objectBody, route, type Call, type Route } from '../router.ts';
import type { Channel } from '../state.ts';
import { check, invalid, isEmoji, rule, text } from '../validation.ts';
import { readBotMessage } from './messages.ts';
import { targetOf } from './target.ts';

const channelOf = (call: Call): Channel => visibleChannel(call.world, call.param(0));

const guildOnly = (channel: Channel): void => {
  if (channel.guild === undefined) throw fault(50003);
};

const patchSchema = z.object({
  name: text(100, 1).nullish(),
  topic: text(1024).nullish(),
  archived: z.boolean().nullish(),
  locked: z.boolean().nullish(),
});

const patchChannel = (call: Call): unknown => {
  const { world } = call;
  const channel = channelOf(call);
  guildOnly(channel);
  const change = check(patchSchema, objectBody(call));
  const { thread } = channel;
  if (thread === undefined) demand(world, channel, 'ManageChannels');
  else if (thread.ownerId !== world.bot.id || thread.locked || change.locked != null)
    demand(world, channel, 'ManageThreads');
  if (thread?.archived && change.archived !== false) throw fault(50083);
  if (change.name != null) channel.name = change.name;
  if (change.topic != null) channel.topic = change.topic;
  if (thread && change.archived != null) thread.archived = change.archived;
  if (thread && change.locked != null) thread.locked = change.locked;
  updateChannel(world, channel);
  return renderChannel(channel);
};

const deleteChannel = (call: Call): unknown => {
  const channel = channelOf(call);
  guildOnly(channel);
  demand(call.world, channel, channel.thread ? 'ManageThreads' : 'ManageChannels');
  removeChannel(call.world, channel);
  return renderChannel(channel);
};

const typing = (call: Call): unknown => {
  const { world } = call;
  const channel = channelOf(call);
  demand(world, channel, channel.thread ? 'SendMessagesInThreads' : 'SendMessages');
  channel.typings += 1;
  world.changed();
  return undefined;
};

const threadSchema = z.object({
  name: rule(
    text(100, 1),
    'BASE_TYPE_BAD_LENGTH',
    'Must be between 1 and 100 in length.',
    (name) => name.trim() !== '',
  ),
  auto_archive_duration: z.literal([60, 1440, 4320, 10_080]).nullish(),
  rate_limit_per_user: z.int().min(0).max(21_600).nullish(),
  type: z.literal([10, 11, 12]).nullish(),
  invitable: z.boolean().nullish(),
  message: z.record(z.string(), z.unknown()).nullish(),
});

/** Channels that can have threads under their messages. */
const THREADABLE: readonly number[] = [ChannelType.GuildText, ChannelType.GuildAnnouncement];

const threadFromMessage = (call: Call): unknown => {
  const { world } = call;
  const channel = channelOf(call);
  guildOnly(channel);
  if (!THREADABLE.includes(channel.type)) throw fault(50024);
  demand(world, channel, 'CreatePublicThreads');
  const body = check(threadSchema, objectBody(call));
  const message = targetOf(call);
  if (message.thread !== undefined || world.channels.has(message.id)) throw fault(160004);
  return renderChannel(openThread(world, channel, world.bot, body.name, message));
};

const threadAlone = (call: Call): unknown => {
  const { world } = call;
  const channel = channelOf(call);
  guildOnly(channel);
  const raw = objectBody(call);
  const body = check(threadSchema, raw);
  if (channel.type === ChannelType.GuildForum || channel.type === ChannelType.GuildMedia) {
    demand(world, channel, 'SendMessages');
    const draft = readBotMessage(call, channel, body.message ?? {});
    const thread = openThread(world, channel, world.bot, body.name, undefined);
    postMessage(world, { ...draft, channel: thread });
    return renderChannel(thread);
  }
  if (!THREADABLE.includes(channel.type)) throw fault(50024);
  const isPrivate = (body.type ?? ChannelType.PrivateThread) === ChannelType.PrivateThread;
  const type = body.type ?? ChannelType.PrivateThread;
  // Announcements have threads of their own kind, and no other channel has those.
  const isOfNews = type === ChannelType.AnnouncementThread;
  if (isOfNews !== (channel.type === ChannelType.GuildAnnouncement)) throw fault(50024);
  demand(world, channel, isPrivate ? 'CreatePrivateThreads' : 'CreatePublicThreads');
  const active = channelsOf(world, channel.guild!).filter(
    ({ thread }) => thread && !thread.archived,
  );
  if (active.length >= 1_000) throw fault(160006);
  const thread = openThread(world, channel, world.bot, body.name, undefined, type);
  if (!isPrivate) postMessage(world, { channel, author: world.bot, content: body.name, type: 18 });
  return renderChannel(thread);
};

const archivedAt = (shown: Json): number =>
  Date.parse(String((shown['thread_metadata'] as Json)['archive_timestamp']));

/** The latest archived first, `before` a time of archiving. */
const archivedThreads = (call: Call): unknown => {
  const channel = channelOf(call);
  if (channel.guild === undefined) throw fault(50003);
  demand(call.world, channel, 'ReadMessageHistory');
  const limit = Number(call.query.get('limit') ?? 50);
  const before = Date.parse(call.query.get('before') ?? '') || Infinity;
  const all = channelsOf(call.world, channel.guild)
    .filter((one) => one.thread?.archived === true && one.parentId === channel.id)
    .map((one) => renderChannel(one))
    .map((shown) => ({ shown, at: archivedAt(shown) }))
    .filter(({ at }) => at < before)
    .toSorted((a, b) => b.at - a.at);
  const threads = all.slice(0, limit).map(({ shown }) => shown);
  return { threads, members: [], has_more: all.length > limit };
};

const joinThread = (call: Call): unknown => {
  const channel = channelOf(call);
  if (channel.thread === undefined) throw fault(50024);
  if (channel.thread.archived) throw fault(50083);
  channel.thread.memberIds.add(call.world.bot.id);
  return undefined;
};

const threadMember = (call: Call): unknown => {
  const { id, thread } = channelOf(call);
  const userId = call.param(1);
  if (thread === undefined) throw fault(50024);
  if (!thread.memberIds.has(userId)) throw fault(10007);
  const since = new Date(thread.createdAt).toISOString();
  return { id, user_id: userId, join_timestamp: since, flags: 0 };
};

/** Whether one emoji is one that Discord knows, or a custom one `name:id`. */
const readEmoji = (raw: string): { id: string | null; name: string } => {
  const custom = /^(?:a:)?(\w{2,32}):(\d{17,20})$/.exec(raw);
  if (custom) return { id: custom[2] ?? null, name: custom[1] ?? '' };
  if (isEmoji(raw)) return { id: null, name: raw };
  throw fault(10014);
};

const react = (call: Call): unknown => {
  const { world } = call;
  const channel = channelOf(call);
  const message = targetOf(call);
  demand(world, channel, 'ReadMessageHistory');
  const emoji = readEmoji(call.param(2));
  const key = emoji.id ?? emoji.name;
  const known = message.reactions.get(key);
  if (known === undefined) demand(world, channel, 'AddReactions');
  if (known === undefined && message.reactions.size >= 20) throw fault(30010);
  const reaction = known ?? { emoji, users: new Set<string>() };
  reaction.users.add(world.bot.id);
  message.reactions.set(key, reaction);
  emitReaction(call, 'MESSAGE_REACTION_ADD', channel, message.id, emoji, world.bot.id);
  return undefined;
};

const emitReaction = (
  { world }: Call,
  t: string,
  channel: Channel,
  messageId: string,
  emoji: Json,
  userId: string,
): void => {
  const member = channel.guild?.members.get(userId);
  emitIn(
    world,
    channel,
    t,
    channel.guild ? Intent.GuildMessageReactions : Intent.DirectMessageReactions,
    () => ({
      user_id: userId,
      channel_id: channel.id,
      message_id: messageId,
      ...(channel.guild ? { guild_id: channel.guild.id } : {}),
      ...(member && t === 'MESSAGE_REACTION_ADD' ? { member: renderMember(member) } : {}),
      emoji,
      burst: false,
      type: 0,
    }),
  );
};

const unreact = (call: Call): unknown => {
  const { world } = call;
  const channel = channelOf(call);
  const message = targetOf(call);
  const emoji = readEmoji(call.param(2));
  const whose = call.param(3) || world.bot.id;
  if (whose !== world.bot.id) demand(world, channel, 'ManageMessages');
  const reaction = message.reactions.get(emoji.id ?? emoji.name);
  if (!reaction?.users.delete(whose)) throw fault(10014);
  if (reaction.users.size === 0) message.reactions.delete(emoji.id ?? emoji.name);
  emitReaction(call, 'MESSAGE_REACTION_REMOVE', channel, message.id, emoji, whose);
  return undefined;
};

/** By id, 25 at a time unless asked for up to 100; nobody here pays for a super reaction (type 1). */
const reactors = (call: Call): unknown => {
  const { world, query } = call;
  const limit = Number(query.get('limit') ?? 25);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100)
    throw invalid(['limit'], 'NUMBER_TYPE_MAX', 'int value should be between 1 and 100.');
  const emoji = readEmoji(call.param(2));
  const reaction = targetOf(call).reactions.get(emoji.id ?? emoji.name);
  if (reaction === undefined || query.get('type') === '1') return [];
  const after = BigInt(query.get('after') ?? 0);
  return [...reaction.users]
    .filter((id) => BigInt(id) > after)
    .toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1))
    .slice(0, limit)
    .flatMap((id) => world.users.get(id) ?? [])
    .map(renderUser);
};

/** Pinned messages in a channel: "Pin Message". */
const PINS = 250;

const pin =
  (pinned: boolean) =>
  (call: Call): unknown => {
    const channel = channelOf(call);
    // Since February 2026, Manage Messages allows it no more (change log, "Pin Permission").
    demand(call.world, channel, 'PinMessages');
    const message = targetOf(call);
    const most = [...channel.messages.values()].filter((one) => one.pinned).length;
    if (pinned && !message.pinned && most >= PINS) throw fault(30003);
    if (message.pinned === pinned) return undefined;
    setPinned(call.world, message, pinned);
    if (pinned)
      postMessage(call.world, {
        channel,
        author: call.world.bot,
        type: 6,
        reference: { type: 0, channelId: channel.id, messageId: message.id },
      });
    return undefined;
  };

/** "Get Channel Pins": newest pin first; none without the right to read the history. */
const pins = (call: Call): unknown => {
  const { world, query } = call;
  const channel = channelOf(call);
  demand(world, channel, 'ViewChannel');
  const limit = Number(query.get('limit') ?? 50);
  if (!(limit >= 1 && limit <= 50)) throw fault(50035);
  const before = Date.parse(query.get('before') ?? '9999-01-01');
  const pinned = may(world, channel, world.bot.id, 'ReadMessageHistory')
    ? [...channel.messages.values()].filter((one) => one.pinned && one.pinnedMs < before)
    : [];
  const found = pinned.toSorted((a, b) => b.pinnedMs - a.pinnedMs);
  return {
    items: found.slice(0, limit).map((one) => ({
      pinned_at: new Date(one.pinnedMs).toISOString(),
      message: renderMessage(world, one, true),
    })),
    has_more: found.length > limit,
  };
};

const REACTIONS = '/channels/:id/messages/:id/reactions/:emoji';
const reactionRate = { rate: { count: 1, windowMs: 250 } };

export const channelRoutes: readonly Route[] = [
  route('GET /channels/:id', (call) => renderChannel(channelOf(call))),
  route('PATCH /channels/:id', patchChannel),
  route('DELETE /channels/:id', deleteChannel),
  route('POST /channels/:id/typing', typing, { rate: { count: 5, windowMs: 5000 } }),
  route('POST /channels/:id/threads', threadAlone),
  route('POST /channels/:id/messages/:id/threads', threadFromMessage),
  route('GET /channels/:id/threads/archived/public', archivedThreads),
  route('PUT /channels/:id/thread-members/@me', joinThread),
  route('GET /channels/:id/thread-members/:id', threadMember),
  route(`PUT ${REACTIONS}/@me`, react, reactionRate),
  route(`DELETE ${REACTIONS}/@me`, unreact, reactionRate),
  route(`DELETE ${REACTIONS}/:id`, unreact, reactionRate),
  route(`GET ${REACTIONS}`, reactors),
  route('GET /channels/:id/messages/pins', pins),
  route('PUT /channels/:id/messages/pins/:id', pin(true)),
  route('DELETE /channels/:id/messages/pins/:id', pin(false)),
];
