import { Routes, type Client } from 'discord.js';
import type { Channel, MessageRef } from '../../../src/model/place.ts';
import type { Api } from '../api.ts';
import { PLATFORM, positionOf } from '../ids.ts';
import { MESSAGES_PAGE } from '../limits.ts';
import type { MessageReader, RawMessage } from '../inbound/message-reader.ts';
import { demandHistory } from '../permissions.ts';

/** What a try has posted stands near the end: nobody tries for long. */
const PAGES = 5;

/**
 * What we have posted last in a channel, newest first, nothing older than the oldest of the sources;
 * answers to commands, which say what people like, are left out. `forbidden` where the bot may not
 * read it.
 */
export type OwnMessages = (
  channel: Channel,
  sources: readonly MessageRef[],
  signal?: AbortSignal,
) => AsyncIterable<RawMessage>;

export const createOwnMessages = (
  api: Api,
  reader: MessageReader,
  client: () => Client,
): OwnMessages =>
  async function* ownMessages(channel, sources, signal) {
    demandHistory(client(), channel);
    const areHere = sources.every((source) => source.channel.space.platform === PLATFORM);
    const [oldest] = areHere ? sources.map(({ id }) => positionOf(id)).toSorted() : [];
    let before: string | undefined;
    for (let page = 0; page < PAGES; page += 1) {
      const messages = await api.send<RawMessage[]>('GET', Routes.channelMessages(channel.id), {
        query: { limit: String(MESSAGES_PAGE), ...(before === undefined ? {} : { before }) },
        ...(signal ? { signal } : {}),
      });
      for (const message of messages) {
        if (oldest !== undefined && positionOf(message.id) < oldest) return;
        if (reader.isOurs(message) && message.interaction_metadata === undefined) yield message;
      }
      before = messages.at(-1)?.id;
      if (messages.length < MESSAGES_PAGE || before === undefined) return;
    }
  };
