import { RESTJSONErrorCodes, Routes } from 'discord.js';
import type { MessageRef, Posted } from '../../src/model.ts';
import type { Persona } from '../../src/watch/port.ts';
import type { Api } from './api.ts';
import { isRefusal } from './errors.ts';
import { isOfSource } from './footers.ts';
import { postedAt, readHandle, writeHandle } from './handles.ts';
import { channelIdOf } from './ids.ts';
import { avatarOf, type RawMessage } from './message.ts';
import { sectionsPart, type Outbox } from './outbox.ts';
import type { OwnMessages } from './own-messages.ts';
import { readSections, type Section } from './sections.ts';
import type { StandingPens } from './standing.ts';
import { isHookGone } from './webhook-pen.ts';

/** A message that holds several copies. */
export interface SharedMessage {
  readonly posted: Posted;
  readonly sections: readonly Section[];
  /** Under whose name it stands. */
  readonly by: Persona;
}

export interface SharedMessages {
  /** The one in which a copy stands now; `not-found` when it is gone. */
  find(posted: Posted, source: MessageRef): Promise<SharedMessage>;
  /**
   * Lets it hold these sections instead; resolves with where they stand. What a webhook that is gone
   * has written cannot be changed: then they are posted anew, and each is found by its footer.
   */
  show(shared: SharedMessage, sections: readonly Section[]): Promise<Posted>;
}

export interface SharedMessagesParts {
  readonly api: Api;
  readonly outbox: Outbox;
  readonly ownMessages: OwnMessages;
  readonly standing: StandingPens;
}

const footersOf = (sections: readonly Section[]): string =>
  sections.map(({ footer }) => footer).join('\n');

const holds = (sections: readonly Section[], source: MessageRef): boolean =>
  sections.some(({ footer }) => isOfSource(footer, source));

const read = (raw: RawMessage, { channel }: Posted): SharedMessage => ({
  posted: postedAt(
    channel,
    [raw.id],
    writeHandle({ shared: true, voice: false, webhookId: raw.webhook_id }),
  ),
  sections: readSections(raw.content),
  by: { name: raw.author.username, avatarUrl: avatarOf(raw.author, undefined) },
});

export const createSharedMessages = (parts: SharedMessagesParts): SharedMessages => {
  const { api, outbox, ownMessages, standing } = parts;

  /** A try that was cut off may have posted them already. */
  const repost = async (
    { posted, by }: SharedMessage,
    sections: readonly Section[],
  ): Promise<Posted> => {
    for await (const raw of ownMessages(posted.channel, [])) {
      const other = read(raw, posted);
      const isIt = footersOf(other.sections) === footersOf(sections);
      if (isIt && raw.id !== posted.ids[0]) await standing.erase(other.posted);
    }
    const anew = await outbox.repost(posted.channel, sections, by);
    try {
      await standing.erase(posted);
    } catch (thrown) {
      await standing.erase(anew);
      throw thrown;
    }
    return anew;
  };

  return {
    find: async (posted, source) => {
      const { channel, ids } = posted;
      try {
        const route = Routes.channelMessage(channelIdOf(channel), ids[0]);
        return read(await api.send<RawMessage>('GET', route), posted);
      } catch (thrown) {
        if (!isRefusal(thrown, RESTJSONErrorCodes.UnknownMessage)) throw thrown;
        for await (const raw of ownMessages(channel, [source])) {
          const other = read(raw, posted);
          if (holds(other.sections, source)) return other;
        }
        throw thrown;
      }
    },
    show: async (shared, sections) => {
      const { posted } = shared;
      if (sections.length === 0) {
        await standing.erase(posted);
        return posted;
      }
      try {
        const pen = await standing.of(posted);
        await pen.rewrite(posted.ids[0], sectionsPart(sections));
        return posted;
      } catch (thrown) {
        if (!isHookGone(thrown) || readHandle(posted.handle).webhookId === undefined) throw thrown;
        return repost(shared, sections);
      }
    },
  };
};
