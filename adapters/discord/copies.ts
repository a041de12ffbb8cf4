import { RESTJSONErrorCodes, Routes } from 'discord.js';
import { AppError, toAppError } from '../../src/errors.ts';
import type { Channel, MessageRef, Posted } from '../../src/model.ts';
import type { Copy, WatchPort } from '../../src/watch/port.ts';
import { findAllOf, findParts, findPosted, type Standing } from './already.ts';
import { personaParts, replyParts, sectionOf, withoutVoice, type Shown } from './copy-parts.ts';
import { isGone, isRefusal } from './errors.ts';
import { postedAt, readHandle, writeHandle } from './handles.ts';
import { isFinal, paced, redraw } from './pens.ts';
import { channelIdOf } from './ids.ts';
import { CONTENT_LIMIT, type Part } from './render.ts';
import { readSections, replaceSection, withoutSource, writeSections } from './sections.ts';
import { createSharedMessages, type SharedMessagesParts } from './shared-messages.ts';
import { createTurns } from '../../src/turns.ts';
import { isHookGone } from './webhook-pen.ts';

const byOf = ({ handle }: Posted): Shown =>
  readHandle(handle).webhookId === undefined ? 'bot' : 'webhook';

const textsOf = (copy: Copy, by: Shown): readonly Part[] =>
  copy.as ? personaParts(copy, by).texts : replyParts(copy);

/** Whether what stands says what the copy says; Discord trims what it is given. */
const says = ({ posted, contents }: Standing, copy: Copy): boolean => {
  const [content = ''] = contents;
  if (readHandle(posted.handle).shared) {
    const wanted = sectionOf(copy, byOf(posted))?.text;
    return readSections(content).some(({ text }) => text.trim() === wanted?.trim());
  }
  const wanted = textsOf(copy, byOf(posted)).map((part) => part.content.trim());
  return wanted.join('\0') === contents.map((each) => each.trim()).join('\0');
};

export const createCopies = (
  parts: SharedMessagesParts,
): Pick<WatchPort, 'copy' | 'recopy' | 'uncopy' | 'sweep'> => {
  const { api, outbox, ownMessages, standing } = parts;
  const turns = createTurns();
  const shared = createSharedMessages(parts);

  /** A standing thread falls asleep when nobody writes in it; only posting wakes it by itself. */
  const awake = async <T>({ id }: Channel, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (thrown) {
      if (!isRefusal(thrown, RESTJSONErrorCodes.InvalidActionOnArchivedThread)) throw thrown;
      await api.send('PATCH', Routes.channel(id), { body: { archived: false } });
      return work();
    }
  };

  const inTurn = async <T>(channel: Channel, work: () => Promise<T>): Promise<T> => {
    const done = await turns.take(channel.id);
    try {
      return await awake(channel, work);
    } finally {
      done();
    }
  };

  const recopyShared = async (posted: Posted, copy: Copy): Promise<Posted> => {
    const found = await shared.find(posted, copy.source);
    const { sections } = found;
    const rest = withoutSource(sections, copy.source);
    if (rest.length === sections.length) throw new AppError('not-found', 'a copy was taken away');
    const changed = sectionOf(copy, byOf(found.posted));
    const now = changed && replaceSection(sections, changed, copy.source);
    if (now && writeSections(now).length <= CONTENT_LIMIT) return shared.show(found, now);
    const handle = writeHandle({ ...readHandle(found.posted.handle), shared: false });
    if (rest.length === 0) return recopyOwn({ ...found.posted, handle }, copy);
    // It has outgrown the others: it gets a message of its own.
    const own = await outbox.postAlone(posted.channel, copy);
    try {
      await shared.show(found, rest);
    } catch (thrown) {
      if (isFinal(thrown)) await uncopy(own, copy.source);
      throw thrown;
    }
    return own;
  };

  /**
   * With what else stands of the copy: when a copy grows, a try that was cut off may have posted some
   * of the parts that are to be added.
   */
  const withParts = async (
    { channel, ids, handle }: Posted,
    copy: Copy,
  ): Promise<readonly string[]> => {
    const own = ownMessages(channel, [copy.source]);
    const found = await findParts(own, copy, readHandle(handle).webhookId);
    return [...ids, ...found.filter((id) => !ids.includes(id))];
  };

  const recopyOwn = async (posted: Posted, copy: Copy): Promise<Posted> => {
    const handle = readHandle(posted.handle);
    // What was spoken cannot be edited, neither there nor here.
    const voice = handle.voice ? posted.ids.slice(0, 1) : [];
    const pen = await standing.of(posted, {
      persona: copy.as,
      replyTo: copy.as ? undefined : copy.source,
    });
    const pace = async (): Promise<void> =>
      handle.webhookId === undefined
        ? undefined
        : outbox.pace(posted.channel, new AbortController().signal);
    const texts = textsOf(copy.as && !handle.voice ? withoutVoice(copy) : copy, byOf(posted));
    const isMore = voice.length + texts.length > posted.ids.length;
    const standingIds = isMore ? await withParts(posted, copy) : posted.ids;
    const ids = await redraw(paced(pen, pace), standingIds.slice(voice.length), texts);
    return postedAt(posted.channel, [...voice, ...ids], writeHandle(handle));
  };

  /** What a webhook that is gone has written cannot be changed any more, only be taken away. */
  const replace = async (posted: Posted, copy: Copy): Promise<Posted> => {
    await standing.erase(posted);
    outbox.forget(copy.source);
    const signal = new AbortController().signal;
    for await (const anew of copyAll(posted.channel, [copy], true, signal)) return anew;
    throw new AppError('internal', 'a copy was not posted');
  };

  const recopy = async (posted: Posted, copy: Copy): Promise<Posted> => {
    const isShared = readHandle(posted.handle).shared;
    try {
      return await (isShared ? recopyShared(posted, copy) : recopyOwn(posted, copy));
    } catch (thrown) {
      if (isHookGone(thrown)) return replace(posted, copy);
      throw thrown;
    }
  };

  const uncopy = async (posted: Posted, source: MessageRef): Promise<void> => {
    try {
      if (readHandle(posted.handle).shared) {
        const found = await shared.find(posted, source);
        await shared.show(found, withoutSource(found.sections, source));
      } else await standing.erase(posted);
    } catch (thrown) {
      if (!isGone(thrown)) throw thrown;
    }
    outbox.forget(source);
  };

  const copyAll = async function* (
    to: Channel,
    copies: readonly Copy[],
    again: boolean,
    signal: AbortSignal,
  ): AsyncGenerator<Posted, void, void> {
    if (!again) return yield* outbox.post(to, copies, signal);
    const sources = copies.map(({ source }) => source);
    const found = await findPosted(ownMessages(to, sources, signal), to, copies);
    let waiting: Copy[] = [];
    for (const copy of copies) {
      const one = found.get(copy);
      if (one && 'posted' in one) {
        yield* outbox.post(to, waiting, signal);
        waiting = [];
        yield says(one, copy) ? one.posted : await recopy(one.posted, copy);
        continue;
      }
      for (const stray of one?.strays ?? []) await uncopy(stray, copy.source);
      waiting.push(copy);
    }
    yield* outbox.post(to, waiting, signal);
  };

  return {
    async *copy(to, copies, { again, signal }) {
      channelIdOf(to);
      const done = await turns.take(to.id);
      try {
        yield* copyAll(to, copies, again, signal);
      } catch (thrown) {
        throw toAppError(thrown);
      } finally {
        done();
      }
    },
    recopy: async (posted, copy) => inTurn(posted.channel, async () => recopy(posted, copy)),
    uncopy: async (posted, source) => inTurn(posted.channel, async () => uncopy(posted, source)),
    sweep: async (from, source, marks) =>
      inTurn(from, async () => {
        channelIdOf(from);
        const found = await findAllOf(ownMessages(from, [source]), from, source, marks);
        for (const posted of found) await uncopy(posted, source);
      }),
  };
};
