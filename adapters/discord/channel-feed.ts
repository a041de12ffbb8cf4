import { RESTJSONErrorCodes, Routes } from 'discord.js';
import { AppError } from '../../src/errors.ts';
import type { Channel, MessageRef } from '../../src/model/place.ts';
import type { WatchPort } from '../../src/ports/channel-feed.ts';
import type { Api } from './api.ts';
import type { Session } from './inbound/client.ts';
import { isGone, isRefusal } from './errors.ts';
import { createHistory } from './inbound/history.ts';
import { channelIdOf, guildIdOf, positionAt, timeOf } from './ids.ts';
import { FILES_BYTES } from './limits.ts';
import type { MemberNames } from './member-names.ts';
import type { MessageReader, RawMessage } from './inbound/message-reader.ts';
import { CONTENT_INTENT, findIn, fitsMode, grantedIn, kindOf, missingOf } from './permissions.ts';
import { countPeople } from './inbound/reaction-count.ts';
import type { ThreadParents } from './inbound/thread-parents.ts';
import type { Threads } from './threads.ts';
import { isSeenByReadersOf } from './visibility.ts';

/** What Discord says of a thread that is deleted, or so locked that we cannot wake it. */
const CLOSED = [
  RESTJSONErrorCodes.UnknownChannel,
  RESTJSONErrorCodes.InvalidActionOnArchivedThread,
  RESTJSONErrorCodes.ThreadLocked,
];

/** An emoji, however it is told that it is one. */
const bare = (name: string | null): string => (name ?? '').replaceAll('\uFE0F', '');

/** The message as Discord tells it now; undefined when it or its channel is gone. */
export const readRaw = async (
  api: Api,
  { channel, id }: MessageRef,
): Promise<RawMessage | undefined> => {
  try {
    return await api.send<RawMessage>('GET', Routes.channelMessage(channelIdOf(channel), id));
  } catch (thrown) {
    if (isGone(thrown)) return undefined;
    throw thrown;
  }
};

export interface ChannelFeedDeps {
  readonly api: Api;
  readonly session: () => Session;
  readonly reader: MessageReader;
  readonly members: Pick<MemberNames, 'complete' | 'nameOf'>;
  readonly threads: Threads;
  readonly parents: Pick<ThreadParents, 'channel'>;
  readonly copies: Pick<WatchPort, 'copy' | 'recopy' | 'uncopy' | 'sweep'>;
}

export const createChannelFeed = (deps: ChannelFeedDeps): WatchPort => {
  const { api, session, reader, members, threads, parents, copies } = deps;

  const history = createHistory(deps);

  const resolve = (channel: Channel): Channel => ({
    ...channel,
    ...parents.channel(guildIdOf(channel), channel.id),
  });

  /** Only what everybody who reads here can see; Discord itself hides the rest from them. */
  const channelName = (id: string, readers: Channel): string | undefined => {
    const { client } = session();
    const [other, here] = [findIn(client, { space: readers.space, id }), findIn(client, readers)];
    return other && here && isSeenByReadersOf(here, other) ? other.name : undefined;
  };

  /** A standing thread may have been deleted or locked while nobody told us. */
  const copy: WatchPort['copy'] = async function* (to, all, options) {
    try {
      yield* copies.copy(to, all, options);
    } catch (thrown) {
      const isLost = isRefusal(thrown, ...CLOSED) && threads.forget(to.id);
      if (!isLost) throw thrown;
      throw new AppError('unavailable', 'a standing thread is gone: the next try makes a new one', {
        cause: thrown,
        retryable: true,
      });
    }
  };

  return {
    ...copies,
    copy,
    resolve,
    positionAt,
    timeOf,
    copiedFilesBytes: FILES_BYTES,
    history,
    read: async (ref, of) => {
      const raw = await readRaw(api, ref);
      return raw && reader.read(await members.complete(raw, ref.channel), ref.channel, of);
    },
    names: (channel) => (kind, id) => {
      const guildId = guildIdOf(channel) ?? '';
      if (kind === 'member') return members.nameOf(guildId, id);
      if (kind === 'channel') return channelName(id, channel);
      return session().client.guilds.cache.get(guildId)?.roles.cache.get(id)?.name;
    },
    reactions: async (ref, emoji) => {
      const raw = await readRaw(api, ref);
      const found = raw?.reactions?.find(
        (reaction) => (reaction.emoji.id ?? bare(reaction.emoji.name)) === bare(emoji),
      );
      const others = found ? found.count - (found.me ? 1 : 0) : 0;
      return found && others > 0 ? countPeople(api, ref, found) : 0;
    },
    thread: async (channel, name) => threads.standing(channel, name),
    missing: async (channel, mode) => {
      const { client, application } = session();
      if (!fitsMode(client, channel, mode))
        throw new AppError('unsupported', 'a channel of this kind cannot be watched in this way', {
          sentence: { key: 'watch.unfit', params: { channel: `<#${channel.id}>` } },
        });
      return [
        ...missingOf(grantedIn(client, channel), mode, {
          ...kindOf(client.channels.cache.get(channel.id)),
          isThread: resolve(channel).parentId !== undefined,
        }),
        ...(application.hasContentIntent ? [] : [CONTENT_INTENT]),
      ];
    },
  };
};
