import { z } from 'zod';
import { checkMessageBlocks } from '../blocks.ts';
import { SlackFault } from '../errors.ts';
import { addMessage, changeMessage, deleteMessage, notePings } from '../posting.ts';
import { directChannel, findUser } from '../population.ts';
import { permalinkOf, renderMessage } from '../render.ts';
import type { Json } from '../json.ts';
import type { Channel, Message } from '../state.ts';
import { channelFor, flag, json, method, POSTS, TIER, type Call } from './call.ts';

/** Characters above which Slack cuts a text, and bytes above which an update is refused. */
const TEXT_CHARS = 40_000;
const UPDATE_BYTES = 4_000;
/** Characters of one part of a stream ("chat.appendStream"). */
const STREAM_CHARS = 12_000;

const blocksArg = json(z.array(z.record(z.string(), z.unknown()))).optional();
const attachmentsArg = blocksArg;
const metadata = json(
  z.strictObject({
    event_type: z.string().min(1),
    event_payload: z.record(z.string(), z.unknown()),
  }),
).optional();

const content = {
  text: z.string().optional(),
  blocks: blocksArg,
  attachments: attachmentsArg,
  mrkdwn: flag,
  parse: z.string().optional(),
  link_names: flag,
  unfurl_links: flag,
  unfurl_media: flag,
};

/** Refuses what no message may have; `no_text` for one without anything. */
const checkContent = ({
  text,
  blocks,
  attachments,
}: {
  readonly text?: string | undefined;
  readonly blocks?: readonly Json[] | undefined;
  readonly attachments?: readonly Json[] | undefined;
}): void => {
  if (!text && !blocks?.length && !attachments?.length) throw new SlackFault('no_text');
  if (blocks) checkMessageBlocks(blocks);
};

/** The channel to post in, with the checks that posting has. */
export const postable = (call: Pick<Call, 'world' | 'installation'>, id: string): Channel => {
  const { world, installation } = call;
  const user = findUser(world, id);
  const channel = user ? directChannel(world, installation.workspace, user) : channelFor(call, id);
  if (channel.archived) throw new SlackFault('is_archived');
  const isMember = channel.members.has(installation.botUser.id);
  if (!isMember && !(channel.kind === 'public' && installation.scopes.has('chat:write.public')))
    throw new SlackFault('not_in_channel');
  if (channel.restricted) throw new SlackFault('restricted_action');
  return channel;
};

/** The root of a thread; posting under a reply goes to its root, as at Slack. */
const threadRoot = (channel: Channel, ts: string | undefined): string | undefined => {
  if (ts === undefined) return undefined;
  const found = channel.messages.find((message) => message.ts === ts);
  if (!found) throw new SlackFault('thread_not_found');
  return found.threadTs ?? found.ts;
};

const ownMessage = (
  call: Pick<Call, 'world' | 'installation'>,
  channel: Channel,
  ts: string,
): Message => {
  const found = channel.messages.find((message) => message.ts === ts && !message.tombstone);
  if (!found) throw new SlackFault('message_not_found');
  if (found.author !== call.installation.botUser) throw new SlackFault('cant_update_message');
  return found;
};

const post = method(
  'chat.postMessage',
  {
    scopes: ['chat:write'],
    args: z.looseObject({
      channel: z.string(),
      ...content,
      thread_ts: z.string().optional(),
      reply_broadcast: flag,
      username: z.string().max(80).optional(),
      icon_url: z.url().optional(),
      icon_emoji: z.string().optional(),
      metadata,
    }),
  },
  (call) => {
    const { world, args, installation } = call;
    const channel = postable(call, args.channel);
    checkContent(args);
    world.limits.take(`post ${channel.id}`, POSTS);
    if ((args.username ?? args.icon_url) && !installation.scopes.has('chat:write.customize'))
      throw new SlackFault('missing_scope', { needed: 'chat:write.customize' });
    const message = addMessage(world, channel, {
      author: installation.botUser,
      botId: installation.botId,
      text: (args.text ?? '').slice(0, TEXT_CHARS),
      blocks: args.blocks,
      attachments: args.attachments,
      threadTs: threadRoot(channel, args.thread_ts),
      broadcast: args.reply_broadcast && args.thread_ts !== undefined,
      username: args.username,
      iconUrl: args.icon_url,
      metadata: args.metadata,
    });
    return {
      channel: channel.id,
      ts: message.ts,
      message: renderMessage(world, message, installation.workspace),
    };
  },
);

const update = method(
  'chat.update',
  {
    rate: TIER[3],
    scopes: ['chat:write'],
    args: z.looseObject({
      channel: z.string(),
      ts: z.string(),
      ...content,
      reply_broadcast: flag,
      metadata,
    }),
  },
  (call) => {
    const { world, args } = call;
    const channel = postable(call, args.channel);
    const message = ownMessage(call, channel, args.ts);
    if (message.streamOf) throw new SlackFault('message_not_in_streaming_state');
    checkContent(args);
    if (args.reply_broadcast && (message.threadTs === undefined || message.broadcast))
      throw new SlackFault('cant_broadcast_message');
    if (Buffer.byteLength(args.text ?? '') > UPDATE_BYTES) throw new SlackFault('msg_too_long');
    // A text without blocks takes the blocks away.
    changeMessage(world, message, {
      text: args.text ?? '',
      blocks: args.blocks,
      attachments: args.attachments,
      metadata: args.metadata,
      broadcast: args.reply_broadcast,
    });
    return { channel: channel.id, ts: message.ts, text: message.text };
  },
);

const remove = method(
  'chat.delete',
  {
    rate: TIER[3],
    scopes: ['chat:write'],
    args: z.looseObject({ channel: z.string(), ts: z.string() }),
  },
  (call) => {
    const channel = channelFor(call, call.args.channel);
    const found = channel.messages.find(({ ts }) => ts === call.args.ts);
    if (found && found.author !== call.installation.botUser)
      throw new SlackFault('cant_delete_message');
    deleteMessage(call.world, ownMessage(call, channel, call.args.ts));
    return { channel: channel.id, ts: call.args.ts };
  },
);

const ephemeral = method(
  'chat.postEphemeral',
  {
    rate: TIER[4],
    scopes: ['chat:write'],
    args: z.looseObject({
      channel: z.string(),
      user: z.string(),
      ...content,
      thread_ts: z.string().optional(),
    }),
  },
  (call) => {
    const { world, args, installation } = call;
    const channel = postable(call, args.channel);
    if (!channel.members.has(args.user)) throw new SlackFault('user_not_in_channel');
    checkContent(args);
    const ts = world.clock.ts();
    channel.ephemerals.push({
      to: args.user,
      ts,
      text: args.text ?? '',
      blocks: args.blocks,
      threadTs: threadRoot(channel, args.thread_ts),
      botId: installation.botId,
    });
    notePings(world, channel, ts, args.text ?? '', args.blocks);
    return { message_ts: ts };
  },
);

const permalink = method(
  'chat.getPermalink',
  { args: z.looseObject({ channel: z.string(), message_ts: z.string() }) },
  (call) => {
    const channel = channelFor(call, call.args.channel);
    const { message_ts: ts } = call.args;
    const found = channel.messages.find((message) => message.ts === ts);
    if (!found) throw new SlackFault('message_not_found');
    return { channel: channel.id, permalink: permalinkOf(found, call.installation.workspace) };
  },
);

const startStream = method(
  'chat.startStream',
  {
    rate: TIER[2],
    scopes: ['chat:write'],
    args: z.looseObject({
      channel: z.string(),
      thread_ts: z.string(),
      markdown_text: z.string().max(STREAM_CHARS).optional(),
      recipient_team_id: z.string().optional(),
      recipient_user_id: z.string().optional(),
    }),
  },
  (call) => {
    const { world, args, installation } = call;
    const channel = postable(call, args.channel);
    if (channel.kind !== 'im') {
      if (!args.recipient_team_id) throw new SlackFault('missing_recipient_team_id');
      if (!args.recipient_user_id) throw new SlackFault('missing_recipient_user_id');
    }
    if (channel.workspaces.length > 1) throw new SlackFault('team_not_found');
    const message = addMessage(world, channel, {
      author: installation.botUser,
      botId: installation.botId,
      text: args.markdown_text ?? '',
      threadTs: threadRoot(channel, args.thread_ts),
      streamOf: { recipient: args.recipient_user_id },
    });
    return { channel: channel.id, ts: message.ts };
  },
);

const streaming = (call: Pick<Call, 'world' | 'installation'>, id: string, ts: string): Message => {
  const message = ownMessage(call, channelFor(call, id), ts);
  if (!message.streamOf) throw new SlackFault('message_not_in_streaming_state');
  return message;
};

const appendStream = method(
  'chat.appendStream',
  {
    rate: TIER[4],
    scopes: ['chat:write'],
    args: z.looseObject({
      channel: z.string(),
      ts: z.string(),
      markdown_text: z.string().min(1).max(STREAM_CHARS),
    }),
  },
  (call) => {
    const { args, world } = call;
    const message = streaming(call, args.channel, args.ts);
    message.text += args.markdown_text;
    notePings(world, message.channel, message.ts, args.markdown_text);
    return { channel: args.channel, ts: args.ts };
  },
);

const stopStream = method(
  'chat.stopStream',
  {
    rate: TIER[2],
    scopes: ['chat:write'],
    args: z.looseObject({
      channel: z.string(),
      ts: z.string(),
      markdown_text: z.string().max(STREAM_CHARS).optional(),
      blocks: blocksArg,
      metadata,
    }),
  },
  (call) => {
    const { args, world, installation } = call;
    const message = streaming(call, args.channel, args.ts);
    if (args.blocks) checkMessageBlocks(args.blocks);
    message.streamOf = undefined;
    changeMessage(world, message, {
      text: message.text + (args.markdown_text ?? ''),
      blocks: args.blocks,
      metadata: args.metadata,
      isEdit: false,
    });
    return {
      channel: args.channel,
      ts: args.ts,
      message: renderMessage(world, message, installation.workspace),
    };
  },
);

export const chatMethods = [
  post,
  update,
  remove,
  ephemeral,
  permalink,
  startStream,
  appendStream,
  stopStream,
];
