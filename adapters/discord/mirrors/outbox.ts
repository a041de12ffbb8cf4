import { RESTJSONErrorCodes } from 'discord.js';
import { createLru } from '../../../src/async/lru.ts';
import type { Channel, MessageRef } from '../../../src/model/place.ts';
import type { Mirror, Persona } from '../../../src/ports/mirrors.ts';
import type { Api } from '../api.ts';
import { isRefusal } from '../errors.ts';
import { CONTENT_CHARS } from '../limits.ts';
import { postParts, isFinal } from '../outbound/sync.ts';
import type { Part } from '../outbound/render.ts';
import { planBatches, type Batch } from './batches.ts';
import { tagOf, writeSections, type Section } from './footers.ts';
import { ownPost, type OwnPost } from './handles.ts';
import { botMessageWriter, nonceOf, type MessageWriter } from '../outbound/message-writer.ts';
import { named, partsOf, withoutVoice, type MirrorParts } from './parts.ts';
import type { WebhookRate } from './webhook-rate.ts';
import { webhookChannelId, type Webhooks } from './webhooks.ts';
import type { Writers, Written } from './writers.ts';

/** Posts mirrors, several in one message where rates ask for it. */
export interface Outbox {
  /** Yields where each stands, in their order. */
  post(to: Channel, mirrors: readonly Mirror[], signal?: AbortSignal): AsyncIterable<OwnPost>;
  /** Posts what stood in one message of somebody; in several where names make it too long for one. */
  repost(to: Channel, sections: readonly Section[], by: Persona): AsyncIterable<OwnPost>;
  /** Posts one by the bot, apart from others with which it was posted before. */
  postAlone(to: Channel, mirror: Mirror): Promise<OwnPost>;
  /** Notes that what was posted of a source has been deleted: posting it again is no repetition. */
  forget(source: MessageRef): void;
}

const FORGOTTEN = 5_000;

/** Refusals of a voice message: it may be another permission that is missing, or that for voice messages. */
const NO_VOICE = [
  RESTJSONErrorCodes.YouCannotSendVoiceMessagesInThisChannel,
  RESTJSONErrorCodes.MissingPermissions,
];

export const sectionsPart = (sections: readonly Section[]): Part => ({
  content: writeSections(sections),
  files: [],
});

const byBot = (to: Channel, { ids, shared, voice }: Written): OwnPost =>
  ownPost(to, ids, { shared, voice, webhookId: undefined });

const writeShared = async (
  writer: MessageWriter,
  sections: readonly Section[],
): Promise<Written> => ({
  ids: [await writer.write(sectionsPart(sections), 0)],
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

const batchParts = ({ by, mirrors: [mirror], sections }: Batch): MirrorParts =>
  sections.length > 0
    ? { voice: [], texts: [sectionsPart(sections)] }
    : partsOf(mirror, by === 'webhook' ? by : 'bot');

export const createOutbox = (deps: {
  readonly api: Api;
  readonly webhooks: Webhooks;
  readonly rate: WebhookRate;
  readonly writers: Writers;
}): Outbox => {
  const { api, webhooks, rate, writers } = deps;
  /** How often what was posted of a source was deleted: Discord remembers nonces for minutes. */
  const forgotten = createLru<string, number>(FORGOTTEN);

  const forget = (source: MessageRef): void => {
    const tag = tagOf(source);
    forgotten.set(tag, (forgotten.get(tag) ?? 0) + 1);
  };

  /** The channel is named too: Discord compares all nonces of one author. */
  const nonceFor = (to: Channel, { source, key, label }: Mirror): ((index: number) => string) => {
    const tag = tagOf(source);
    return (index) => nonceOf(to.id, tag, key, label, index, forgotten.get(tag) ?? 0);
  };

  /** Writes a batch, all of it or nothing. */
  const writeBatch = async (writer: MessageWriter, batch: Batch): Promise<Written> => {
    const [mirror] = batch.mirrors;
    const { voice, texts } = batchParts(batch);
    try {
      const ids = await postParts(writer, [...voice, ...texts]);
      return { ids, voice: voice.length > 0, shared: batch.sections.length > 0 };
    } catch (thrown) {
      if (voice.length > 0 && isRefusal(thrown, ...NO_VOICE))
        return writeBatch(writer, { ...batch, mirrors: [withoutVoice(mirror)] });
      if (isFinal(thrown)) forget(mirror.source);
      throw thrown;
    }
  };

  const asBot = async (to: Channel, batch: Batch, signal?: AbortSignal): Promise<OwnPost> => {
    const [mirror] = batch.mirrors;
    const isReply = batch.by === 'reply' && mirror.source.channel.id === to.id;
    const writer = botMessageWriter(api, to, {
      nonce: nonceFor(to, mirror),
      ...(isReply ? { replyTo: mirror.source } : {}),
      ...(signal ? { signal } : {}),
    });
    try {
      return byBot(to, await writeBatch(writer, batch));
    } catch (thrown) {
      if (!isRefusal(thrown, RESTJSONErrorCodes.UnknownMessage)) throw thrown;
      // What had this nonce was deleted by hand; it has another one from now on.
      return byBot(to, await writeBatch(writer, batch));
    }
  };

  const postBatch = async function* (
    to: Channel,
    batch: Batch,
    signal?: AbortSignal,
  ): AsyncGenerator<OwnPost, void, void> {
    const { by, mirrors } = batch;
    const post =
      by === 'webhook'
        ? await writers.throughWebhook(
            to,
            mirrors[0].as,
            (writer) => writeBatch(writer, batch),
            signal,
          )
        : await asBot(to, batch, signal);
    if (post) yield* mirrors.map(() => post);
    // Without a webhook the bot says what was planned for it.
    else for (const instead of planBatches(mirrors, 0)) yield* postBatch(to, instead, signal);
  };

  return {
    async *post(to, mirrors, signal) {
      const hook = mirrors.some((mirror) => mirror.as) ? await webhooks.of(to) : undefined;
      const room = hook ? rate.room(webhookChannelId(to)) : 0;
      for (const batch of planBatches(mirrors, room)) {
        signal?.throwIfAborted();
        yield* postBatch(to, batch, signal);
      }
    },
    async *repost(to, sections, by) {
      const write = (writer: MessageWriter): Promise<Written> => writeShared(writer, sections);
      const reposted = await writers.throughWebhook(to, by, write);
      if (reposted) return yield reposted;
      const told = sections.map(({ footer, text }) => {
        // The quote stands above the name, as everywhere.
        const [quoted = ''] = /^(?:-# ↪[^\n]*\n)+/.exec(text) ?? [];
        return { footer, text: quoted + named(by.name, text.slice(quoted.length)) };
      });
      for (const some of fitting(told))
        yield byBot(to, await writeShared(botMessageWriter(api, to), some));
    },
    postAlone: async (to, mirror) => {
      // A mirror posted alone needs another nonce than the shared message it came from.
      forget(mirror.source);
      return asBot(to, { by: 'bot', mirrors: [mirror], sections: [] });
    },
    forget,
  };
};
