import { RESTJSONErrorCodes, Routes } from 'discord.js';
import type { Api } from '../api.ts';
import { isRefusal } from '../errors.ts';
import { channelIdOf, ownPost, type OwnPost } from '../ids.ts';
import { avatarOf, type RawMessage } from '../inbound/message-reader.ts';
import type { OwnMessages } from './find.ts';
import { type Outbox, sectionsPart } from './outbox.ts';
import { footersIn, isOfSource, readSections, type Section } from './parts.ts';
import type { Writers } from './writers.ts';
import { isHookGone } from '../outbound/message-writer.ts';
import { createLru } from '../../../src/async/lru.ts';
import { AppError } from '../../../src/errors.ts';
import type { Channel, MessageRef } from '../../../src/model/place.ts';
import type { Persona } from '../../../src/ports/mirrors.ts';

/** A message that holds several mirrors. */
export interface SharedMessage {
  readonly post: OwnPost;
  readonly sections: readonly Section[];
  /** The author's name and picture under which it was posted. */
  readonly by: Persona;
}

export interface SharedMessages {
  /** Finds the message that holds a mirror now; rejects with `not-found` when it is gone. */
  find(post: OwnPost, source: MessageRef): Promise<SharedMessage>;
  /**
   * Replaces the sections of a message; resolves with its place. Messages of a deleted webhook
   * cannot be changed: the sections are then posted again, and each is found by its footer.
   */
  show(shared: SharedMessage, sections: readonly Section[]): Promise<OwnPost>;
}

export interface SharedMessagesDeps {
  readonly api: Api;
  readonly outbox: Outbox;
  readonly ownMessages: OwnMessages;
  readonly writers: Writers;
}

/**
 * Messages posted again that are remembered; others are searched for among the channel's last
 * messages.
 */
const KEPT = 5_000;

const holds = ({ content }: RawMessage, source: MessageRef): boolean =>
  footersIn(content).some(({ line, parts }) => parts === 1 && isOfSource(line, source));

const read = (raw: RawMessage, channel: Channel): SharedMessage => ({
  post: ownPost(channel, [raw.id], { shared: true, voice: false, webhookId: raw.webhook_id }),
  sections: readSections(raw.content),
  by: { name: raw.author.username, avatarUrl: avatarOf(raw.author, undefined) },
});

export const createSharedMessages = (deps: SharedMessagesDeps): SharedMessages => {
  const { api, outbox, ownMessages, writers } = deps;
  /** Current ids of messages that were posted again, by their former ids. */
  const moved = createLru<string, readonly string[]>(KEPT);

  /** Finds the message with this id, or the one posted in its place, even repeatedly. */
  const follow = async (
    channel: Channel,
    id: string,
    source: MessageRef,
  ): Promise<RawMessage | undefined> => {
    try {
      const route = Routes.channelMessage(channelIdOf(channel), id);
      const raw = await api.send<RawMessage>('GET', route);
      if (holds(raw, source)) return raw;
    } catch (thrown) {
      if (!isRefusal(thrown, RESTJSONErrorCodes.UnknownMessage)) throw thrown;
    }
    for (const anew of moved.get(id) ?? []) {
      const found = await follow(channel, anew, source);
      if (found) return found;
    }
    return undefined;
  };

  const repost = async (
    { post: former, by }: SharedMessage,
    sections: readonly Section[],
  ): Promise<OwnPost> => {
    const { channel, ids } = former;
    const footers = new Set(sections.map(({ footer }) => footer));
    // An interrupted try may have posted them already.
    for await (const raw of ownMessages(channel, [])) {
      const other = read(raw, channel);
      const isIt =
        other.sections.length > 0 && other.sections.every(({ footer }) => footers.has(footer));
      if (isIt && raw.id !== ids[0]) await writers.erase(other.post);
    }
    const anew: OwnPost[] = [];
    try {
      for await (const one of outbox.repost(channel, sections, by)) anew.push(one);
      await writers.erase(former);
    } catch (thrown) {
      for (const one of anew) await writers.erase(one);
      throw thrown;
    }
    moved.set(
      ids[0],
      anew.map((one) => one.ids[0]),
    );
    return anew[0] as OwnPost;
  };

  return {
    find: async ({ channel, ids: [id] }, source) => {
      const found = await follow(channel, id, source);
      if (found) return read(found, channel);
      for await (const other of ownMessages(channel, [source]))
        if (holds(other, source)) return read(other, channel);
      throw new AppError('not-found', 'a mirror was deleted');
    },
    show: async (shared, sections) => {
      const { post: former } = shared;
      if (sections.length === 0) {
        await writers.erase(former);
        return former;
      }
      try {
        const writer = await writers.of(former);
        await writer.rewrite(former.ids[0], sectionsPart(sections));
        return former;
      } catch (thrown) {
        if (!isHookGone(thrown) || former.handle.webhookId === undefined) throw thrown;
        return repost(shared, sections);
      }
    },
  };
};
