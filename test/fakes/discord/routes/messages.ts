import { ChannelType, Intent, MessageFlags } from '../codes.ts';
import { fault, type Json } from '../faults.ts';
import {
  checkNotEmpty,
  checkPromisedFiles,
  checkVoiceMessage,
  makeAttachments,
  readMessageBody,
  settableFlags,
  type MessageBody,
} from '../message-body.ts';
import { demand, may, visibleChannel } from '../permissions.ts';
import { deleteMessage, deleteMessages, editMessage, postMessage, type Draft } from '../posting.ts';
import { renderMessage } from '../render.ts';
import { objectBody, route, type Call, type Route } from '../router.ts';
import { snowflakeTime } from '../clock.ts';
import { keepAttachments } from '../edits.ts';
import type { Channel, Message, Reference, World } from '../state.ts';
import { invalid } from '../validation.ts';
import { readableTargetOf, targetOf } from './target.ts';

const TWO_WEEKS_MS = 14 * 24 * 3_600_000;

/** "Past few minutes" (reference, "Create Message"): the shortest time that can mean. */
const NONCE_LIFE_MS = 3 * 60_000;

/** Text can be written in these, and in threads. */
const TEXT_CHANNELS: readonly number[] = [
  ChannelType.GuildText,
  ChannelType.DM,
  ChannelType.GuildVoice,
  ChannelType.GroupDM,
  ChannelType.GuildAnnouncement,
  ChannelType.GuildStageVoice,
];

/** REST blanks the text of others by the application's grant, as the gateway does by intent. */
const canRead = (world: World): boolean => (world.privileged & Intent.MessageContent) !== 0;

const show = (world: World, message: Message): Json =>
  renderMessage(world, message, canRead(world));

/** Replies can be to what people say, not to what the system says. */
const REPLIABLE = [0, 19, 20, 21, 23];

const readReference = (
  world: World,
  channel: Channel,
  body: MessageBody,
): { reference?: Reference; snapshot?: Json } => {
  const asked = body.message_reference;
  if (asked == null) return {};
  const refuse = (code: string, message: string): never => {
    throw invalid(['message_reference'], code, message);
  };
  const from = world.channels.get(asked.channel_id ?? channel.id);
  const target = from?.messages.get(asked.message_id);
  if (asked.type === 1) {
    if (target === undefined) return refuse('MESSAGE_REFERENCE_UNKNOWN_MESSAGE', 'Unknown message');
    const reference: Reference = { type: 1, channelId: target.channel.id, messageId: target.id };
    return { reference, snapshot: show(world, target) };
  }
  if (from !== undefined && from !== channel)
    return refuse('MESSAGE_REFERENCE_CHANNEL_ID_MISMATCH', 'Cannot reply in another channel');
  if (!may(world, channel, world.bot.id, 'ReadMessageHistory')) throw fault(160002);
  if (target === undefined)
    return asked.fail_if_not_exists === false
      ? {}
      : refuse('REPLIES_UNKNOWN_MESSAGE', 'Unknown message');
  if (!REPLIABLE.includes(target.type))
    return refuse('REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE', 'Cannot reply to a system message');
  return { reference: { type: 0, channelId: channel.id, messageId: target.id } };
};

/** What the bot asks to post, checked as a whole: body, permissions, files. */
export const readBotMessage = (
  call: Call,
  channel: Channel,
  raw: Json,
): Draft & { body: MessageBody } => {
  const { world } = call;
  const body = readMessageBody(raw);
  if (call.files.length > 0) demand(world, channel, 'AttachFiles');
  if (body.embeds?.length) demand(world, channel, 'EmbedLinks');
  if (body.poll != null) demand(world, channel, 'SendPolls');
  if ((body.flags ?? 0) & MessageFlags.IsVoiceMessage) demand(world, channel, 'SendVoiceMessages');
  checkPromisedFiles(body, call.files);
  const attachments = makeAttachments(world, channel.id, body, call.files, false);
  checkVoiceMessage(body, attachments);
  const referred = readReference(world, channel, body);
  const draft = {
    body,
    channel,
    author: world.bot,
    content: body.content ?? '',
    flags:
      (settableFlags(body) & ~MessageFlags.Ephemeral) |
      (referred.reference?.type === 1 ? MessageFlags.HasSnapshot : 0),
    attachments,
    embeds: (body.embeds ?? []) as Json[],
    components: (body.components ?? []) as Json[],
    stickers: (body.sticker_ids ?? []).map((id) => ({ id, name: 'sticker', format_type: 1 })),
    poll: (body.poll ?? undefined) as Json | undefined,
    nonce: body.nonce ?? undefined,
    allowedMentions: body.allowed_mentions,
    ...referred,
  };
  if (referred.reference?.type !== 1) checkNotEmpty(draft);
  for (const one of attachments) world.attachments.set(one.id, one);
  return draft;
};

const remember = (world: World, nonce: string, message: Message): void => {
  const now = world.clock.now();
  world.nonces.delete(nonce);
  world.nonces.set(nonce, { message, at: now });
  for (const [old, { at }] of world.nonces) {
    if (at + NONCE_LIFE_MS > now) return;
    world.nonces.delete(old);
  }
};

const postInto = (call: Call): unknown => {
  const { world } = call;
  const channel = visibleChannel(world, call.param(0));
  if (!TEXT_CHANNELS.includes(channel.type) && channel.thread === undefined) throw fault(50008);
  demand(world, channel, channel.thread ? 'SendMessagesInThreads' : 'SendMessages');
  if (channel.thread?.locked && !may(world, channel, world.bot.id, 'ManageThreads'))
    throw fault(50083);
  if (channel.guild === undefined && channel.recipients.some((one) => !one.dmsOpen))
    throw fault(50007);
  const raw = objectBody(call);
  const unique = raw['enforce_nonce'] === true && raw['nonce'] != null;
  const nonce = String(raw['nonce']);
  const known = unique ? world.nonces.get(nonce) : undefined;
  if (known !== undefined && known.at + NONCE_LIFE_MS > world.clock.now()) {
    if (known.message.deleted) throw fault(10008);
    return show(world, known.message);
  }
  const draft = readBotMessage(call, channel, raw);
  const message = postMessage(world, draft);
  if (unique) remember(world, nonce, message);
  return show(world, message);
};

/** Edits of messages older than an hour, by channel: not documented, seen by authors of bots. */
const OLD_EDITS = { count: 3, windowMs: 20_000 };

const patch = (call: Call): unknown => {
  const { world } = call;
  const message = targetOf(call);
  const { channel } = message;
  const raw = objectBody(call);
  if (message.author !== world.bot || message.webhook !== undefined) {
    const onlyFlags = Object.keys(raw).every((key) => key === 'flags');
    if (!onlyFlags || !may(world, channel, world.bot.id, 'ManageMessages')) throw fault(50005);
  }
  if (channel.thread?.archived) throw fault(50083);
  const body = readMessageBody(raw, message.flags);
  if (world.clock.now() - snowflakeTime(message.id) > 3_600_000)
    world.limits.hidden(`old edits ${channel.id}`, OLD_EDITS, {
      code: 30046,
      message: 'Maximum number of edits to messages older than 1 hour reached. Try again later',
    });
  if (call.files.length > 0) demand(world, channel, 'AttachFiles');
  editMessage(world, message, keepAttachments(world, message, body, call.files));
  return show(world, message);
};

const remove = (call: Call): unknown => {
  const { world } = call;
  const message = targetOf(call);
  const own = message.author === world.bot && message.webhook === undefined;
  if (!own && message.channel.guild === undefined) throw fault(50003);
  if (!own) demand(world, message.channel, 'ManageMessages');
  if (message.channel.thread?.archived) throw fault(50083);
  deleteMessage(world, message);
  return undefined;
};

const removeMany = (call: Call): unknown => {
  const { world } = call;
  const channel = visibleChannel(world, call.param(0));
  if (channel.guild === undefined) throw fault(50003);
  demand(world, channel, 'ManageMessages');
  if (channel.thread?.archived) throw fault(50083);
  const ids = (objectBody(call)['messages'] ?? []) as string[];
  if (ids.length < 2 || ids.length > 100) throw fault(50016);
  if (new Set(ids).size < ids.length)
    throw invalid(['messages'], 'SET_TYPE_ALREADY_CONTAINS_VALUE', 'The set already contains this');
  if (ids.some((id) => snowflakeTime(id) < world.clock.now() - TWO_WEEKS_MS)) throw fault(50034);
  deleteMessages(
    world,
    channel,
    ids.flatMap((id) => channel.messages.get(id) ?? []),
  );
  return undefined;
};

/** Newest first; without the permission to read history, nothing. */
const history = (call: Call): unknown => {
  const { world, query } = call;
  const channel = visibleChannel(world, call.param(0));
  const limit = Number(query.get('limit') ?? 50);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100)
    throw invalid(['limit'], 'NUMBER_TYPE_MAX', 'int value should be between 1 and 100.');
  if (!may(world, channel, world.bot.id, 'ReadMessageHistory')) return [];
  if (['before', 'after', 'around'].filter((key) => query.has(key)).length > 1)
    throw invalid(['before'], 'BASE_TYPE_CHOICES', 'before, after and around exclude each other');
  const all = [...channel.messages.values()];
  const cut = (key: string): bigint | undefined => {
    const value = query.get(key);
    return value === null ? undefined : BigInt(value);
  };
  const [before, after, around] = [cut('before'), cut('after'), cut('around')];
  let page: Message[];
  if (around !== undefined) {
    const middle = all.findIndex((one) => BigInt(one.id) >= around);
    const start = Math.max(0, (middle < 0 ? all.length : middle) - Math.floor(limit / 2));
    page = all.slice(start, start + limit);
  } else if (after !== undefined) {
    page = all.filter((one) => BigInt(one.id) > after).slice(0, limit);
  } else if (before !== undefined) {
    page = all.filter((one) => BigInt(one.id) < before).slice(-limit);
  } else page = all.slice(-limit);
  return page.toReversed().map((one) => show(world, one));
};

const fiveIn5s = { rate: { count: 5, windowMs: 5000 } };

export const messageRoutes: readonly Route[] = [
  route('GET /channels/:id/messages', history),
  route('POST /channels/:id/messages', postInto, fiveIn5s),
  route('POST /channels/:id/messages/bulk-delete', removeMany),
  route('GET /channels/:id/messages/:id', (call) => show(call.world, readableTargetOf(call))),
  route('PATCH /channels/:id/messages/:id', patch, fiveIn5s),
  route('DELETE /channels/:id/messages/:id', remove, { rate: { count: 5, windowMs: 1000 } }),
];
