import { RESTJSONErrorCodes } from 'discord.js';
import type { Channel, MessageRef, Posted } from '../../src/model.ts';
import { createRecent } from '../../src/recent.ts';
import type { Copy, Persona } from '../../src/watch/port.ts';
import { planBatches, type Batch } from './batches.ts';
import { named, personaParts, replyParts, withoutVoice } from './copy-parts.ts';
import { isRefusal } from './errors.ts';
import { tagOf } from './footers.ts';
import { postedAt, writeHandle } from './handles.ts';
import { botPen, isFinal, nonceOf, redraw, type Pen } from './pens.ts';
import type { Part } from './render.ts';
import { writeSections, type Section } from './sections.ts';
import { createWebhookWriter, type WebhookWriterParts, type Written } from './webhook-writer.ts';
import { webhookChannelId } from './webhooks.ts';

/** Posts copies, together where rates ask for it. */
export interface Outbox {
  /** Yields where each stands, in their order. */
  post(to: Channel, copies: readonly Copy[], signal: AbortSignal): AsyncIterable<Posted>;
  /** Posts what stood in one message of somebody, in one message. */
  repost(to: Channel, sections: readonly Section[], by: Persona): Promise<Posted>;
  /** Posts one by the bot, apart from others. */
  postAlone(to: Channel, copy: Copy): Promise<Posted>;
  /** Waits until a webhook may write once more there, and counts it. */
  pace(to: Channel, signal: AbortSignal): Promise<void>;
  /** What was posted of a source has been taken away: posting it again is no repetition. */
  forget(source: MessageRef): void;
}

const FORGOTTEN = 5_000;

export const sectionsPart = (sections: readonly Section[]): Part => ({
  content: writeSections(sections),
  files: [],
});

const byBot = (to: Channel, { ids, ...written }: Written): Posted =>
  postedAt(to, ids, writeHandle({ ...written, webhookId: undefined }));

const writeShared = async (pen: Pen, sections: readonly Section[]): Promise<Written> => ({
  ids: [await pen.write(sectionsPart(sections), 0)],
  voice: false,
  shared: true,
});

const partsOf = (batch: Batch): { voice: readonly Part[]; texts: readonly Part[] } => {
  if (batch.how === 'shared') return { voice: [], texts: [sectionsPart(batch.sections)] };
  const [copy] = batch.copies;
  return batch.how === 'reply'
    ? { voice: [], texts: replyParts(copy) }
    : personaParts(copy, batch.how);
};

export const createOutbox = ({ api, webhooks, rate }: WebhookWriterParts): Outbox => {
  const writer = createWebhookWriter({ api, webhooks, rate });
  /** How often what was posted of a source was taken away: Discord remembers nonces for minutes. */
  const forgotten = createRecent<string, number>(FORGOTTEN);

  const forget = (source: MessageRef): void => {
    const tag = tagOf(source);
    forgotten.set(tag, (forgotten.get(tag) ?? 0) + 1);
  };

  /** What a copy says alone is another message than the one that it shared with others before. */
  const nonceFor =
    ({ source, mark }: Copy, how: 'batch' | 'alone') =>
    (index: number): string =>
      nonceOf(tagOf(source), mark, index, forgotten.get(tagOf(source)) ?? 0, how);

  /** Writes a batch, all of it or nothing. */
  const writeBatch = async (pen: Pen, batch: Batch): Promise<Written> => {
    const [copy] = batch.copies as readonly [Copy];
    const { voice, texts } = partsOf(batch);
    try {
      const ids = await redraw(pen, [], [...voice, ...texts]);
      return { ids, voice: voice.length > 0, shared: batch.how === 'shared' };
    } catch (thrown) {
      if (isRefusal(thrown, RESTJSONErrorCodes.YouCannotSendVoiceMessagesInThisChannel))
        return writeBatch(pen, { ...batch, copies: [withoutVoice(copy)] });
      if (isFinal(thrown)) forget(copy.source);
      throw thrown;
    }
  };

  const asBot = async (
    to: Channel,
    batch: Batch,
    how: 'batch' | 'alone',
    signal?: AbortSignal,
  ): Promise<Posted> => {
    const [copy] = batch.copies as readonly [Copy];
    const isReply = batch.how === 'reply' && copy.source.channel.id === to.id;
    const pen = botPen(api, to, {
      nonce: nonceFor(copy, how),
      ...(isReply ? { replyTo: copy.source } : {}),
      ...(signal ? { signal } : {}),
    });
    return byBot(to, await writeBatch(pen, batch));
  };

  const postBatch = async function* (to: Channel, batch: Batch, signal: AbortSignal) {
    const by = batch.how === 'shared' ? batch.by : batch.how;
    const [{ as }] = batch.copies as readonly [Copy];
    const write = async (pen: Pen): Promise<Written> => writeBatch(pen, batch);
    const posted =
      by === 'webhook'
        ? await writer.post(to, as, write, signal)
        : await asBot(to, batch, 'batch', signal);
    if (posted) {
      for (let count = batch.copies.length; count > 0; count -= 1) yield posted;
      return;
    }
    // Without a webhook the bot says what was planned for it.
    for (const instead of planBatches(batch.copies, 0)) {
      const one = await asBot(to, instead, 'batch', signal);
      for (let count = instead.copies.length; count > 0; count -= 1) yield one;
    }
  };

  return {
    async *post(to, copies, signal) {
      const hook = copies.some((copy) => copy.as) ? await webhooks.of(to) : undefined;
      const room = hook ? rate.room(webhookChannelId(to)) : 0;
      for (const batch of planBatches(copies, room)) {
        signal.throwIfAborted();
        yield* postBatch(to, batch, signal);
      }
    },
    repost: async (to, sections, by) => {
      const { signal } = new AbortController();
      const posted = await writer.post(to, by, async (pen) => writeShared(pen, sections), signal);
      const told = sections.map(({ footer, text }) => ({ footer, text: named(by.name, text) }));
      return posted ?? byBot(to, await writeShared(botPen(api, to), told));
    },
    postAlone: async (to, copy) => asBot(to, { how: 'bot', copies: [copy] }, 'alone'),
    pace: async (to, signal) => writer.pace(to, signal),
    forget,
  };
};
