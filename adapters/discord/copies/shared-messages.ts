import { RESTJSONErrorCodes, Routes } from 'discord.js';
import type { Channel, MessageRef } from '../../../src/model.ts';
import type { Persona } from '../../../src/watch/port.ts';
import type { Api } from '../api.ts';
import { isRefusal } from '../errors.ts';
import { footersIn, isOfSource } from './footers.ts';
import { placed, type Placed } from './handles.ts';
import { channelIdOf } from '../ids.ts';
import { avatarOf, type RawMessage } from '../message.ts';
import { sectionsPart, type Outbox } from './outbox.ts';
import type { OwnMessages } from './own-messages.ts';
import type { PensFor } from './pens-for.ts';
import { readSections, type Section } from './sections.ts';
import { isHookGone } from './webhook-pen.ts';

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

export interface SharedMessagesParts {
  readonly api: Api;
  readonly outbox: Outbox;
  readonly ownMessages: OwnMessages;
  readonly pensFor: PensFor;
}

const footersOf = (sections: readonly Section[]): string =>
  sections.map(({ footer }) => footer).join('\n');

const holds = ({ content }: RawMessage, source: MessageRef): boolean =>
  footersIn(content).some(({ line }) => isOfSource(line, source));

const read = (raw: RawMessage, channel: Channel): SharedMessage => ({
  placed: placed(channel, [raw.id], { shared: true, voice: false, webhookId: raw.webhook_id }),
  sections: readSections(raw.content),
  by: { name: raw.author.username, avatarUrl: avatarOf(raw.author, undefined) },
});

export const createSharedMessages = (parts: SharedMessagesParts): SharedMessages => {
  const { api, outbox, ownMessages, pensFor } = parts;

  /** A try that was cut off may have posted them already. */
  const repost = async (
    { placed: former, by }: SharedMessage,
    sections: readonly Section[],
  ): Promise<Placed> => {
    const { channel, ids } = former;
    for await (const raw of ownMessages(channel, [])) {
      const other = read(raw, channel);
      const isIt = footersOf(other.sections) === footersOf(sections);
      if (isIt && raw.id !== ids[0]) await pensFor.erase(other.placed);
    }
    const anew = await outbox.repost(channel, sections, by);
    try {
      await pensFor.erase(former);
    } catch (thrown) {
      await pensFor.erase(anew);
      throw thrown;
    }
    return anew;
  };

  return {
    find: async ({ channel, ids }, source) => {
      try {
        const route = Routes.channelMessage(channelIdOf(channel), ids[0]);
        return read(await api.send<RawMessage>('GET', route), channel);
      } catch (thrown) {
        if (!isRefusal(thrown, RESTJSONErrorCodes.UnknownMessage)) throw thrown;
        for await (const raw of ownMessages(channel, [source]))
          if (holds(raw, source)) return read(raw, channel);
        throw thrown;
      }
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
