import { RESTJSONErrorCodes, Routes } from 'discord.js';
import { AppError, toAppError } from '../../../src/errors.ts';
import type { Channel } from '../../../src/model/place.ts';
import { createKeyedMutex } from '../../../src/async/keyed-mutex.ts';
import type { Mirror, WatchPort } from '../../../src/ports/channel-feed.ts';
import { createMirrorEditor, says } from './mirror-editor.ts';
import { isRefusal } from '../errors.ts';
import { findAllOf, findPosted } from './find-posted.ts';
import { placedOf, postedOf, type Placed } from './handles.ts';
import { channelIdOf } from '../ids.ts';
import type { SharedMessagesDeps } from './shared-messages.ts';

export const createMirrors = (
  deps: SharedMessagesDeps,
): Pick<WatchPort, 'copy' | 'recopy' | 'uncopy' | 'sweep'> => {
  const { api, outbox, ownMessages } = deps;
  const editor = createMirrorEditor(deps);
  const turns = createKeyedMutex();

  /** A standing thread falls asleep when nobody writes in it; only posting wakes it by itself. */
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
    using _ = await turns.take(channel.id);
    return await awake(channel, work);
  };

  /** Posts a copy that was taken away to be replaced; a try that was cut off may have done so. */
  const postAnew = async (to: Channel, copy: Mirror): Promise<Placed> => {
    const own = ownMessages(to, [copy.source]);
    const found = (await findPosted(own, to, [copy])).get(copy);
    const former = found && ('placed' in found ? [found.placed] : found.strays);
    for (const each of former ?? []) await editor.erase(each, copy.source);
    for await (const anew of outbox.post(to, [copy])) return anew;
    throw new AppError('internal', 'a copy was not posted');
  };

  /** Leaves what stands already, or shows it anew; what is missing is posted. In their order. */
  const copyAgain = async function* (
    to: Channel,
    copies: readonly Mirror[],
    signal: AbortSignal,
  ): AsyncGenerator<Placed, void, void> {
    const sources = copies.map(({ source }) => source);
    const all = await findPosted(ownMessages(to, sources, signal), to, copies);
    const missing: Mirror[] = [];
    for (const copy of copies) {
      const found = all.get(copy);
      if (found && 'placed' in found) {
        yield* outbox.post(to, missing.splice(0), signal);
        const shown = says(found, copy)
          ? found.placed
          : await awake(to, async () => editor.rewrite(found.placed, copy));
        if (shown) {
          yield shown;
          continue;
        }
      }
      for (const stray of found && 'strays' in found ? found.strays : [])
        await awake(to, async () => editor.erase(stray, copy.source));
      missing.push(copy);
    }
    yield* outbox.post(to, missing, signal);
  };

  return {
    async *copy(to, copies, { again, signal }) {
      channelIdOf(to);
      using _ = await turns.take(to.id);
      try {
        const copying = again ? copyAgain(to, copies, signal) : outbox.post(to, copies, signal);
        for await (const each of copying) yield postedOf(each);
      } catch (thrown) {
        throw toAppError(thrown);
      }
    },
    recopy: async (posted, copy) =>
      inTurn(posted.channel, async () => {
        const shown = await editor.rewrite(placedOf(posted), copy);
        return postedOf(shown ?? (await postAnew(posted.channel, copy)));
      }),
    uncopy: async (posted, source) =>
      inTurn(posted.channel, async () => editor.erase(placedOf(posted), source)),
    sweep: async (from, source, marks) =>
      inTurn(from, async () => {
        channelIdOf(from);
        const found = await findAllOf(ownMessages(from, [source]), from, source, marks);
        for (const each of found) await editor.erase(each, source);
      }),
  };
};
