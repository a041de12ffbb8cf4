import { DAY_MS } from '../../../src/async/clock.ts';
import { createKeyedMutex } from '../../../src/async/locks.ts';
import { AppError } from '../../../src/errors.ts';
import { refusedAs } from '../errors.ts';
import { channelIdOf, PLATFORM, positionOf, writtenMsOf } from '../ids.ts';
import { renderPart } from '../outbound/render.ts';
import { emojiNameOf } from '../rich-text/atoms.ts';
import type { Uploads } from '../outbound/uploads.ts';
import { createMirrorFiles } from './files.ts';
import { foundOf, type FoundMessages } from './own-messages.ts';
import { isMetadataOf, threadMetadataOf, readHandle } from './metadata.ts';
import { messageKey, type Channel, type MessageRef } from '../../../src/model/place.ts';
import { paragraph, styled, text, type RichText } from '../../../src/rich-text/rich-text.ts';
import type { WhileHeld } from '../../../src/ports/processes.ts';
import type { CreateOptions, Mirror, Mirrors, MirrorTarget } from '../../../src/ports/mirrors.ts';
import { createMirrorWriter, withMention, type MirrorWriterDeps } from './mirror-writer.ts';

/** Time back to which mirrors of messages of other platforms are looked for. */
const FOREIGN_MS = DAY_MS;
/** Time back to which a thread is looked for that was begun and not recorded. */
const BEGUN_MS = DAY_MS;

/** The earliest time at which a mirror of a message can have been posted, ms since 1970. */
const writtenMs = ({ channel, id }: MessageRef): number =>
  channel.space.platform === PLATFORM ? writtenMsOf(positionOf(id)) : Date.now() - FOREIGN_MS;

export interface MirrorsDeps extends Omit<MirrorWriterDeps, 'files'> {
  readonly uploads: Uploads;
  /** The most bytes of a message's files that are copied. */
  readonly filesBytes: number;
}

export const createMirrors = (deps: MirrorsDeps): Mirrors => {
  const { api, uploads, writer, threads, ownMessages, filesBytes, names } = deps;
  const turns = createKeyedMutex();
  const files = createMirrorFiles(uploads, writer, names);
  const mirrorWriter = createMirrorWriter({ ...deps, files });

  const findPosted = async (
    target: MirrorTarget,
    mirrors: readonly Mirror[],
    { sinceMs, signal }: CreateOptions,
  ): Promise<ReadonlyMap<Mirror, FoundMessages>> => {
    const rootOf = async (mirror: Mirror): Promise<string | undefined> => {
      try {
        return await mirrorWriter.threadFor(target, mirror);
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

  /** Posts the first message of a thread, which is found again by a name. */
  const beginThread = async (
    channel: Channel,
    name: string,
    held: WhileHeld,
    tree: RichText = [paragraph(styled('bold', text(name)))],
  ): Promise<MirrorTarget> => {
    const [ts] = await writer.post(channel, [renderPart(tree)], {
      metadata: () => threadMetadataOf(name),
      ...held,
    });
    if (ts === undefined) throw new AppError('internal', 'a thread was not begun');
    threads.note(channel, ts, ts);
    return { channel, threadId: ts };
  };

  return {
    filesBytes,
    async *create(target, mirrors, options) {
      const channelId = channelIdOf(target.channel);
      // Mirrors of other sources: the rate limiter has those go first that are reported now.
      using _ = await turns.take(options.isBackfill ? `backfill ${channelId}` : channelId);
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
          ? await mirrorWriter.complete(target, mirror, known, earlier, held)
          : await mirrorWriter.post(
              target,
              // What an interrupted try posted has notified already.
              known?.texts.length ? withMention(mirror, undefined) : mirror,
              earlier,
              options,
            );
        earlier.set(messageKey(mirror.source), posted.ids[0]);
        yield posted;
      }
    },
    update: async (posted, mirror, options = {}) => {
      using _ = await turns.take(channelIdOf(posted.channel));
      return await mirrorWriter.rewrite(posted, mirror, options);
    },
    unquote: async (posted, _source, held = {}) => {
      using _ = await turns.take(channelIdOf(posted.channel));
      await mirrorWriter.unquote(posted, held);
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
    pin: async ({ channel, id }, isPinned) => {
      const where = { channel: channelIdOf(channel), timestamp: id };
      const asking = api.call(channel.space, isPinned ? 'pins.add' : 'pins.remove', where);
      await refusedAs(asking, 'already_pinned', 'no_pin');
    },
    react: async ({ channel, id }, emoji, isPresent) => {
      const name = emojiNameOf(emoji);
      if (name === undefined) throw new AppError('unsupported', 'Slack has no such emoji');
      const where = { channel: channelIdOf(channel), timestamp: id, name };
      const method = isPresent ? 'reactions.add' : 'reactions.remove';
      await refusedAs(api.call(channel.space, method, where), 'already_reacted', 'no_reaction');
    },
    openThread: async (channel, _, { key, from, opening, mayExist, sinceMs, assertHeld }) => {
      // What stands in a thread itself begins none.
      if (from && (await threads.rootOf(from)) === from.id) return { channel, threadId: from.id };
      const [begun] = mayExist ? await ownMessages.begunThreads(channel, key, sinceMs) : [];
      return begun === undefined
        ? beginThread(channel, key, { assertHeld }, opening)
        : { channel, threadId: begun };
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
