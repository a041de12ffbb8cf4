import { z } from 'zod';
import { SlackFault } from '../errors.ts';
import { LIMITED_HISTORY } from '../limits.ts';
import { channelEvent } from '../posting.ts';
import { addChannel, directChannel } from '../population.ts';
import { renderChannel, renderMessage } from '../render.ts';
import type { Json } from '../json.ts';
import type { Channel, ChannelKind, Message } from '../state.ts';
import { channelFor, count, flag, method, TIER, type Call } from './call.ts';

const KINDS: Readonly<Record<string, ChannelKind>> = {
  public_channel: 'public',
  private_channel: 'private',
  im: 'im',
  mpim: 'mpim',
};

const HISTORY: Readonly<Record<ChannelKind, string>> = {
  public: 'channels:history',
  private: 'groups:history',
  im: 'im:history',
  mpim: 'mpim:history',
};

const READ: Readonly<Record<ChannelKind, string>> = {
  public: 'channels:read',
  private: 'groups:read',
  im: 'im:read',
  mpim: 'mpim:read',
};

/** Refuses what the scopes of the app do not cover. */
export const needScope = ({ installation }: Pick<Call, 'installation'>, needed: string): void => {
  if (!installation.scopes.has(needed))
    throw new SlackFault('missing_scope', {
      needed,
      provided: [...installation.scopes].join(','),
    });
};

/** One page of a list, with Slack's opaque cursor. */
const page = <Item>(
  all: readonly Item[],
  cursor: string | undefined,
  limit: number,
): { readonly items: readonly Item[]; readonly next: string } => {
  const from = cursor ? Number(Buffer.from(cursor, 'base64url').toString().split(':')[1]) : 0;
  if (!Number.isInteger(from)) throw new SlackFault('invalid_cursor');
  const end = from + limit;
  const next = end < all.length ? Buffer.from(`next:${end}`).toString('base64url') : '';
  return { items: all.slice(from, end), next };
};

const paged = { cursor: z.string().optional() };
const more = (next: string): Json => ({ response_metadata: { next_cursor: next } });

const kindsOf = (types: string): readonly ChannelKind[] =>
  types.split(',').map((type) => {
    const kind = KINDS[type.trim()];
    if (!kind) throw new SlackFault('invalid_types');
    return kind;
  });

const listed = (call: Call, types: string, mine: boolean): readonly Channel[] => {
  const { installation, world } = call;
  const kinds = kindsOf(types);
  for (const kind of kinds) needScope(call, READ[kind]);
  return [...world.channels.values()].filter(
    (channel) =>
      kinds.includes(channel.kind) &&
      !channel.deleted &&
      channel.workspaces.includes(installation.workspace) &&
      (channel.members.has(installation.botUser.id) || (channel.kind === 'public' && !mine)),
  );
};

const listArgs = z.looseObject({
  types: z.string().optional().default('public_channel'),
  exclude_archived: flag,
  limit: count(100, 1_000),
  ...paged,
});

const listing = (name: string, mine: boolean) =>
  method(name, { rate: mine ? TIER[3] : TIER[2], args: listArgs }, (call) => {
    const { args, installation } = call;
    const all = listed(call, args.types, mine).filter(
      ({ archived }) => !archived || !args.exclude_archived,
    );
    const { items, next } = page(all, args.cursor, args.limit);
    return {
      channels: items.map((each) => renderChannel(each, installation.botUser.id)),
      ...more(next),
    };
  });

const info = method(
  'conversations.info',
  { rate: TIER[3], args: z.looseObject({ channel: z.string() }) },
  (call) => {
    const channel = channelFor(call, call.args.channel);
    needScope(call, READ[channel.kind]);
    return { channel: renderChannel(channel, call.installation.botUser.id) };
  },
);

const members = method(
  'conversations.members',
  {
    rate: TIER[4],
    args: z.looseObject({ channel: z.string(), limit: count(100, 1_000), ...paged }),
  },
  (call) => {
    const channel = channelFor(call, call.args.channel);
    needScope(call, READ[channel.kind]);
    const { items, next } = page([...channel.members], call.args.cursor, call.args.limit);
    return { members: items, ...more(next) };
  },
);

const historyArgs = {
  channel: z.string(),
  oldest: z.string().optional(),
  latest: z.string().optional(),
  inclusive: flag,
  include_all_metadata: flag,
  limit: count(100, 999),
  ...paged,
};

/** The messages within a range, newest first. */
const within = (
  messages: readonly Message[],
  {
    oldest,
    latest,
    inclusive,
  }: { oldest?: string | undefined; latest?: string | undefined; inclusive: boolean },
): readonly Message[] =>
  messages.filter(({ ts }) => {
    const at = Number(ts);
    const [from, to] = [Number(oldest ?? 0), Number(latest ?? Infinity)];
    return inclusive ? at >= from && at <= to : at > from && at < to;
  });

/** Checks that history may be read, and counts the limit of commercial apps. */
const readable = (
  call: Call<{ readonly channel: string; readonly limit: number }>,
  name: string,
): Channel => {
  const { world, args, installation } = call;
  const channel = channelFor(call, args.channel);
  needScope(call, HISTORY[channel.kind]);
  if (!channel.members.has(installation.botUser.id)) throw new SlackFault('not_in_channel');
  if (installation.workspace.history === 'limited')
    world.limits.take(`limited ${name} ${installation.workspace.id}`, LIMITED_HISTORY);
  return channel;
};

/** Messages of one page where history is limited. */
const LIMITED_PAGE = 15;

/** @param isForward true where pages go on from the oldest messages, the newest of each page first */
const historyPage = (
  call: Call<z.output<typeof historySchema>>,
  all: readonly Message[],
  isForward = false,
): Json => {
  const { world, args, installation } = call;
  const isLimited = installation.workspace.history === 'limited';
  const limit = isLimited ? Math.min(args.limit, LIMITED_PAGE) : args.limit;
  const { items, next } = page(all, args.cursor, limit);
  return {
    messages: (isForward ? items.toReversed() : items).map((message) =>
      renderMessage(world, message, installation.workspace, args.include_all_metadata),
    ),
    has_more: next !== '',
    ...(next === '' ? {} : more(next)),
  };
};

const historySchema = z.looseObject(historyArgs);

const history = method('conversations.history', { rate: TIER[3], args: historySchema }, (call) => {
  const channel = readable(call, 'conversations.history');
  const top = channel.messages.filter(
    ({ threadTs, ts, broadcast }) => threadTs === undefined || threadTs === ts || broadcast,
  );
  const { oldest, latest } = call.args;
  const found = within(top, call.args);
  // "If oldest is provided but not latest then the messages returned are those closest to oldest": "channels.history".
  return oldest !== undefined && latest === undefined
    ? historyPage(call, found, true)
    : historyPage(call, found.toReversed());
});

const replies = method(
  'conversations.replies',
  { rate: TIER[3], args: z.looseObject({ ...historyArgs, ts: z.string() }) },
  (call) => {
    const channel = readable(call, 'conversations.replies');
    const { ts } = call.args;
    const root = channel.messages.find((message) => message.ts === ts);
    if (!root) throw new SlackFault('thread_not_found');
    const thread = channel.messages.filter(
      (message) =>
        message.ts === (root.threadTs ?? ts) || message.threadTs === (root.threadTs ?? ts),
    );
    return historyPage(call, within(thread, call.args));
  },
);

const open = method(
  'conversations.open',
  { rate: TIER[3], scopes: ['im:write'], args: z.looseObject({ users: z.string() }) },
  ({ world, args, installation }) => {
    const user = installation.workspace.users.get(args.users);
    if (!user) throw new SlackFault('user_not_found');
    const channel = directChannel(world, installation.workspace, user);
    return { channel: { id: channel.id } };
  },
);

const join = method(
  'conversations.join',
  { rate: TIER[3], scopes: ['channels:join'], args: z.looseObject({ channel: z.string() }) },
  (call) => {
    const channel = channelFor(call, call.args.channel);
    const { botUser } = call.installation;
    if (channel.archived) throw new SlackFault('is_archived');
    if (channel.kind !== 'public') throw new SlackFault('method_not_supported_for_channel_type');
    if (!channel.members.has(botUser.id)) {
      channel.members.add(botUser.id);
      channelEvent(call.world, channel, {
        type: 'member_joined_channel',
        user: botUser.id,
        channel: channel.id,
        team: call.installation.workspace.id,
      });
    }
    return { channel: renderChannel(channel, botUser.id) };
  },
);

/** Names as "conversations.create" takes them: of at most 80 characters, none of them a capital or a space. */
const CHANNEL_NAME = /^[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}_-]+$/u;
const NAME_CHARS = 80;

const create = method(
  'conversations.create',
  { rate: TIER[2], args: z.looseObject({ name: z.string(), is_private: flag }) },
  (call) => {
    const { world, args, installation } = call;
    needScope(call, args.is_private ? 'groups:write' : 'channels:manage');
    const { workspace, botUser } = installation;
    if (args.name === '') throw new SlackFault('invalid_name_required');
    if (Array.from(args.name).length > NAME_CHARS) throw new SlackFault('invalid_name_maxlength');
    if (!CHANNEL_NAME.test(args.name)) throw new SlackFault('invalid_name_specials');
    if (!/[\p{L}\p{N}]/u.test(args.name)) throw new SlackFault('invalid_name_punctuation');
    // The names of archived channels stay taken.
    const isTaken = [...world.channels.values()].some(
      ({ name, workspaces, deleted }) =>
        name === args.name && workspaces.includes(workspace) && !deleted,
    );
    if (isTaken) throw new SlackFault('name_taken');
    const channel = addChannel(world, workspace, {
      name: args.name,
      kind: args.is_private ? 'private' : 'public',
      made: { by: botUser.id, atMs: world.clock.now() },
    });
    return { channel: renderChannel(channel, botUser.id) };
  },
);

const archive = method(
  'conversations.archive',
  { rate: TIER[2], args: z.looseObject({ channel: z.string() }) },
  (call) => {
    const channel = channelFor(call, call.args.channel);
    needScope(call, channel.kind === 'private' ? 'groups:write' : 'channels:manage');
    if (channel.archived) throw new SlackFault('already_archived');
    channel.archived = true;
    return {};
  },
);

export const conversationMethods = [
  create,
  archive,
  listing('conversations.list', false),
  listing('users.conversations', true),
  info,
  members,
  history,
  replies,
  open,
  join,
];
