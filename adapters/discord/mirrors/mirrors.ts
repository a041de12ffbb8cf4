import { RESTJSONErrorCodes, Routes } from 'discord.js';
import { isRefusal } from '../errors.ts';
import { channelIdOf } from '../ids.ts';
import { FILES_BYTES } from '../limits.ts';
import { createMirrorEditor, says } from './editor.ts';
import { createFinder, createReplyKeys } from './find.ts';
import type { SharedMessagesDeps } from './shared-messages.ts';
import { type OwnPost, ownPostOf, postedOf } from './writers.ts';
import type { Threads } from '../threads.ts';
import { createKeyedMutex } from '../../../src/async/keyed-mutex.ts';
import { AppError, toAppError } from '../../../src/errors.ts';
import type { Channel } from '../../../src/model/place.ts';
import { asText, map } from '../../../src/model/walk-rich-text.ts';
import type { CreateOptions, Mirror, Mirrors } from '../../../src/ports/mirrors.ts';

/** Discord's refusals for a thread that is deleted, or locked so that the bot cannot unarchive it. */
const CLOSED = [
  RESTJSONErrorCodes.UnknownChannel,
  RESTJSONErrorCodes.InvalidActionOnArchivedThread,
  RESTJSONErrorCodes.ThreadLocked,
];

/** A mirror as it stands in a channel: in another server its mentions mean nobody, and become names. */
const fitFor = ({ space }: Channel, mirror: Mirror): Mirror => {
  const { content, source } = mirror;
  if (source.channel.space.id === space.id) return mirror;
  const text = map(content.text, (node) => (node.kind === 'mention' ? asText(node) : node));
  return { ...mirror, content: { ...content, text } };
};

export const createMirrors = (
  deps: SharedMessagesDeps & { readonly threads: Threads },
): Mirrors => {
  const { api, outbox, ownMessages, threads } = deps;
  const claims = createReplyKeys();
  const finder = createFinder(ownMessages, claims);
  const editor = createMirrorEditor({ ...deps, finder });
  const turns = createKeyedMutex();

  /** Unarchives an inactive thread where needed; by itself only posting does so. */
  const awake = async <T>({ id }: Channel, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (thrown) {
      if (!isRefusal(thrown, RESTJSONErrorCodes.InvalidActionOnArchivedThread)) throw thrown;
      try {
        await api.send('PATCH', Routes.channel(id), { body: { archived: false } });
      } catch (refused) {
        throw toAppError(refused).code === 'forbidden' ? thrown : refused;
      }
      return work();
    }
  };

  const inTurn = async <T>(channel: Channel, work: () => Promise<T>): Promise<T> => {
    channelIdOf(channel);
    using _ = await turns.take(channel.id);
    return await awake(channel, work);
  };

  /** Posts a mirror again that was deleted to be replaced; an interrupted try may have posted it. */
  const postAnew = async (to: Channel, mirror: Mirror): Promise<OwnPost> => {
    const found = (await finder.posted(to, [mirror])).get(mirror);
    const former = found && ('post' in found ? [found.post] : found.strays);
    for (const each of former ?? []) await editor.erase(each, mirror.source);
    for await (const anew of outbox.post(to, [mirror])) return anew;
    throw new AppError('internal', 'a mirror was not posted');
  };

  /** Keeps or updates existing mirrors and posts missing ones; yields them in order. */
  const createMissing = async function* (
    to: Channel,
    mirrors: readonly Mirror[],
    { others, signal }: CreateOptions,
  ): AsyncGenerator<OwnPost, void, void> {
    const all = await finder.posted(to, mirrors, others, signal);
    const missing: Mirror[] = [];
    for (const mirror of mirrors) {
      const found = all.get(mirror);
      if (found && 'post' in found) {
        yield* outbox.post(to, missing.splice(0), signal);
        const shown = says(found, mirror)
          ? found.post
          : await awake(to, async () => editor.rewrite(found.post, mirror));
        if (shown) {
          yield shown;
          continue;
        }
      }
      for (const stray of found && 'strays' in found ? found.strays : [])
        await awake(to, async () => editor.erase(stray, mirror.source));
      missing.push(mirror);
    }
    yield* outbox.post(to, missing, signal);
  };

  return {
    filesBytes: FILES_BYTES,
    async *create({ channel: to }, wanted, options) {
      channelIdOf(to);
      const mirrors = wanted.map((mirror) => fitFor(to, mirror));
      using _ = await turns.take(to.id);
      const left = [...mirrors];
      try {
        const posting = options.mayExist
          ? createMissing(to, mirrors, options)
          : outbox.post(to, mirrors, options.signal);
        for await (const post of posting) {
          const mirror = left.shift();
          if (mirror) claims.note(post.ids, mirror);
          yield postedOf(post);
        }
      } catch (thrown) {
        // A thread may have been deleted or locked without an event.
        if (!isRefusal(thrown, ...CLOSED) || !threads.forget(to.id)) throw toAppError(thrown);
        const lost = 'a standing thread is gone: the next try makes a new one';
        throw new AppError('unavailable', lost, { cause: thrown, retryable: true });
      }
    },
    update: async (posted, wanted) =>
      inTurn(posted.channel, async () => {
        const mirror = fitFor(posted.channel, wanted);
        const shown =
          (await editor.rewrite(ownPostOf(posted), mirror)) ??
          (await postAnew(posted.channel, mirror));
        claims.note(shown.ids, mirror);
        return postedOf(shown);
      }),
    remove: async (posted, source) =>
      inTurn(posted.channel, async () => editor.erase(ownPostOf(posted), source)),
    removeOrphans: async ({ channel }, source, only) =>
      inTurn(channel, async () => {
        for (const each of await finder.all(channel, source, only))
          await editor.erase(each, source);
      }),
    thread: async (channel, name) => ({ channel: await threads.standing(channel, name) }),
  };
};
