import { RESTJSONErrorCodes } from 'discord.js';
import type { Channel, MessageRef } from '../../../src/model/place.ts';
import { createLru } from '../../../src/async/lru.ts';
import type { Mirror, Persona } from '../../../src/ports/channel-feed.ts';
import { planBatches, type Batch } from './batches.ts';
import { named, personaParts, replyParts, withoutVoice } from './mirror-parts.ts';
import { isRefusal } from '../errors.ts';
import { tagOf } from './footers.ts';
import { placed, type Placed } from './handles.ts';
import { CONTENT_CHARS } from '../limits.ts';
import { botMessageWriter, nonceOf, type MessageWriter } from './message-writer.ts';
import { postParts, isFinal } from '../outbound/sync.ts';
import type { Part } from '../outbound/render.ts';
import { writeSections, type Section } from './sections.ts';
import { createWebhookWriter, type WebhookWriterDeps, type Written } from './webhook-writer.ts';
import { webhookChannelId } from './webhooks.ts';

/** Posts copies, together where rates ask for it. */
export interface Outbox {
  /** Yields where each stands, in their order. */
  post(to: Channel, copies: readonly Mirror[], signal?: AbortSignal): AsyncIterable<Placed>;
  /** Posts what stood in one message of somebody; in several where names make it too long for one. */
  repost(to: Channel, sections: readonly Section[], by: Persona): AsyncIterable<Placed>;
  /** Posts one by the bot, apart from others with which it was posted before. */
  postAlone(to: Channel, copy: Mirror): Promise<Placed>;
  /** Waits until a webhook may write once more there, and counts it. */
  pace(to: Channel): Promise<void>;
  /** What was posted of a source has been taken away: posting it again is no repetition. */
  forget(source: MessageRef): void;
}

const FORGOTTEN = 5_000;

/** Of a voice message: it may be another permission that is missing, or that for voice messages. */
const NO_VOICE = [
  RESTJSONErrorCodes.YouCannotSendVoiceMessagesInThisChannel,
  RESTJSONErrorCodes.MissingPermissions,
];

export const sectionsPart = (sections: readonly Section[]): Part => ({
  content: writeSections(sections),
  files: [],
});

const byBot = (to: Channel, { ids, shared, voice }: Written): Placed =>
  placed(to, ids, { shared, voice, webhookId: undefined });

const writeShared = async (pen: MessageWriter, sections: readonly Section[]): Promise<Written> => ({
  ids: [await pen.write(sectionsPart(sections), 0)],
  voice: false,
  shared: true,
});

/** The same sections, as many at once as one message takes. */
const fitting = (sections: readonly Section[]): Section[][] => {
  const groups: Section[][] = [];
  for (const section of sections) {
    const last = groups.at(-1);
    if (last && writeSections([...last, section]).length <= CONTENT_CHARS) last.push(section);
    else groups.push([section]);
  }
  return groups;
};

const partsOf = (batch: Batch): { voice: readonly Part[]; texts: readonly Part[] } => {
  if (batch.how === 'shared') return { voice: [], texts: [sectionsPart(batch.sections)] };
  const [copy] = batch.copies;
  return batch.how === 'reply'
    ? { voice: [], texts: replyParts(copy) }
    : personaParts(copy, batch.how);
};

export const createOutbox = ({ api, webhooks, rate }: WebhookWriterDeps): Outbox => {
  const writer = createWebhookWriter({ api, webhooks, rate });
  /** How often what was posted of a source was taken away: Discord remembers nonces for minutes. */
  const forgotten = createLru<string, number>(FORGOTTEN);

  const forget = (source: MessageRef): void => {
    const tag = tagOf(source);
    forgotten.set(tag, (forgotten.get(tag) ?? 0) + 1);
  };

  /** The channel is named too: Discord compares all nonces of one author. */
  const nonceFor = (to: Channel, { source, mark }: Mirror): ((index: number) => string) => {
    const tag = tagOf(source);
    return (index) => nonceOf(to.id, tag, mark, index, forgotten.get(tag) ?? 0);
  };

  /** Writes a batch, all of it or nothing. */
  const writeBatch = async (pen: MessageWriter, batch: Batch): Promise<Written> => {
    const [copy] = batch.copies as readonly [Mirror];
    const { voice, texts } = partsOf(batch);
    try {
      const ids = await postParts(pen, [...voice, ...texts]);
      return { ids, voice: voice.length > 0, shared: batch.how === 'shared' };
    } catch (thrown) {
      if (voice.length > 0 && isRefusal(thrown, ...NO_VOICE))
        return writeBatch(pen, { ...batch, copies: [withoutVoice(copy)] });
      if (isFinal(thrown)) forget(copy.source);
      throw thrown;
    }
  };

  const asBot = async (to: Channel, batch: Batch, signal?: AbortSignal): Promise<Placed> => {
    const [copy] = batch.copies as readonly [Mirror];
    const isReply = batch.how === 'reply' && copy.source.channel.id === to.id;
    const pen = botMessageWriter(api, to, {
      nonce: nonceFor(to, copy),
      ...(isReply ? { replyTo: copy.source } : {}),
      ...(signal ? { signal } : {}),
    });
    try {
      return byBot(to, await writeBatch(pen, batch));
    } catch (thrown) {
      if (!isRefusal(thrown, RESTJSONErrorCodes.UnknownMessage)) throw thrown;
      // What had this nonce was deleted by hand; it has another one from now on.
      return byBot(to, await writeBatch(pen, batch));
    }
  };

  const postBatch = async function* (
    to: Channel,
    batch: Batch,
    signal?: AbortSignal,
  ): AsyncGenerator<Placed, void, void> {
    const by = batch.how === 'shared' ? batch.by : batch.how;
    const [{ as }] = batch.copies as readonly [Mirror];
    const write = async (pen: MessageWriter): Promise<Written> => writeBatch(pen, batch);
    const whole =
      by === 'webhook' ? await writer.post(to, as, write, signal) : await asBot(to, batch, signal);
    if (whole) {
      for (let count = batch.copies.length; count > 0; count -= 1) yield whole;
      return;
    }
    // Without a webhook the bot says what was planned for it.
    for (const instead of planBatches(batch.copies, 0)) {
      const one = await asBot(to, instead, signal);
      for (let count = instead.copies.length; count > 0; count -= 1) yield one;
    }
  };

  return {
    async *post(to, copies, signal) {
      const hook = copies.some((copy) => copy.as) ? await webhooks.of(to) : undefined;
      const room = hook ? rate.room(webhookChannelId(to)) : 0;
      for (const batch of planBatches(copies, room)) {
        signal?.throwIfAborted();
        yield* postBatch(to, batch, signal);
      }
    },
    async *repost(to, sections, by) {
      const reposted = await writer.post(to, by, async (pen) => writeShared(pen, sections));
      if (reposted) return yield reposted;
      const told = sections.map(({ footer, text }) => {
        // The quote stands above the name, as everywhere.
        const [quoted = ''] = /^(?:-# ↪[^\n]*\n)+/.exec(text) ?? [];
        return { footer, text: quoted + named(by.name, text.slice(quoted.length)) };
      });
      for (const some of fitting(told))
        yield byBot(to, await writeShared(botMessageWriter(api, to), some));
    },
    postAlone: async (to, copy) => {
      // A copy posted alone needs another nonce than the shared message it came from.
      forget(copy.source);
      return asBot(to, { how: 'bot', copies: [copy] });
    },
    pace: async (to) => writer.pace(to),
    forget,
  };
};
