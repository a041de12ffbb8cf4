import type { Api } from '../api.ts';
import { DAY_MS } from '../../../src/async/clock.ts';
import { createKeyedMutex } from '../../../src/async/locks.ts';
import { AppError } from '../../../src/errors.ts';
import { FILES_BYTES } from '../limits.ts';
import { channelIdOf, PLATFORM, positionOf, writtenMsOf } from '../ids.ts';
import { readMessage, type Threads } from '../history.ts';
import type { MessageWriter } from '../outbound/message-writer.ts';
import { notificationOf, textBlocks, type Part } from '../outbound/render.ts';
import type { Uploads } from '../outbound/uploads.ts';
import { isGone } from '../errors.ts';
import type { Mentions } from '../mentions.ts';
import { createMirrorFiles } from './files.ts';
import { foundOf, type FoundMessages, type OwnMessages } from './own-messages.ts';
import {
  isMetadataOf,
  metadataOf,
  readMetadata,
  threadMetadataOf,
  handleOf,
  readHandle,
  type MirrorHandle,
} from './metadata.ts';
import { mirrorParts } from './parts.ts';
import {
  isSameChannel,
  messageKey,
  type Channel,
  type MessageRef,
  type Posted,
} from '../../../src/model/place.ts';
import { paragraph, styled, text } from '../../../src/rich-text/rich-text.ts';
import type { WhileHeld } from '../../../src/ports/processes.ts';
import type {
  CreateOptions,
  Mirror,
  Mirrors,
  MirrorTarget,
  UpdateOptions,
} from '../../../src/ports/mirrors.ts';

export interface MirrorsDeps {
  readonly api: Api;
  readonly writer: MessageWriter;
  readonly threads: Threads;
  readonly uploads: Uploads;
  readonly mentions: Pick<Mentions, 'completed'>;
  readonly ownMessages: OwnMessages;
}

/** The first messages of mirrors of the same call, by the keys of their sources. */
type Earlier = ReadonlyMap<string, string>;

/** Time back to which mirrors of messages of other platforms are looked for. */
const FOREIGN_MS = DAY_MS;
/** Time back to which a thread is looked for that was begun and not recorded. */
const BEGUN_MS = DAY_MS;

/** The earliest time at which a mirror of a message can have been posted, ms since 1970. */
const writtenMs = ({ channel, id }: MessageRef): number =>
  channel.space.platform === PLATFORM ? writtenMsOf(positionOf(id)) : Date.now() - FOREIGN_MS;

/** A reply stands in the thread of its source, which is not known where the source is deleted. */
const sourceGone = (): AppError => new AppError('not-found', 'the source of a mirror was deleted');

/** A mirror at its place: its texts, and the messages that show its files. */
const postedAs = (
  channel: Channel,
  texts: readonly string[],
  how: Omit<MirrorHandle, 'texts'>,
): Posted => ({
  channel,
  ids: [
    ...new Set([...texts, ...how.files.flatMap(({ ts }) => ts ?? [])]),
  ] as unknown as Posted['ids'],
  handle: handleOf({ texts: texts.length, ...how }),
});

export const createMirrors = (deps: MirrorsDeps): Mirrors => {
  const { api, writer, threads, uploads, mentions, ownMessages } = deps;
  const turns = createKeyedMutex();
  const files = createMirrorFiles({ uploads, writer });

  /** The thread in which a mirror stands; undefined where it stands in the channel. */
  const threadFor = async (
    { channel, threadId }: MirrorTarget,
    { source, sourceThreadId, as, below, quote }: Mirror,
    earlier: Earlier = new Map(),
  ): Promise<string | undefined> => {
    if (threadId !== undefined) return threadId;
    if (below || !as) {
      const root = sourceThreadId ?? (await threads.rootOf(source));
      if (root === undefined) throw sourceGone();
      return below && root === source.id ? undefined : root;
    }
    const together = quote && earlier.get(messageKey(quote.ref));
    if (together !== undefined) return threads.rootOf({ channel, id: together });
    return quote && isSameChannel(quote.ref.channel, channel)
      ? threads.rootOf(quote.ref)
      : undefined;
  };

  /** The place of a mirror that is to be posted. */
  const placeFor = async (target: MirrorTarget, mirror: Mirror, earlier: Earlier) => {
    const threadTs = await threadFor(target, mirror, earlier);
    const isBroadcast = mirror.broadcast && target.threadId === undefined && threadTs !== undefined;
    return { threadTs, ...(isBroadcast ? { broadcast: true as const } : {}) };
  };

  /** The texts of a mirror, in which everybody has a name. */
  const partsOf = async (
    { space }: Channel,
    mirror: Mirror,
    threadTs: string | undefined,
  ): Promise<readonly Part[]> => {
    const { content } = mirror;
    const named = { ...content, text: await mentions.completed(space, content.text) };
    return mirrorParts({ ...mirror, content: named }, threadTs === undefined);
  };

  const post = async (
    target: MirrorTarget,
    mirror: Mirror,
    earlier: Earlier,
    { signal, assertHeld }: Pick<CreateOptions, 'signal' | 'assertHeld'>,
  ): Promise<Posted> => {
    const { channel } = target;
    const place = await placeFor(target, mirror, earlier);
    const { threadTs } = place;
    const parts = await partsOf(channel, mirror, threadTs);
    const staged = await files.stage(channel, mirror);
    const timestamps = await writer.post(channel, parts, {
      ...place,
      as: mirror.as,
      metadata: (index) => metadataOf(mirror, index, parts.length, staged),
      signal,
      assertHeld,
    });
    for (const ts of timestamps) threads.note(channel, ts, threadTs ?? ts);
    const shown = await files.show(channel, threadTs, mirror, staged, { assertHeld });
    return postedAs(channel, timestamps, { ...place, files: shown });
  };

  const findPosted = async (
    target: MirrorTarget,
    mirrors: readonly Mirror[],
    { sinceMs, signal }: CreateOptions,
  ): Promise<ReadonlyMap<Mirror, FoundMessages>> => {
    const rootOf = async (mirror: Mirror): Promise<string | undefined> => {
      try {
        return await threadFor(target, mirror);
      } catch (thrown) {
        // It fails when its turn comes; those before it are posted.
        if (thrown instanceof AppError && thrown.code === 'not-found') return undefined;
        throw thrown;
      }
    };
    const places = await Promise.all(mirrors.map(rootOf));
    const roots = places.filter((root) => root !== undefined);
    const messages = await ownMessages.mirrorMessages(target, roots, { sinceMs, signal });
    const found = new Map<Mirror, FoundMessages>();
    for (const mirror of mirrors) {
      const one = foundOf(messages, mirror);
      if (one) found.set(mirror, one);
    }
    return found;
  };

  /** Finds what an interrupted try of an update left: texts that were added, and files. */
  const leftBy = async (
    { channel, ids: [first] }: Posted,
    mirror: Mirror,
    { threadTs }: MirrorHandle,
    sinceMs: number,
  ): Promise<Pick<FoundMessages, 'texts' | 'files'>> => {
    const roots = threadTs === undefined ? [] : [threadTs];
    const messages = await ownMessages.mirrorMessages({ channel }, roots, { sinceMs });
    const found = foundOf(messages, mirror);
    const standing = await readMessage(api, channel, first);
    const known = (standing && readMetadata(standing)?.files) ?? [];
    return { texts: found?.texts ?? [], files: [...known, ...(found?.files ?? [])] };
  };

  /** Brings a mirror's texts and files into their state. */
  const rewrite = async (
    posted: Posted,
    mirror: Mirror,
    { sinceMs, ...held }: UpdateOptions,
  ): Promise<Posted> => {
    const { channel, ids, handle: written } = posted;
    const handle = readHandle(written, ids.length);
    const { threadTs } = handle;
    const left = sinceMs === undefined ? undefined : await leftBy(posted, mirror, handle, sinceMs);
    const known = [...handle.files, ...(left?.files ?? [])];
    const parts = await partsOf(channel, mirror, threadTs);
    const { kept, gone } = await files.compare(channel, mirror, known);
    const staged = await files.stage(channel, mirror, kept);
    const all = [...kept, ...staged];
    const texts = [...new Set([...ids.slice(0, handle.texts), ...(left?.texts ?? [])])];
    const broadcast = handle.broadcast ?? (threadTs === undefined ? undefined : mirror.broadcast);
    const now = await writer
      .sync(channel, texts, parts, {
        threadTs,
        broadcast,
        isBroadcast: handle.broadcast,
        as: mirror.as,
        metadata: (index) => metadataOf(mirror, index, parts.length, all),
        ...held,
      })
      .catch(async (thrown: unknown) => {
        // Files whose text somebody deleted would stay without anything to follow.
        if (isGone(thrown)) await files.remove(channel, [...known, ...staged], held);
        throw thrown;
      });
    // First, so that what Slack shows late does not stand twice.
    await files.remove(channel, gone, held, kept);
    const shown = await files.show(channel, threadTs, mirror, staged, held);
    return postedAs(channel, now, { threadTs, broadcast, files: [...kept, ...shown] });
  };

  /** Brings a mirror that was found into its state. */
  const complete = async (
    target: MirrorTarget,
    mirror: Mirror,
    { texts, files: known }: FoundMessages,
    earlier: Earlier,
    held: WhileHeld,
  ): Promise<Posted> => {
    const place = await placeFor(target, mirror, earlier);
    return rewrite(postedAs(target.channel, texts, { ...place, files: known }), mirror, held);
  };

  /** Posts the first message of a standing thread. */
  const beginThread = async (
    channel: Channel,
    name: string,
    held: WhileHeld,
  ): Promise<MirrorTarget> => {
    const tree = [paragraph(styled('bold', text(name)))];
    const [ts] = await writer.post(
      channel,
      [{ text: notificationOf(tree), blocks: textBlocks(tree), files: [] }],
      { metadata: () => threadMetadataOf(name), ...held },
    );
    if (ts === undefined) throw new AppError('internal', 'a thread was not begun');
    threads.note(channel, ts, ts);
    return { channel, threadId: ts };
  };

  return {
    filesBytes: FILES_BYTES,
    async *create(target, mirrors, options) {
      const channelId = channelIdOf(target.channel);
      using _ = await turns.take(channelId);
      const found = options.mayExist
        ? await findPosted(target, mirrors, options)
        : new Map<Mirror, FoundMessages>();
      const earlier = new Map<string, string>();
      const held = { assertHeld: options.assertHeld };
      for (const mirror of mirrors) {
        const known = found.get(mirror);
        if (!known?.isWhole) {
          await files.remove(target.channel, known?.files ?? [], held);
          for (const ts of known?.texts ?? []) await writer.erase(target.channel, ts, held);
          options.signal.throwIfAborted();
        }
        const posted = known?.isWhole
          ? await complete(target, mirror, known, earlier, held)
          : await post(target, mirror, earlier, options);
        earlier.set(messageKey(mirror.source), posted.ids[0]);
        yield posted;
      }
    },
    update: async (posted, mirror, options = {}) => {
      using _ = await turns.take(channelIdOf(posted.channel));
      return rewrite(posted, mirror, options);
    },
    remove: async ({ channel, ids, handle }, _source, held = {}) => {
      using _ = await turns.take(channelIdOf(channel));
      await files.remove(channel, readHandle(handle, ids.length).files, held);
      for (const ts of ids) await writer.erase(channel, ts, held);
    },
    removeOrphans: async (target, source, { key, others: known = [], ...held } = {}) => {
      using _ = await turns.take(channelIdOf(target.channel));
      const { channel } = target;
      const others = new Set(known.flatMap(({ ids }) => ids));
      const sinceMs = writtenMs(source);
      // The thread of a message that is gone is not known any more.
      const roots = await ownMessages.activeThreads(channel, sinceMs);
      for (const { ts, metadata } of await ownMessages.mirrorMessages(target, roots, { sinceMs })) {
        if (!isMetadataOf(metadata, source, key) || others.has(ts)) continue;
        await files.remove(channel, metadata.files, held);
        await writer.erase(channel, ts, held);
      }
    },
    thread: async (channel, name, { known, ...held } = {}) => {
      const isThere =
        known?.threadId !== undefined && (await threads.exists(channel, known.threadId));
      if (isThere) return known;
      const [begun] = await ownMessages.begunThreads(channel, name, Date.now() - BEGUN_MS);
      return begun === undefined ? beginThread(channel, name, held) : { channel, threadId: begun };
    },
  };
};
