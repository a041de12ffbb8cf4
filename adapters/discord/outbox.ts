import { RESTJSONErrorCodes } from 'discord.js';
import { AppError } from '../../src/errors.ts';
import type { Channel, MessageRef, Posted } from '../../src/model.ts';
import type { Copy } from '../../src/watch/port.ts';
import type { Api } from './api.ts';
import { planBatches, type Batch } from './batches.ts';
import { personaParts, replyParts, withoutVoice } from './copy-parts.ts';
import { isRefusal } from './errors.ts';
import { tagOf } from './footers.ts';
import { writeHandle } from './handles.ts';
import { botPen, isFinal, nonceOf, redraw, type Pen } from './pens.ts';
import { isHookGone, webhookPen, type WebhookKey } from './webhook-pen.ts';
import type { Part } from './render.ts';
import { writeSections, type Section } from './sections.ts';
import { threadIdOf } from './standing.ts';
import type { WebhookRate } from './webhook-rate.ts';
import { webhookChannelId, type Webhooks } from './webhooks.ts';

export interface OutboxParts {
  readonly api: Api;
  readonly webhooks: Webhooks;
  readonly rate: WebhookRate;
}

/** Posts copies, together where rates ask for it. */
export interface Outbox {
  /** Yields where each stands, in their order. */
  post(to: Channel, copies: readonly Copy[], signal: AbortSignal): AsyncIterable<Posted>;
  /** Posts one by the bot, apart from others. */
  postAlone(to: Channel, copy: Copy): Promise<Posted>;
  /** Waits until a webhook may write once more there, and counts it. */
  pace(to: Channel, signal: AbortSignal): Promise<void>;
  /** What was posted of a source has been taken away: posting it again is no repetition. */
  forget(source: MessageRef): void;
}

const FORGOTTEN = 5_000;
const EXHAUSTED_MS = 60_000;

export const sectionsPart = (sections: readonly Section[]): Part => ({
  content: writeSections(sections),
  files: [],
});

export const postedAt = (to: Channel, ids: readonly string[], handle: string): Posted => ({
  channel: to,
  ids: ids as [string, ...string[]],
  handle,
});

/** Refused, so that nothing of it was posted. */
const isTooMuch = (thrown: unknown): thrown is AppError =>
  thrown instanceof AppError && thrown.code === 'rate-limited';

const partsOf = (batch: Batch): { voice: readonly Part[]; texts: readonly Part[] } => {
  if (batch.how === 'shared') return { voice: [], texts: [sectionsPart(batch.sections)] };
  const [copy] = batch.copies;
  return batch.how === 'reply'
    ? { voice: [], texts: replyParts(copy) }
    : personaParts(copy, batch.how);
};

export const createOutbox = ({ api, webhooks, rate }: OutboxParts): Outbox => {
  /** How often what was posted of a source was taken away: Discord remembers nonces for minutes. */
  const forgotten = new Map<string, number>();

  const forget = (source: MessageRef): void => {
    const tag = tagOf(source);
    const times = forgotten.get(tag) ?? 0;
    forgotten.delete(tag);
    forgotten.set(tag, times + 1);
    if (forgotten.size > FORGOTTEN) forgotten.delete(forgotten.keys().next().value as string);
  };

  /** What a copy says alone is another message than the one that it shared with others before. */
  const nonceFor =
    ({ source, mark }: Copy, how: 'batch' | 'alone') =>
    (index: number): string =>
      nonceOf(tagOf(source), mark, index, forgotten.get(tagOf(source)) ?? 0, how);

  const pace: Outbox['pace'] = async (to, signal) => rate.take(webhookChannelId(to), signal);

  /** Writes a batch, all of it or nothing; resolves with the ids and whether a voice message leads. */
  const writeBatch = async (
    pen: Pen,
    batch: Batch,
  ): Promise<{ readonly ids: readonly string[]; readonly voice: boolean }> => {
    const [copy] = batch.copies as readonly [Copy];
    const { voice, texts } = partsOf(batch);
    try {
      return { ids: await redraw(pen, [], [...voice, ...texts]), voice: voice.length > 0 };
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
    const { ids, voice } = await writeBatch(pen, batch);
    const shared = batch.how === 'shared';
    return postedAt(to, ids, writeHandle({ shared, voice, webhookId: undefined }));
  };

  const throughWebhook = async (
    to: Channel,
    batch: Batch,
    hook: WebhookKey,
    written: string[],
    signal: AbortSignal,
  ): Promise<Posted> => {
    const [copy] = batch.copies as readonly [Copy];
    const pen = webhookPen(api, hook, {
      threadId: threadIdOf(to),
      signal,
      ...(copy.as ? { persona: copy.as } : {}),
    });
    const counting: Pen = {
      ...pen,
      write: async (part, index) => {
        await pace(to, signal);
        const id = await pen.write(part, index);
        written.push(id);
        return id;
      },
    };
    const { ids, voice } = await writeBatch(counting, batch);
    const shared = batch.how === 'shared';
    return postedAt(to, ids, writeHandle({ shared, voice, webhookId: hook.id }));
  };

  /** Undefined when no webhook can be had or used now. One that was deleted by hand is made anew once. */
  const tryWebhook = async (
    to: Channel,
    batch: Batch,
    signal: AbortSignal,
  ): Promise<Posted | undefined> => {
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const hook = await webhooks.of(to);
      if (!hook) return undefined;
      const written: string[] = [];
      try {
        return await throughWebhook(to, batch, hook, written, signal);
      } catch (thrown) {
        const tooMuch = isTooMuch(thrown);
        if (tooMuch) rate.exhaust(webhookChannelId(to), thrown.retryAfterMs ?? EXHAUSTED_MS);
        else if (isHookGone(thrown)) webhooks.forget(webhookChannelId(to));
        else throw thrown;
        // The next try finds the parts that stand, and clears them away.
        if (written.length > 0)
          throw new AppError('unavailable', 'a copy was posted in part', {
            cause: thrown,
            retryable: true,
          });
        if (tooMuch) return undefined;
      }
    }
    return undefined;
  };

  const postBatch = async function* (to: Channel, batch: Batch, signal: AbortSignal) {
    const by = batch.how === 'shared' ? batch.by : batch.how;
    const posted =
      by === 'webhook'
        ? await tryWebhook(to, batch, signal)
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
    postAlone: async (to, copy) => asBot(to, { how: 'bot', copies: [copy] }, 'alone'),
    pace,
    forget,
  };
};
