import { RESTJSONErrorCodes, Routes } from 'discord.js';
import { AppError } from '../../../src/errors.ts';
import type { Channel, MessageRef } from '../../../src/model/place.ts';
import { createLru } from '../../../src/async/lru.ts';
import type { Persona } from '../../../src/ports/channel-feed.ts';
import type { Api } from '../api.ts';
import { isRefusal } from '../errors.ts';
import { footersIn, isOfSource } from './footers.ts';
import { placed, type Placed } from './handles.ts';
import { channelIdOf } from '../ids.ts';
import { avatarOf, type RawMessage } from '../inbound/message-reader.ts';
import { sectionsPart, type Outbox } from './outbox.ts';
import type { OwnMessages } from './own-messages.ts';
import type { WriterRegistry } from './writer-registry.ts';
import { readSections, type Section } from './sections.ts';
import { isHookGone } from './webhook-message-writer.ts';

/** A message that holds several copies. */
export interface SharedMessage {
  readonly placed: Placed;
  readonly sections: readonly Section[];
  /** Under whose name it stands. */
  readonly by: Persona;
}

export interface SharedMessages {
  /** The one in which a copy stands now; `not-found` when it is gone. */
  find(placed: Placed, source: MessageRef): Promise<SharedMessage>;
  /**
   * Lets it hold these sections instead; resolves with where they stand. What a webhook that is gone
   * has written cannot be changed: then they are posted anew, and each is found by its footer.
   */
  show(shared: SharedMessage, sections: readonly Section[]): Promise<Placed>;
}

export interface SharedMessagesDeps {
  readonly api: Api;
  readonly outbox: Outbox;
  readonly ownMessages: OwnMessages;
  readonly pensFor: WriterRegistry;
}

/** Messages that were posted anew; of others the last ones of the channel are looked through. */
const KEPT = 5_000;

const holds = ({ content }: RawMessage, source: MessageRef): boolean =>
  footersIn(content).some(({ line, parts }) => parts === 1 && isOfSource(line, source));

const read = (raw: RawMessage, channel: Channel): SharedMessage => ({
  placed: placed(channel, [raw.id], { shared: true, voice: false, webhookId: raw.webhook_id }),
  sections: readSections(raw.content),
  by: { name: raw.author.username, avatarUrl: avatarOf(raw.author, undefined) },
});

export const createSharedMessages = (deps: SharedMessagesDeps): SharedMessages => {
  const { api, outbox, ownMessages, pensFor } = deps;

  /** Where messages that were posted anew stand now, by their former ids. */
  const moved = createLru<string, readonly string[]>(KEPT);

  const readRaw = async (id: string, channel: Channel): Promise<RawMessage | undefined> => {
    try {
      return await api.send<RawMessage>('GET', Routes.channelMessage(channelIdOf(channel), id));
    } catch (thrown) {
      if (!isRefusal(thrown, RESTJSONErrorCodes.UnknownMessage)) throw thrown;
      return undefined;
    }
  };

  /** Some may have been posted anew again. */
  const readMoved = async (
    channel: Channel,
    id: string,
    source: MessageRef,
  ): Promise<RawMessage | undefined> => {
    for (const anew of moved.get(id) ?? []) {
      const raw = await readRaw(anew, channel);
      if (raw && holds(raw, source)) return raw;
      const further = await readMoved(channel, anew, source);
      if (further) return further;
    }
    return undefined;
  };

  /** A try that was cut off may have posted them already. */
  const repost = async (
    { placed: former, by }: SharedMessage,
    sections: readonly Section[],
  ): Promise<Placed> => {
    const { channel, ids } = former;
    const footers = new Set(sections.map(({ footer }) => footer));
    for await (const raw of ownMessages(channel, [])) {
      const other = read(raw, channel);
      const isIt =
        other.sections.length > 0 && other.sections.every(({ footer }) => footers.has(footer));
      if (isIt && raw.id !== ids[0]) await pensFor.erase(other.placed);
    }
    const anew: Placed[] = [];
    try {
      for await (const one of outbox.repost(channel, sections, by)) anew.push(one);
      await pensFor.erase(former);
    } catch (thrown) {
      for (const one of anew) await pensFor.erase(one);
      throw thrown;
    }
    moved.set(
      ids[0],
      anew.map((one) => one.ids[0]),
    );
    return anew[0] as Placed;
  };

  return {
    find: async ({ channel, ids: [id] }, source) => {
      const raw = await readRaw(id, channel);
      if (raw && holds(raw, source)) return read(raw, channel);
      const anew = await readMoved(channel, id, source);
      if (anew) return read(anew, channel);
      for await (const other of ownMessages(channel, [source]))
        if (holds(other, source)) return read(other, channel);
      throw new AppError('not-found', 'a copy was taken away');
    },
    show: async (shared, sections) => {
      const { placed: former } = shared;
      if (sections.length === 0) {
        await pensFor.erase(former);
        return former;
      }
      try {
        const pen = await pensFor.of(former);
        await pen.rewrite(former.ids[0], sectionsPart(sections));
        return former;
      } catch (thrown) {
        if (!isHookGone(thrown) || former.handle.webhookId === undefined) throw thrown;
        return repost(shared, sections);
      }
    },
  };
};
