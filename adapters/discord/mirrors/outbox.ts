import { RESTJSONErrorCodes } from 'discord.js';
import type { Api, RequestGuard } from '../api.ts';
import { isRefusal } from '../errors.ts';
import { CONTENT_CHARS } from '../limits.ts';
import {
  type FooterForm,
  formOf,
  labelText,
  type MirrorParts,
  partsOf,
  quietly,
  type Section,
  sectionOf,
  tagOf,
  underName,
  withoutVoice,
  type WriterKind,
  writeSections,
} from './parts.ts';
import { webhookChannelId, type WebhookRate, type Webhooks } from './webhooks.ts';
import { ownPost, type OwnPost } from '../ids.ts';
import type { Writers, Written } from './writers.ts';
import {
  botMessageWriter,
  nonceOf,
  isFinal,
  syncParts,
  type MessageWriter,
} from '../outbound/message-writer.ts';
import type { Part } from '../outbound/render.ts';
import { type Clock, sleep } from '../../../src/async/clock.ts';
import { createLru } from '../../../src/async/lru.ts';
import type { Channel, MessageRef } from '../../../src/model/place.ts';
import type { WhileHeld } from '../../../src/ports/processes.ts';
import type { Mirror, Persona } from '../../../src/ports/mirrors.ts';

export interface Batch {
  /** Writer of the messages; a reply is posted by the bot. */
  readonly by: 'reply' | WriterKind;
  readonly mirrors: readonly [Mirror, ...Mirror[]];
  /** Sections of mirrors that share a message; empty where the only mirror has messages of its own. */
  readonly sections: readonly Section[];
}

/** Puts consecutive mirrors into one message where they may share one and it stays within the limit. */
const gather = (
  mirrors: readonly Mirror[],
  by: WriterKind,
  mayShare: (a: Mirror, b: Mirror) => boolean,
  form: FooterForm = 'link',
): Batch[] => {
  const batches: { by: WriterKind; mirrors: [Mirror, ...Mirror[]]; sections: Section[] }[] = [];
  for (const mirror of mirrors) {
    const section = sectionOf(mirror, by, form);
    const last = batches.at(-1);
    const joins =
      section &&
      last?.sections.length &&
      mayShare(last.mirrors[0], mirror) &&
      writeSections([...last.sections, section]).length <= CONTENT_CHARS;
    if (joins) {
      last.mirrors.push(mirror);
      last.sections.push(section);
    } else batches.push({ by, mirrors: [mirror], sections: section ? [section] : [] });
  }
  // A webhook's only mirror needs no section; the bot's message may be shared later.
  return batches.map((batch) =>
    by === 'webhook' && batch.mirrors.length === 1 ? { ...batch, sections: [] } : batch,
  );
};

/** Gathers mirrors of several people for the bot, without links where that saves messages. */
const gatherByBot = (mirrors: readonly Mirror[]): Batch[] => {
  const [linked, tagged] = (['link', 'tag'] as const).map((form) =>
    gather(mirrors, 'bot', () => true, form),
  ) as [Batch[], Batch[]];
  return tagged.length < linked.length ? tagged : linked;
};

const isSamePersona = (a: Mirror, b: Mirror): boolean =>
  a.as?.name === b.as?.name && a.as?.avatarUrl === b.as?.avatarUrl;

const postsOf = ({ mirrors: [mirror], sections }: Batch): number => {
  if (sections.length > 0) return 1;
  const { voice, texts } = partsOf(mirror, 'webhook');
  return voice.length + texts.length;
};

/** Number of webhook posts that mirrors take, each on its own. */
const postsAlone = (mirrors: readonly Mirror[]): number =>
  mirrors
    .filter((mirror) => mirror.as)
    .reduce((sum, mirror) => sum + postsOf({ by: 'webhook', mirrors: [mirror], sections: [] }), 0);

/** Plans mirrors under their authors' names, in order, with as many webhook posts as `room` allows. */
const planPersonas = (mirrors: readonly Mirror[], room: number): Batch[] => {
  const alone = mirrors.map((mirror): Batch => ({
    by: 'webhook',
    mirrors: [mirror],
    sections: [],
  }));
  if (postsAlone(mirrors) <= room) return alone;
  const batches: Batch[] = [];
  let free = room;
  let over: Mirror[] = [];
  const flush = (): void => {
    batches.push(...gatherByBot(over));
    over = [];
  };
  for (const batch of gather(mirrors, 'webhook', isSamePersona)) {
    const posts = postsOf(batch);
    if (posts > free) over.push(...batch.mirrors);
    else {
      flush();
      free -= posts;
      batches.push(batch);
    }
  }
  flush();
  return batches;
};

/**
 * Plans how mirrors are posted when webhooks may post `room` messages: each on its own while that
 * is enough; otherwise consecutive mirrors of one person together, and the rest by the bot, several
 * people in a message. The order stays.
 */
export const planBatches = (mirrors: readonly Mirror[], room: number): readonly Batch[] => {
  const batches: Batch[] = [];
  let personas: Mirror[] = [];
  const flush = (): void => {
    if (personas.length === 0) return;
    const used = batches.reduce(
      (sum, batch) => sum + (batch.by === 'webhook' ? postsOf(batch) : 0),
      0,
    );
    batches.push(...planPersonas(personas, room - used));
    personas = [];
  };
  for (const mirror of mirrors) {
    if (mirror.as) personas.push(mirror);
    else {
      flush();
      batches.push({ by: 'reply', mirrors: [mirror], sections: [] });
    }
  }
  flush();
  return batches;
};

const FORGOTTEN = 5_000;
const CHANNELS = 5_000;

/** Refusals of a voice message: its permission may be missing, or another one. */
const NO_VOICE = [
  RESTJSONErrorCodes.YouCannotSendVoiceMessagesInThisChannel,
  RESTJSONErrorCodes.MissingPermissions,
];

export const sectionsPart = (sections: readonly Section[]): Part => ({
  content: writeSections(sections),
  files: [],
  notifies: sections.flatMap(({ notifies = [] }) => notifies),
});

const toldKey = ({ id }: Channel, { source }: Mirror): string => `${id} ${tagOf(source)}`;

/** A section that notifies nobody, whom it mentions all the same. */
const silent = ({ footer, text }: Section): Section => ({ footer, text });

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

/** A batch with the quotes that are right now; unchanged where its message would be too long. */
const referred = (batch: Batch, refer: (mirror: Mirror) => Mirror): Batch => {
  const [first, ...rest] = batch.mirrors;
  const mirrors: Batch['mirrors'] = [refer(first), ...rest.map(refer)];
  if (mirrors.every((mirror, at) => mirror === batch.mirrors[at])) return batch;
  const by = batch.by === 'webhook' ? 'webhook' : 'bot';
  const sections = batch.sections.map((section, at) => {
    const mirror = mirrors[at];
    return (mirror && sectionOf(mirror, by, formOf(section.footer))) ?? section;
  });
  return writeSections(sections).length > CONTENT_CHARS ? batch : { ...batch, mirrors, sections };
};

interface PostOptions extends RequestGuard {
  readonly refer?: (mirror: Mirror) => Mirror;
}

export type BotTurns = ReturnType<typeof createBotTurns>;

/**
 * Creates the turns of the bot's messages for several people: evenly apart within what Discord allows, since each
 * holds all that waited for it. As many at once as are allowed would be small ones, and then all would wait.
 */
export const createBotTurns = (clock: Clock) => {
  /** Times of the next messages, on the clock, by channel. */
  const nextMs = createLru<string, number>(CHANNELS);
  return {
    /** Notes how many messages Discord allows in a channel until its window ends. */
    note: (channelId: string, remaining: number, windowMs: number): void =>
      nextMs.set(channelId, clock.nowMs() + windowMs / (remaining + 1)),
    /** Waits for the turn of a message. */
    take: async (channelId: string, signal?: AbortSignal): Promise<void> => {
      const waitMs = (nextMs.get(channelId) ?? 0) - clock.nowMs();
      if (waitMs > 0) await sleep(clock, waitMs, signal);
    },
  };
};

export type Outbox = ReturnType<typeof createOutbox>;

/** Posts mirrors, several in one message where rate limits require it. */
export const createOutbox = (deps: {
  readonly api: Api;
  readonly webhooks: Webhooks;
  readonly rate: WebhookRate;
  readonly writers: Writers;
  readonly botTurns: Pick<BotTurns, 'take'>;
}) => {
  const { api, webhooks, rate, writers, botTurns } = deps;
  /** Number of times that a source's messages were deleted: Discord remembers nonces for minutes. */
  const forgotten = createLru<string, number>(FORGOTTEN);
  /** Mirrors that have notified the author of what they answer. */
  const told = createLru<string, true>(FORGOTTEN);

  /** Notes that the messages of a source were deleted, so that posting them again is no repetition. */
  const forget = (source: MessageRef): void => {
    const tag = tagOf(source);
    forgotten.set(tag, (forgotten.get(tag) ?? 0) + 1);
  };

  /** A nonce for each part; it depends on the channel, as Discord compares all nonces of one author. */
  const nonceFor = (to: Channel, { source, key, label }: Mirror): ((index: number) => string) => {
    const tag = tagOf(source);
    return (index) => nonceOf(to.id, tag, key, labelText(label), index, forgotten.get(tag) ?? 0);
  };

  /** The batch without the mentions that have notified somebody before. */
  const untold = (to: Channel, batch: Batch): Batch => {
    const [first, ...rest] = batch.mirrors;
    const once = (mirror: Mirror): Mirror =>
      told.get(toldKey(to, mirror)) ? quietly(mirror) : mirror;
    return {
      ...batch,
      mirrors: [once(first), ...rest.map(once)],
      sections: batch.sections.map((section, at) =>
        told.get(toldKey(to, batch.mirrors[at] ?? first)) ? silent(section) : section,
      ),
    };
  };

  /** Writes a batch, all of it or nothing. */
  const writeBatch = async (to: Channel, writer: MessageWriter, batch: Batch): Promise<Written> => {
    const [mirror] = batch.mirrors;
    const { voice, texts } = batchParts(untold(to, batch));
    const write: MessageWriter['write'] = async (part, index) => {
      const id = await writer.write(part, index);
      if (part.notifies?.length)
        for (const one of batch.mirrors) if (one.quote?.mentions) told.set(toldKey(to, one), true);
      return id;
    };
    try {
      const ids = await syncParts({ ...writer, write }, [], [...voice, ...texts]);
      return { ids, voice: voice.length > 0, shared: batch.sections.length > 0 };
    } catch (thrown) {
      if (voice.length > 0 && isRefusal(thrown, ...NO_VOICE))
        return writeBatch(to, writer, { ...batch, mirrors: [withoutVoice(mirror)] });
      if (isFinal(thrown)) forget(mirror.source);
      throw thrown;
    }
  };

  const asBot = async (to: Channel, batch: Batch, guard: RequestGuard = {}): Promise<OwnPost> => {
    const [mirror] = batch.mirrors;
    const isReply = batch.by === 'reply' && mirror.source.channel.id === to.id;
    const writer = botMessageWriter(api, to, {
      nonce: nonceFor(to, mirror),
      ...(isReply ? { replyTo: mirror.source } : {}),
      ...guard,
    });
    try {
      return byBot(to, await writeBatch(to, writer, batch));
    } catch (thrown) {
      if (!isRefusal(thrown, RESTJSONErrorCodes.UnknownMessage)) throw thrown;
      // The message with this nonce was deleted by hand; a new nonce is used from now on.
      return byBot(to, await writeBatch(to, writer, batch));
    }
  };

  /** Posts a batch; undefined where no webhook is available now. */
  const postBatch = async (
    to: Channel,
    batch: Batch,
    guard: RequestGuard,
  ): Promise<OwnPost | undefined> => {
    if (batch.by !== 'webhook') return asBot(to, batch, guard);
    const write = (writer: MessageWriter): Promise<Written> => writeBatch(to, writer, batch);
    return writers.throughWebhook(to, batch.mirrors[0].as, write, guard);
  };

  return {
    /**
     * Posts mirrors; yields the place of each, in order.
     *
     * @param refer gives a mirror the quote that is right when all before it are posted
     */
    async *post(
      to: Channel,
      mirrors: readonly Mirror[],
      { refer = (mirror: Mirror) => mirror, ...guard }: PostOptions = {},
    ): AsyncGenerator<OwnPost, void, void> {
      const hook = mirrors.some((mirror) => mirror.as) ? await webhooks.of(to) : undefined;
      const room = hook ? rate.room(webhookChannelId(to), postsAlone(mirrors)) : 0;
      const batches = [...planBatches(mirrors, room)];
      for (let batch = batches.shift(); batch; batch = batches.shift()) {
        guard.signal?.throwIfAborted();
        if (batch.by === 'bot') await botTurns.take(to.id, guard.signal);
        const post = await postBatch(to, referred(batch, refer), guard);
        // Without a webhook the bot posts its mirrors.
        if (!post) batches.unshift(...planBatches(batch.mirrors, 0));
        else for (const _ of batch.mirrors) yield post;
      }
    },
    /**
     * Posts the sections of one person's message again; in several where names make it too long for
     * one. It notifies nobody.
     */
    async *repost(
      to: Channel,
      former: readonly Section[],
      by: Persona,
      held: WhileHeld,
    ): AsyncGenerator<OwnPost, void, void> {
      const sections = former.map(silent);
      const write = (writer: MessageWriter): Promise<Written> => writeShared(writer, sections);
      const reposted = await writers.throughWebhook(to, by, write, held);
      if (reposted) return yield reposted;
      const shown = sections.map((section) => underName(section, by.name));
      for (const some of fitting(shown))
        yield byBot(to, await writeShared(botMessageWriter(api, to, held), some));
    },
    /** Posts one mirror by the bot, apart from others with which it was posted before; notifies nobody. */
    postAlone: async (to: Channel, mirror: Mirror, held: WhileHeld): Promise<OwnPost> => {
      // A mirror posted alone needs another nonce than the shared message that it was in.
      forget(mirror.source);
      return asBot(to, { by: 'bot', mirrors: [quietly(mirror)], sections: [] }, held);
    },
    forget,
  };
};
