import { RESTJSONErrorCodes, Routes } from 'discord.js';
import { isRefusal } from '../errors.ts';
import { channelIdOf, type OwnPost, ownPostOf, postedOf } from '../ids.ts';
import { FILES_BYTES } from '../limits.ts';
import { createMirrorEditor, says, type SharedMessagesDeps } from './editor.ts';
import { createFinder, type FoundMirror } from './find.ts';
import { quietly } from './parts.ts';
import type { CommandMentions } from '../slash/mentions.ts';
import type { Threads } from '../threads.ts';
import { createKeyedMutex } from '../../../src/async/locks.ts';
import { createLru } from '../../../src/async/lru.ts';
import { AppError, recover, toAppError } from '../../../src/errors.ts';
import {
  messageKey,
  type Channel,
  type MessageRef,
  type Posted,
} from '../../../src/model/place.ts';
import type { WhileHeld } from '../../../src/ports/processes.ts';
import type { CreateOptions, Mirror, Mirrors, UpdateOptions } from '../../../src/ports/mirrors.ts';

/** Discord's refusals for a thread that is deleted, or locked so that the bot cannot unarchive it. */
const CLOSED = [
  RESTJSONErrorCodes.UnknownChannel,
  RESTJSONErrorCodes.InvalidActionOnArchivedThread,
  RESTJSONErrorCodes.ThreadLocked,
];

/** Replies whose key is remembered. */
const REMEMBERED = 5_000;

/** True for what stands otherwise than it should. */
const isToChange = (found: FoundMirror | undefined, mirror: Mirror): boolean =>
  found !== undefined && ('strays' in found || !says(found, mirror));

export const createMirrors = (
  deps: SharedMessagesDeps & {
    readonly threads: Threads;
    readonly commandMentions: Pick<CommandMentions, 'on' | 'within'>;
  },
): Mirrors => {
  const { api, outbox, ownMessages, threads, commandMentions } = deps;
  /** Keys of replies by message, which tell other mirrors from the one searched for. */
  const keys = createLru<string, string>(REMEMBERED);
  const finder = createFinder(ownMessages, (id) => keys.get(id));
  const editor = createMirrorEditor({ ...deps, finder });
  const turns = createKeyedMutex();

  /** The place of a mirror that was posted or found. */
  const noted = (post: OwnPost, { as, key }: Mirror): Posted => {
    if (!as) for (const id of post.ids) keys.set(id, key);
    return postedOf(post);
  };

  /** A mirror with our commands as Discord mentions them. */
  const rendered = (mirror: Mirror): Mirror => ({
    ...mirror,
    content: commandMentions.on(mirror.content),
    ...(mirror.blocks ? { blocks: mirror.blocks.map(commandMentions.on) } : {}),
  });

  /** Unarchives an inactive thread where needed; by itself only posting does so. */
  const awake = async <T>({ id }: Channel, held: WhileHeld, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (thrown) {
      if (!isRefusal(thrown, RESTJSONErrorCodes.InvalidActionOnArchivedThread)) throw thrown;
      try {
        const { assertHeld } = held;
        await api.send('PATCH', Routes.channel(id), { body: { archived: false }, assertHeld });
      } catch (refused) {
        throw toAppError(refused).code === 'forbidden' ? thrown : refused;
      }
      return work();
    }
  };

  const inTurn = async <T>(
    channel: Channel,
    held: WhileHeld,
    work: () => Promise<T>,
  ): Promise<T> => {
    channelIdOf(channel);
    using _ = await turns.take(channel.id);
    return await awake(channel, held, work);
  };

  /** Posts a mirror again that was deleted to be replaced; an interrupted try may have posted it. */
  const postAnew = async (
    to: Channel,
    mirror: Mirror,
    { sinceMs, ...held }: UpdateOptions,
  ): Promise<OwnPost> => {
    const messages = sinceMs === undefined ? undefined : ownMessages.since(to, [], sinceMs);
    const found = messages && (await finder.posted(to, [mirror], messages)).get(mirror);
    const former = found && ('post' in found ? [found.post] : found.strays);
    for (const each of former ?? []) await editor.erase(each, mirror.source, held);
    for await (const anew of outbox.post(to, [quietly(mirror)], held)) return anew;
    throw new AppError('internal', 'a mirror was not posted');
  };

  /** Keeps or updates existing mirrors and posts missing ones; yields them in order. */
  const createMissing = async function* (
    to: Channel,
    mirrors: readonly Mirror[],
    { others, sinceMs, signal, assertHeld }: CreateOptions,
    refer: (mirror: Mirror) => Mirror,
  ): AsyncGenerator<OwnPost, void, void> {
    const held = { assertHeld };
    const sources = mirrors.map(({ source }) => source);
    const messages = ownMessages.since(to, sources, sinceMs, signal);
    const all = await finder.posted(to, mirrors, messages, others);
    // Messages that are changed below are read again.
    if (mirrors.some((mirror) => isToChange(all.get(mirror), mirror))) ownMessages.forget(to.id);
    const missing: Mirror[] = [];
    for (const mirror of mirrors) {
      const found = all.get(mirror);
      if (found && 'post' in found) {
        yield* outbox.post(to, missing.splice(0), { refer, signal, assertHeld });
        const current = refer(mirror);
        const shown = [mirror, current].some((one) => says(found, one))
          ? found.post
          : await awake(to, held, async () => editor.rewrite(found.post, current, held));
        if (shown) {
          yield shown;
          continue;
        }
      }
      const strays = found && 'strays' in found ? found.strays : [];
      for (const stray of strays)
        await awake(to, held, async () => editor.erase(stray, mirror.source, held));
      missing.push(strays.length > 0 ? quietly(mirror) : mirror);
    }
    yield* outbox.post(to, missing, { refer, signal, assertHeld });
  };

  return {
    filesBytes: FILES_BYTES,
    isShared: (posted) => ownPostOf(posted).handle.shared,
    async *create({ channel: to }, wanted, options) {
      channelIdOf(to);
      const mirrors = wanted.map(rendered);
      // What was posted before and may be changed has one turn; what is new is posted besides.
      const isBesides = options.isBackfill === true && !options.mayExist;
      using _ = await turns.take(isBesides ? `backfill ${to.id}` : to.id);
      const waiting = [...mirrors];
      const { signal, assertHeld } = options;
      /** The places of the mirrors of this call, by their sources. */
      const placed = new Map<string, MessageRef>();
      const refer = (mirror: Mirror): Mirror => {
        const ref = mirror.quote && placed.get(messageKey(mirror.quote.ref));
        return ref ? { ...mirror, quote: { ...mirror.quote, ref } } : mirror;
      };
      if (!options.mayExist) ownMessages.forget(to.id);
      try {
        const posting = options.mayExist
          ? createMissing(to, mirrors, options, refer)
          : outbox.post(to, mirrors, { refer, signal, assertHeld });
        for await (const post of posting) {
          const mirror = waiting.shift();
          if (!mirror) continue;
          placed.set(messageKey(mirror.source), { channel: to, id: post.ids[0] });
          yield noted(post, mirror);
        }
      } catch (thrown) {
        // A thread may have been deleted or locked without an event.
        if (!isRefusal(thrown, ...CLOSED) || !threads.forget(to.id)) throw toAppError(thrown);
        const lost = 'a standing thread is gone: the next try makes a new one';
        throw new AppError('unavailable', lost, { cause: thrown, retryable: true });
      }
    },
    update: async (posted, wanted, options = {}) =>
      inTurn(posted.channel, options, async () => {
        ownMessages.forget(posted.channel.id);
        const mirror = rendered(wanted);
        const shown =
          (await editor.rewrite(ownPostOf(posted), mirror, options)) ??
          (await postAnew(posted.channel, mirror, options));
        return noted(shown, mirror);
      }),
    remove: async (posted, source, held = {}) =>
      inTurn(posted.channel, held, async () => {
        ownMessages.forget(posted.channel.id);
        await editor.erase(ownPostOf(posted), source, held);
      }),
    unquote: async (posted, source, held = {}) =>
      inTurn(posted.channel, held, async () => {
        ownMessages.forget(posted.channel.id);
        await editor.unquote(ownPostOf(posted), source, held);
      }),
    removeOrphans: async ({ channel }, source, { assertHeld, ...only } = {}) =>
      inTurn(channel, { assertHeld }, async () => {
        const found = await finder.all(channel, source, only);
        if (found.length > 0) ownMessages.forget(channel.id);
        for (const each of found) await editor.erase(each, source, { assertHeld });
      }),
    pin: async ({ channel, id }, isPinned) => {
      const route = `/channels/${channelIdOf(channel)}/messages/pins/${id}` as const;
      await awake(channel, {}, async () => api.send(isPinned ? 'PUT' : 'DELETE', route, {}));
    },
    react: async ({ channel, id }, emoji, isPresent) => {
      const path = Routes.channelMessageOwnReaction(
        channelIdOf(channel),
        id,
        encodeURIComponent(emoji),
      );
      const sending = api.send(isPresent ? 'PUT' : 'DELETE', path, {});
      // One that is gone already is unknown.
      const isOver = (thrown: unknown): boolean =>
        !isPresent && isRefusal(thrown, RESTJSONErrorCodes.UnknownEmoji);
      await recover(sending, isOver);
    },
    changeThread: threads.change,
    openThread: async (channel, name, options) => ({
      channel: await threads.begin(channel, name, {
        ...options,
        opening: commandMentions.within(options.opening),
      }),
    }),
    thread: async (channel, name, { known, assertHeld } = {}) => ({
      channel: await threads.standing(channel, name, known?.channel.id, { assertHeld }),
    }),
  };
};
