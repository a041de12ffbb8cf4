import { RESTJSONErrorCodes, Routes } from 'discord.js';
import { AppError } from '../../src/errors.ts';
import type { Channel, Message, MessageRef } from '../../src/model.ts';
import type { WatchPort } from '../../src/watch/port.ts';
import type { Api } from './api.ts';
import type { Session } from './client.ts';
import { isGone, isRefusal } from './errors.ts';
import { guildIdOf, positionAt, snowflakeAt, timeOf, channelIdOf } from './ids.ts';
import type { Members } from './members.ts';
import { isReadable, type MessageReader, type RawMessage } from './message.ts';
import { CONTENT_INTENT, fits, grantedIn, missingOf } from './permissions.ts';
import type { Threads } from './threads.ts';

const PAGE = 100;
/** What a bot may send at once to a server without boosts. */
const COPIED_FILES_BYTES = 10 * 1_048_576;

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

export interface WatchParts {
  readonly api: Api;
  readonly session: () => Session;
  readonly reader: MessageReader;
  readonly members: Pick<Members, 'complete' | 'nameOf'>;
  readonly threads: Threads;
  readonly copies: Pick<WatchPort, 'copy' | 'recopy' | 'uncopy' | 'sweep'>;
}

export const createWatchPort = (parts: WatchParts): WatchPort => {
  const { api, session, reader, members, threads, copies } = parts;

  const history = async function* (
    channel: Channel,
    after: string,
    signal: AbortSignal,
  ): AsyncGenerator<Message, void, void> {
    const { client, application } = session();
    const { hasContentIntent } = application;
    // Discord answers with nothing, as if nothing had been written or all of it were gone.
    if (grantedIn(client, channel)?.has('ReadMessageHistory') === false)
      throw new AppError('forbidden', 'the permission Read Message History is missing');
    let last = snowflakeAt(after);
    for (;;) {
      const page = await api.send<RawMessage[]>(
        'GET',
        Routes.channelMessages(channelIdOf(channel)),
        { query: { after: last, limit: String(PAGE) }, signal },
      );
      // Pages come newest first.
      for (const raw of page.toReversed())
        if (hasContentIntent || isReadable(raw))
          yield reader.read(await members.complete(raw, channel), channel);
      last = page[0]?.id ?? last;
      if (page.length < PAGE) return;
    }
  };

  const resolve = (channel: Channel): Channel => {
    const found = session().client.channels.cache.get(channel.id);
    return found?.isThread() && found.parentId ? { ...channel, parentId: found.parentId } : channel;
  };

  /** A standing thread may have been deleted while nobody told us. */
  const copy: WatchPort['copy'] = async function* (to, all, options) {
    try {
      yield* copies.copy(to, all, options);
    } catch (thrown) {
      const isLost = isRefusal(thrown, RESTJSONErrorCodes.UnknownChannel) && threads.forget(to.id);
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
    copiedFilesBytes: COPIED_FILES_BYTES,
    history,
    read: async (ref, of) => {
      const raw = await readRaw(api, ref);
      return raw && reader.read(await members.complete(raw, ref.channel), ref.channel, of);
    },
    names: (channel) => (kind, id) => {
      const { channels, guilds } = session().client;
      const guildId = guildIdOf(channel) ?? '';
      if (kind === 'member') return members.nameOf(guildId, id);
      if (kind === 'role') return guilds.cache.get(guildId)?.roles.cache.get(id)?.name;
      const found = channels.cache.get(id);
      return found && !found.isDMBased() && found.guildId === guildId ? found.name : undefined;
    },
    reactions: async (ref, emoji) => {
      const raw = await readRaw(api, ref);
      const found = raw?.reactions?.find(
        (reaction) => (reaction.emoji.id ?? bare(reaction.emoji.name)) === bare(emoji),
      );
      return found ? found.count - (found.me ? 1 : 0) : 0;
    },
    thread: async (channel, name) => threads.standing(channel, name),
    missing: async (channel, mode) => {
      const { client, application } = session();
      if (!fits(client, channel, mode))
        throw new AppError('unsupported', 'a channel of this kind cannot be watched in this way', {
          sentence: { key: 'watch.unfit', params: { channel: `<#${channel.id}>` } },
        });
      return [
        ...missingOf(grantedIn(client, channel), mode, resolve(channel).parentId !== undefined),
        ...(application.hasContentIntent ? [] : [CONTENT_INTENT]),
      ];
    },
  };
};
