import { ChannelType, MessageFlags } from '../codes.ts';
import { z } from 'zod';
import { Fault, fault, type Json } from '../faults.ts';
import { keepAttachments } from '../edits.ts';
import {
  checkNotEmpty,
  checkPromisedFiles,
  checkVoiceMessage,
  makeAttachments,
  readMessageBody,
  settableFlags,
  webhookName,
} from '../message-body.ts';
import { demand, may, visibleChannel } from '../permissions.ts';
import { deleteMessage, editMessage, openThread, postMessage } from '../posting.ts';
import { renderMessage, renderWebhook } from '../render.ts';
import { objectBody, route, type Call, type Route } from '../router.ts';
import type { Channel, Message, Webhook } from '../state.ts';
import { check } from '../validation.ts';
import { addWebhook, removeWebhook, updateWebhook, webhooksOf } from '../webhooks.ts';
import { createFollowUp, deleteAnswer, editAnswer, readAnswer } from './answers.ts';

/** Reference, "Webhook resource"; the rates of creation and of a channel are nowhere in headers. */
const MOST_IN_CHANNEL = 15;
const CREATES = { count: 25, windowMs: 3_600_000 };
const CHANNEL_RATE = { count: 30, windowMs: 60_000 };

const managed = (call: Call): Channel => {
  const channel = visibleChannel(call.world, call.param(0));
  if (channel.guild === undefined) throw fault(50003);
  demand(call.world, channel, 'ManageWebhooks');
  return channel;
};

const nameSchema = z.object({ name: webhookName, avatar: z.string().nullish() });

const create = (call: Call): unknown => {
  const { world } = call;
  const channel = managed(call);
  if (channel.thread !== undefined || channel.type === ChannelType.GuildCategory)
    throw fault(50024);
  const { name } = check(nameSchema, objectBody(call));
  if (webhooksOf(world, channel).length >= MOST_IN_CHANNEL) throw fault(30007);
  world.limits.hidden(`webhooks of ${channel.guild?.id}`, CREATES);
  return renderWebhook(world, addWebhook(world, channel, world.bot, name.trim()));
};

const list = (call: Call): unknown =>
  webhooksOf(call.world, managed(call)).map((one) => renderWebhook(call.world, one));

/** By id and token, or by id alone for who may manage it. */
const webhookOf = (call: Call): Webhook => {
  const { world } = call;
  const webhook = world.webhooks.get(call.param(0));
  if (webhook === undefined) throw fault(10015);
  const token = call.param(1);
  if (token !== '' && token !== webhook.token) throw fault(50027);
  if (token === '') demand(world, webhook.channel, 'ManageWebhooks');
  return webhook;
};

const patchSchema = z.object({ name: webhookName.nullish(), channel_id: z.string().nullish() });

const patch = (call: Call): unknown => {
  const { world } = call;
  const webhook = webhookOf(call);
  const body = check(patchSchema, objectBody(call));
  if (body.name != null) webhook.name = body.name.trim();
  if (body.channel_id != null && call.param(1) === '')
    webhook.channel = visibleChannel(world, body.channel_id);
  updateWebhook(world, webhook);
  return renderWebhook(world, webhook);
};

const remove = (call: Call): unknown => {
  removeWebhook(call.world, webhookOf(call));
  return undefined;
};

const forumRule = (code: number, message: string): Fault => new Fault(400, { code, message });

/** The channel of a webhook, or the thread in it that the request names. */
const placeOf = (call: Call, webhook: Webhook): Channel => {
  const threadId = call.query.get('thread_id');
  if (threadId === null) return webhook.channel;
  const thread = call.world.channels.get(threadId);
  if (thread?.thread === undefined || thread.parentId !== webhook.channel.id) throw fault(10003);
  return thread;
};

/** In a forum a message needs a thread, elsewhere it cannot make one. */
const checkForum = (call: Call, webhook: Webhook, threadName: string | null | undefined): void => {
  const isForum = webhook.channel.type === ChannelType.GuildForum;
  if (isForum && threadName == null && !call.query.has('thread_id'))
    throw forumRule(
      220_001,
      'Webhooks posted to forum channels must have a thread_name or thread_id',
    );
  if (!isForum && threadName != null)
    throw forumRule(220_003, 'Webhooks can only create threads in forum channels');
};

const canRead = true;

const execute = (call: Call): unknown => {
  const { world } = call;
  if (call.param(0) === world.applicationId) return createFollowUp(call);
  const webhook = webhookOf(call);
  const body = readMessageBody(objectBody(call));
  checkForum(call, webhook, body.thread_name);
  const place = placeOf(call, webhook);
  const isVoice = ((body.flags ?? 0) & MessageFlags.IsVoiceMessage) !== 0;
  if (isVoice && !may(world, place, world.bot.id, 'SendVoiceMessages')) throw fault(50173);
  checkPromisedFiles(body, call.files);
  const attachments = makeAttachments(world, place.id, body, call.files, false);
  checkVoiceMessage(body, attachments);
  const draft = {
    author: webhook.creator,
    webhook: {
      id: webhook.id,
      name: body.username?.trim() ?? webhook.name,
      avatarUrl: body.avatar_url ?? undefined,
    },
    ...(webhook.applicationId === null ? {} : { applicationId: webhook.applicationId }),
    content: body.content ?? '',
    flags: settableFlags(body) & ~MessageFlags.Ephemeral,
    attachments,
    embeds: (body.embeds ?? []) as Json[],
    components: (body.components ?? []) as Json[],
    stickers: [],
    poll: (body.poll ?? undefined) as Json | undefined,
    allowedMentions: body.allowed_mentions,
  };
  checkNotEmpty(draft);
  world.limits.hidden(`webhook messages in ${webhook.channel.id}`, CHANNEL_RATE);
  for (const one of attachments) world.attachments.set(one.id, one);
  const channel =
    body.thread_name == null
      ? place
      : openThread(world, place, webhook.creator, body.thread_name, undefined);
  const message = postMessage(world, { ...draft, channel });
  return call.query.get('wait') === 'true' ? renderMessage(world, message, canRead) : undefined;
};

const messageOf = (call: Call): Message => {
  const webhook = webhookOf(call);
  const message = placeOf(call, webhook).messages.get(call.param(2));
  if (message?.webhook?.id !== webhook.id) throw fault(10008);
  return message;
};

const isAnswer = (call: Call): boolean => call.param(0) === call.world.applicationId;

const read = (call: Call): unknown =>
  isAnswer(call) ? readAnswer(call) : renderMessage(call.world, messageOf(call), canRead);

const edit = (call: Call): unknown => {
  const { world } = call;
  if (isAnswer(call)) return editAnswer(call);
  const message = messageOf(call);
  if (message.channel.thread?.archived) throw fault(50083);
  const body = readMessageBody(objectBody(call), message.flags);
  editMessage(world, message, keepAttachments(world, message, body, call.files));
  return renderMessage(world, message, canRead);
};

const erase = (call: Call): unknown => {
  if (isAnswer(call)) return deleteAnswer(call);
  const message = messageOf(call);
  if (message.channel.thread?.archived) throw fault(50083);
  deleteMessage(call.world, message);
  return undefined;
};

/** 5 in 2 s each, by webhook. */
const paced = { rate: { count: 5, windowMs: 2000 }, auth: false };
const open = { auth: false };
const MESSAGE = '/webhooks/:id/:token/messages/:id';

export const webhookRoutes: readonly Route[] = [
  route('POST /channels/:id/webhooks', create),
  route('GET /channels/:id/webhooks', list),
  route('GET /webhooks/:id', (call) => renderWebhook(call.world, webhookOf(call))),
  route('PATCH /webhooks/:id', patch),
  route('DELETE /webhooks/:id', remove),
  route('GET /webhooks/:id/:token', (call) => renderWebhook(call.world, webhookOf(call)), open),
  route('PATCH /webhooks/:id/:token', patch, open),
  route('DELETE /webhooks/:id/:token', remove, open),
  route('POST /webhooks/:id/:token', execute, paced),
  route(`GET ${MESSAGE}`, read, paced),
  route(`PATCH ${MESSAGE}`, edit, paced),
  route(`DELETE ${MESSAGE}`, erase, paced),
];
