import { Routes } from 'discord.js';
import type { Channel, MessageRef } from '../../src/model.ts';
import type { Api } from './api.ts';
import { PLATFORM, positionOf } from './ids.ts';
import type { MessageReader, RawMessage } from './message.ts';

const PAGE = 100;
/** What a try has posted stands near the end: nobody tries for long. */
const PAGES = 5;

/** Our last messages in a channel, newest first, none older than the oldest of the sources. */
export type OwnMessages = (
  channel: Channel,
  sources: readonly MessageRef[],
  signal?: AbortSignal,
) => AsyncIterable<RawMessage>;

export const createOwnMessages = (api: Api, reader: MessageReader): OwnMessages =>
  async function* ownMessages({ id }, sources, signal) {
    const areHere = sources.every(({ channel }) => channel.space.platform === PLATFORM);
    const [oldest] = areHere ? sources.map((source) => positionOf(source.id)).toSorted() : [];
    let before: string | undefined;
    for (let page = 0; page < PAGES; page += 1) {
      const messages = await api.send<RawMessage[]>('GET', Routes.channelMessages(id), {
        query: { limit: String(PAGE), ...(before === undefined ? {} : { before }) },
        ...(signal ? { signal } : {}),
      });
      for (const message of messages) {
        if (oldest !== undefined && positionOf(message.id) < oldest) return;
        if (reader.isOurs(message)) yield message;
      }
      before = messages.at(-1)?.id;
      if (messages.length < PAGE || before === undefined) return;
    }
  };
