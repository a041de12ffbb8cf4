import type { Api } from '../api.ts';
import { createKeyedMutex } from '../../../src/async/keyed-mutex.ts';
import { AppError } from '../../../src/errors.ts';
import { FILES, FILES_BYTES } from '../limits.ts';
import { channelIdOf, PLATFORM, positionAt, positionOf, writtenMsOf, timestampAt } from '../ids.ts';
import { readHistory } from '../history.ts';
import type { MessageWriter, PostOptions } from '../outbound/message-writer.ts';
import { fallbackOf, textBlocks } from '../outbound/render.ts';
import { isRefusal } from '../errors.ts';
import type { Threads } from '../threads.ts';
import { isMarkOf, markOf, readMark, type MirrorMark } from './metadata.ts';
import { mirrorParts } from './parts.ts';
import { handleOf, readHandle } from './handle.ts';
import {
  isSameChannel,
  messageKey,
  type Channel,
  type MessageRef,
  type Posted,
} from '../../../src/model/place.ts';
import { paragraph, styled, text } from '../../../src/model/rich-text.ts';
import type { CreateOptions, Mirror, Mirrors, MirrorTarget } from '../../../src/ports/mirrors.ts';

export interface MirrorsDeps {
  readonly api: Api;
  readonly writer: MessageWriter;
  readonly threads: Threads;
}

/** A mirror's messages as they were found. */
interface Found {
  readonly texts: readonly string[];
  /** The message that shows its files. */
  readonly files: string | undefined;
  /** False where parts are missing. */
  readonly isWhole: boolean;
}

/** The first messages of mirrors of the same call, by the keys of their sources. */
type Earlier = ReadonlyMap<string, string>;

/** One of the app's messages: marked as part of a mirror, or showing files. */
interface Piece {
  readonly ts: string;
  readonly mark: MirrorMark | undefined;
  readonly files: readonly string[];
}

/** Thread errors after which a standing thread is made anew. */
const GONE = ['thread_not_found', 'message_not_found', 'restricted_action_thread_locked'];

const optionsFor = (mirror: Mirror, threadTs: string | undefined, parts: number): PostOptions => ({
  threadTs,
  as: mirror.as,
  metadata: (index) => markOf(mirror, index + 1, parts),
});

const partsFor = (mirror: Mirror, threadTs: string | undefined) =>
  mirrorParts(mirror, threadTs === undefined);

/** The messages of a mirror among the app's messages, in their order; undefined where it has none. */
const concluded = (
  pieces: readonly Piece[],
  { source, key, content }: Mirror,
): Found | undefined => {
  const texts = pieces
    .filter(({ mark }) => mark && isMarkOf(mark, source, key))
    .toSorted((a, b) => (a.mark?.part ?? 0) - (b.mark?.part ?? 0));
  const last = texts.at(-1);
  if (!last) return undefined;
  const names = (content.files ?? []).slice(0, FILES).map(({ name }) => name);
  // Files are posted right after the text: the next message with just these is theirs.
  const files = pieces.find(
    (piece) =>
      piece.mark === undefined &&
      Number(piece.ts) > Number(last.ts) &&
      names.length > 0 &&
      piece.files.join('\n') === names.join('\n'),
  );
  return {
    texts: texts.map(({ ts }) => ts),
    files: files?.ts,
    isWhole: texts.length >= (last.mark?.parts ?? 1),
  };
};

/** Time back to which mirrors of messages of other platforms are looked for. */
const FOREIGN_MS = 24 * 3_600_000;

/** The earliest time at which a mirror of a message can have been posted, ms since 1970. */
const writtenMs = ({ channel, id }: MessageRef): number =>
  channel.space.platform === PLATFORM ? writtenMsOf(positionOf(id)) : Date.now() - FOREIGN_MS;

export const createMirrors = ({ api, writer, threads }: MirrorsDeps): Mirrors => {
  const turns = createKeyedMutex();

  /** The thread in which a mirror stands; undefined where it stands in the channel. */
  const threadFor = async (
    { channel, threadId }: MirrorTarget,
    { source, as, quote }: Mirror,
    earlier: Earlier = new Map(),
  ): Promise<string | undefined> => {
    if (threadId !== undefined) return threadId;
    if (!as) return threads.rootOf(source);
    const together = quote && earlier.get(messageKey(quote.ref));
    if (together !== undefined) return threads.rootOf({ channel, id: together });
    return quote && isSameChannel(quote.ref.channel, channel)
      ? threads.rootOf(quote.ref)
      : undefined;
  };

  const post = async (
    target: MirrorTarget,
    mirror: Mirror,
    earlier: Earlier,
    signal: AbortSignal | undefined,
  ): Promise<Posted> => {
    const threadTs = await threadFor(target, mirror, earlier);
    const parts = partsFor(mirror, threadTs);
    const options = { ...optionsFor(mirror, threadTs, parts.length), signal };
    const timestamps = await writer.post(target.channel, parts, options);
    for (const ts of timestamps) threads.note(target.channel, ts, threadTs ?? ts);
    return {
      channel: target.channel,
      ids: timestamps as Posted['ids'],
      handle: handleOf({ texts: parts.length, threadTs }),
    };
  };

  /** Reads the app's messages in a target that have marks. */
  const marked = async function* (
    { channel, threadId }: MirrorTarget,
    roots: readonly string[],
    sinceMs: number | undefined,
    signal?: AbortSignal,
  ): AsyncGenerator<Piece> {
    const oldest = sinceMs === undefined ? undefined : timestampAt(positionAt(sinceMs - 1));
    const within = { ...(oldest === undefined ? {} : { oldest }), signal };
    const places = [
      ...(threadId === undefined ? [undefined] : [threadId]),
      ...roots.filter((root) => root !== threadId),
    ];
    for (const threadTs of places)
      try {
        for await (const raw of readHistory(api, channel, { ...within, threadTs })) {
          const mark = readMark(raw);
          const files = (raw.files ?? []).map(({ name }) => name ?? '');
          if (mark || (raw.bot_id !== undefined && files.length > 0))
            yield { ts: raw.ts, mark, files };
        }
      } catch (thrown) {
        // The message whose thread it is was deleted.
        if (threadTs === undefined || !isRefusal(thrown, ...GONE)) throw thrown;
      }
  };

  /** The threads in which mirrors of these may stand. */
  const rootsOf = async (
    target: MirrorTarget,
    mirrors: readonly Mirror[],
  ): Promise<readonly string[]> => {
    const roots = await Promise.all(mirrors.map(async (mirror) => threadFor(target, mirror)));
    return [...new Set(roots.filter((root) => root !== undefined))];
  };

  const findPosted = async (
    target: MirrorTarget,
    mirrors: readonly Mirror[],
    { sinceMs, signal }: CreateOptions,
  ): Promise<ReadonlyMap<Mirror, Found>> => {
    const roots = await rootsOf(target, mirrors);
    const pieces: Piece[] = [];
    for await (const piece of marked(target, roots, sinceMs, signal)) pieces.push(piece);
    const inOrder = pieces.toSorted((a, b) => Number(a.ts) - Number(b.ts));
    const found = new Map<Mirror, Found>();
    for (const mirror of mirrors) {
      const one = concluded(inOrder, mirror);
      if (one) found.set(mirror, one);
    }
    return found;
  };

  /** Brings a mirror's texts into their state; its files stay as they are. */
  const rewrite = async (posted: Posted, mirror: Mirror): Promise<Posted> => {
    const { channel, ids, handle } = posted;
    const { texts, threadTs } = readHandle(handle, ids.length);
    const parts = partsFor(mirror, threadTs).map((part) => ({ ...part, files: [] }));
    const options = optionsFor(mirror, threadTs, parts.length);
    const now = await writer.sync(channel, ids.slice(0, texts), parts, options);
    return {
      channel,
      ids: [...now, ...ids.slice(texts)] as unknown as Posted['ids'],
      handle: handleOf({ texts: now.length, threadTs }),
    };
  };

  /** Brings a mirror that was found into its state: its texts, and its files where they are missing. */
  const complete = async (
    target: MirrorTarget,
    mirror: Mirror,
    { texts, files }: Found,
    earlier: Earlier,
  ): Promise<Posted> => {
    const { channel } = target;
    const threadTs = await threadFor(target, mirror, earlier);
    const handle = handleOf({ texts: texts.length, threadTs });
    const posted = await rewrite(
      { channel, ids: texts as unknown as Posted['ids'], handle },
      mirror,
    );
    const missing = files === undefined ? (mirror.content.files ?? []).slice(0, FILES) : [];
    const added =
      missing.length > 0
        ? await writer.post(channel, [{ text: '', blocks: [], files: missing }], { threadTs })
        : [];
    const all = [...posted.ids, ...(files === undefined ? added : [files])];
    return { ...posted, ids: all as unknown as Posted['ids'] };
  };

  /** Posts the first message of a standing thread. */
  const beginThread = async (channel: Channel, name: string): Promise<MirrorTarget> => {
    const tree = [paragraph(styled('bold', text(name)))];
    const [ts] = await writer.post(channel, [
      { text: fallbackOf(tree), blocks: textBlocks(tree), files: [] },
    ]);
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
        : new Map<Mirror, Found>();
      const earlier = new Map<string, string>();
      for (const mirror of mirrors) {
        const known = found.get(mirror);
        if (!known?.isWhole) {
          for (const ts of known?.texts ?? []) await writer.erase(target.channel, ts);
          options.signal.throwIfAborted();
        }
        const posted = known?.isWhole
          ? await complete(target, mirror, known, earlier)
          : await post(target, mirror, earlier, options.signal);
        earlier.set(messageKey(mirror.source), posted.ids[0]);
        yield posted;
      }
    },
    update: async (posted, mirror) => {
      using _ = await turns.take(channelIdOf(posted.channel));
      return rewrite(posted, mirror);
    },
    remove: async ({ channel, ids }) => {
      using _ = await turns.take(channelIdOf(channel));
      for (const ts of ids) await writer.erase(channel, ts);
    },
    removeOrphans: async (target, source, only) => {
      using _ = await turns.take(channelIdOf(target.channel));
      const others = new Set(only?.others.flatMap(({ ids }) => ids));
      const isHere = isSameChannel(source.channel, target.channel);
      const roots = isHere ? [await threads.rootOf(source)] : [];
      for await (const { ts, mark } of marked(target, roots, writtenMs(source)))
        if (mark && isMarkOf(mark, source, only?.key) && !others.has(ts))
          await writer.erase(target.channel, ts);
    },
    thread: async (channel, name, known) => {
      const isThere =
        known?.threadId !== undefined && (await threads.exists(channel, known.threadId));
      return isThere ? known : beginThread(channel, name);
    },
  };
};
