import type { ConversationsInfoResponse } from '@slack/web-api';
import type { Api } from './api.ts';
import { AppError, recover, toAppError, userError } from '../../src/errors.ts';
import { refusedAs, SlackError } from './errors.ts';
import { repliesOf, type createCatchUp } from './catch-up.ts';
import { readForward, readHistory, readMessage, readReacted, type ThreadRoots } from './history.ts';
import { ANSWERING } from './rate-limiter.ts';
import {
  channelIdOf,
  channelOf,
  findMessage,
  isTalk,
  positionAt,
  positionOf,
  writtenMsOf,
  timestampAt,
  PLATFORM,
} from './ids.ts';
import type { MessageReader } from './inbound/message-reader.ts';
import type { RawSlackMessage } from './inbound/raw-message.ts';
import type { Installations, Installed } from './install/installations.ts';
import { withNames } from '../../src/rich-text/reduce.ts';
import { plainText } from '../../src/rich-text/walk.ts';
import { OWNER } from './mirrors/files.ts';
import { isPersonId, type People } from './people.ts';
import { reactionOf } from './rich-text/atoms.ts';
import { BESIDE_COPIES, missingScopes, type ScopeChoice } from './scopes.ts';
import { createSemaphore } from '../../src/async/locks.ts';
import { createCache } from '../../src/async/lru.ts';
import { MINUTE_MS } from '../../src/async/clock.ts';
import type { Message } from '../../src/model/message.ts';
import {
  channelMention,
  type Channel,
  type MessageRef,
  type Space,
} from '../../src/model/place.ts';
import { code, type Mention } from '../../src/rich-text/rich-text.ts';
import type { WatchMode } from '../../src/model/space.ts';
import type { Platform } from '../../src/ports/platform.ts';
import type { ChannelFeed } from '../../src/ports/channel-feed.ts';

export interface ChannelFeedDeps {
  readonly api: Api;
  readonly reader: MessageReader;
  readonly people: Pick<People, 'of' | 'names'>;
  readonly catchUp: ReturnType<typeof createCatchUp>;
  readonly threads: Pick<ThreadRoots, 'note'>;
  readonly installations: Pick<Installations, 'known' | 'list'>;
  readonly access: NonNullable<Platform['access']>;
  /** True where every event of a workspace comes sooner or later. */
  readonly reportsAll: (space: Space) => boolean;
  readonly now: () => number;
  readonly choice: ScopeChoice;
}

interface WantedMode {
  readonly channel: Channel;
  readonly mode: WatchMode;
  /** The same as in `ChannelWatch`. */
  readonly below: boolean;
  readonly installed: Installed | undefined;
  readonly choice: ScopeChoice;
}

type ChannelInfo = ConversationsInfoResponse['channel'];

/** Channels whose names are cached, and for how long: Slack does not report each that is made private. */
const CACHED_CHANNELS = 5_000;
const LIFE_MS = 10 * MINUTE_MS;

/** Reads what Slack says of a channel; undefined for one that the app may not know. */
export const readChannel = async (api: Api, channel: Channel): Promise<ChannelInfo> => {
  const asking = api.call(channel.space, 'conversations.info', { channel: channelIdOf(channel) });
  const reply = await refusedAs(asking, 'channel_not_found');
  if (reply && !reply.channel) throw new AppError('bad-reply', 'Slack did not describe a channel');
  return reply?.channel;
};

/** A message without what mirrors have around their words: small lines, and the name over files. */
const withoutSmallLines = (message: Message): Message => {
  const { author, files, text } = message;
  if (author.kind !== 'ourselves') return message;
  const isOverFiles = files.length > 0 && plainText(text).startsWith(OWNER);
  return { ...message, text: isOverFiles ? [] : text.filter(({ kind }) => kind !== 'subtext') };
};

const firstOf = async (
  reading: AsyncIterable<RawSlackMessage>,
  most: number,
): Promise<readonly RawSlackMessage[]> => {
  const found: RawSlackMessage[] = [];
  for await (const raw of reading) {
    if (raw.subtype !== 'tombstone') found.push(raw);
    if (found.length >= most) break;
  }
  return found;
};

/** The command by which people let the app into a channel. */
const invitation = (installed: Installed | undefined): string =>
  `/invite @${installed?.botName ?? 'dragoman'}`;

/** Says what a mode of auto-translate lacks in a channel: an invitation, or scopes. */
export const missingIn = async (
  api: Api,
  { channel, mode, below, installed, choice }: WantedMode,
): Promise<readonly string[]> => {
  try {
    const info = await readChannel(api, channel);
    if (!info?.is_member) return [invitation(installed)];
    return info.is_archived ? ['unarchive'] : missingScopes(installed, mode, below, choice);
  } catch (thrown) {
    const fault = toAppError(thrown);
    if (fault instanceof SlackError && fault.needed !== undefined) return [fault.needed];
    throw fault;
  }
};

/** People of one reaction that are listed, and those of them of whom Slack is asked at the same time whether they are bots. */
const REACTORS = 100;
const LOOKED_UP_AT_ONCE = 5;

const isUnknown = (thrown: unknown): boolean => toAppError(thrown).code === 'not-found';

export type SlackChannelFeed = ChannelFeed & {
  /** Drops the name of a channel, in all workspaces that share it. */
  readonly renamed: (channelId: string) => void;
  readonly forgetSpace: (space: Space) => void;
};

export const createChannelFeed = (deps: ChannelFeedDeps): SlackChannelFeed => {
  const { api, reader, people, catchUp, threads, installations, reportsAll, access, now, choice } =
    deps;
  const names = createCache(
    async (channel: Channel): Promise<string | undefined> => {
      const info = await readChannel(api, channel);
      // The name of a private channel is not told in others.
      return info && !info.is_private ? info.name : undefined;
    },
    {
      keyOf: ({ space, id }) => `${space.id} ${id}`,
      most: CACHED_CHANNELS,
      lifeMs: LIFE_MS,
      now,
    },
  );

  const nameFor = async (
    readers: Channel,
    { target, id, name }: Mention,
  ): Promise<string | undefined> => {
    try {
      if (target === 'member') return (await people.of(readers.space, id)).name;
      if (target === 'channel') return await names.of(channelOf(readers.space.id, id));
      return name;
    } catch (thrown) {
      if (toAppError(thrown).retryable) throw thrown;
      return name;
    }
  };

  const messageOf = async (raw: RawSlackMessage, channel: Channel) =>
    reader.read(raw, channel.space, channel.id, timestampAt(positionAt(Date.now())));

  /** A message, with the replies in the thread that it begins. */
  const listedOf = async (raw: RawSlackMessage, channel: Channel): Promise<Message> => {
    const message = withoutSmallLines(await messageOf(raw, channel));
    const { reply_count: count = 0, ts, thread_ts: begunBy = ts } = raw;
    if (count === 0 || begunBy !== ts) return message;
    const ours = repliesOf(raw, installations.known(channel.space));
    return { ...message, replies: { count, ours } };
  };

  const linkTo = ({ channel, id }: MessageRef): string => {
    const base = installations.known(channel.space)?.url ?? 'https://slack.com/';
    return `${base}archives/${channel.id}/p${id.replace('.', '')}`;
  };

  return {
    renamed: (channelId) => names.forgetWhere(({ id }) => id === channelId),
    forgetSpace: ({ id }) => names.forgetWhere(({ space }) => space.id === id),
    resolve: (channel) => channel,
    isTalk,
    positionAt,
    timeOf: writtenMsOf,
    find: findMessage,
    link: linkTo,
    threadLink: (ref) => `${linkTo(ref)}?thread_ts=${ref.id}&cid=${ref.channel.id}`,
    // Of a workspace without a paid plan Slack shows the last 90 days.
    hidesOld: true,
    isGone: async (channel) => !(await readChannel(api, channel)),
    isPrivate: async (channel) => (await readChannel(api, channel))?.is_private !== false,
    // Anybody may give a workspace any name, but its address is its own.
    spaceName: async (space) => {
      const url = installations.known(space)?.url;
      return url === undefined ? undefined : new URL(url).host;
    },
    reportsAll: ({ space }) => reportsAll(space),
    isHistorySlow: ({ space }) => api.history.isLimited(space),
    async *history(channel, after, signal, options) {
      const missedAfter = options?.missedAfter ?? after;
      const range = { from: timestampAt(after), after: timestampAt(missedAfter) };
      const leaveUnread = (from: string, before: string): void =>
        options?.unread(positionOf(from), positionOf(before));
      for await (const raw of catchUp(channel, range, leaveUnread, signal))
        if (raw.subtype !== 'tombstone') {
          threads.note(channel, raw.ts, raw.thread_ts ?? raw.ts);
          yield await messageOf(raw, channel);
        }
    },
    newest: async (channel, from, most, signal) => {
      const range = { oldest: timestampAt(from), inclusive: true, firstPageOnly: true };
      const options = { ...range, priority: ANSWERING, signal };
      const found = await firstOf(readHistory(api, channel, options), most);
      return Promise.all(found.toReversed().map(async (raw) => listedOf(raw, channel)));
    },
    earliest: async (channel, from, most, signal) => {
      const options = { priority: ANSWERING, signal };
      const found = await firstOf(readForward(api, channel, timestampAt(from), options), most);
      return Promise.all(found.map(async (raw) => listedOf(raw, channel)));
    },
    replies: async ({ channel, id }, most, signal, from) => {
      const oldest = from === undefined ? undefined : timestampAt(from);
      const range = { threadTs: id, oldest, inclusive: true, firstPageOnly: true };
      const left = ['tombstone', ...(from === undefined ? ['thread_broadcast'] : [])];
      const found: RawSlackMessage[] = [];
      const read = async (): Promise<void> => {
        const options = { ...range, priority: ANSWERING, signal };
        for await (const raw of readHistory(api, channel, options)) {
          if (raw.ts !== id && !left.includes(raw.subtype ?? '')) found.push(raw);
          if (found.length >= most) return;
        }
      };
      await refusedAs(read(), 'thread_not_found');
      return Promise.all(found.map(async (raw) => listedOf(raw, channel)));
    },
    read: async ({ channel, id }) => {
      const raw = await refusedAs(readMessage(api, channel, id), 'channel_not_found');
      return raw && messageOf(raw, channel);
    },
    named: async (channel, text) =>
      withNames(text, PLATFORM, async (node) => nameFor(channel, node)),
    isReader: async (channel, id) => {
      const { isActive } = await people.of(channel.space, id);
      const found = isActive && (await access({ platform: PLATFORM, id }, channel));
      return found === 'see' || found === 'write';
    },
    personName: async (space, id) => {
      const asking = isPersonId(id) ? people.of(space, id) : undefined;
      return asking && (await recover(asking, isUnknown))?.name;
    },
    namesLike: async (space) => {
      const { botName = '', url } = installations.known(space) ?? {};
      const host = url === undefined ? '' : new URL(url).host;
      const all = await people.names(space);
      return all && [botName, host, host.split('.', 1)[0] ?? '', ...all];
    },
    reactors: async ({ channel, id }, emoji) => {
      const raw = await readReacted(api, channel, id);
      const meant = raw?.reactions?.filter(({ name }) => reactionOf(name) === emoji) ?? [];
      const bot = installations.known(channel.space)?.botUserId;
      const users = [...new Set(meant.flatMap(({ users: each = [] }) => each))]
        .filter((user) => user !== bot)
        .slice(0, REACTORS);
      const asking = createSemaphore(LOOKED_UP_AT_ONCE);
      const found = users.map((user) =>
        asking.use(() => recover(people.of(channel.space, user), isUnknown)),
      );
      const areBots = (await Promise.all(found)).map((user) => user?.isBot === true);
      return users.filter((_, at) => !areBots[at]);
    },
    drawback: async (channel, mode) => {
      const scopes = mode === 'mirror' ? installations.known(channel.space)?.scopes : undefined;
      const list = scopes ? BESIDE_COPIES.filter((scope) => !scopes.has(scope)) : [];
      return list.length > 0
        ? {
            key: 'watch.lesser',
            params: { channel: channelMention(channel), permissions: { list } },
          }
        : undefined;
    },
    missing: async (channel, mode, below) => {
      if (isTalk(channel))
        throw userError('unsupported', 'watch.unfit', { channel: channelMention(channel) });
      const installed = installations.known(channel.space);
      const isElsewhere = !installed && installations.list().length > 0;
      const invite = invitation(installed);
      const lacking = isElsewhere
        ? [invite]
        : await missingIn(api, { channel, mode, below: below ?? false, installed, choice });
      if (lacking.includes(invite))
        throw userError('forbidden', 'watch.not-there', {
          channel: channelMention(channel),
          command: code(invite),
        });
      return lacking;
    },
  };
};
