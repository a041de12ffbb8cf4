import { Routes } from 'discord.js';
import type { Api } from '../api.ts';
import { PLATFORM, positionAt, positionOf, snowflakeAt } from '../ids.ts';
import type { MessageReader, RawMessage } from '../inbound/message-reader.ts';
import { MESSAGES_PAGE } from '../limits.ts';
import { demandHistory } from '../permissions.ts';
import type { Clients } from '../shards/clients.ts';
import { createLru } from '../../../src/async/lru.ts';
import type { Channel, MessageRef } from '../../../src/model/place.ts';

/** Pages of a search from the newest message on. */
const RECENT_PAGES = 5;
/** Pages of one search from a source on: what an earlier try posted follows its source closely. */
const SINCE_PAGES = 100;
/** Channels whose messages are remembered for the next search. */
const READ_CHANNELS = 50;
/** Largest difference expected between the clocks of two platforms. */
const SKEW_MS = 60_000;

/** The bot's messages in a channel between two messages, oldest first. */
interface Reading {
  from: string;
  last: string;
  own: RawMessage[];
}

/** Position of the oldest source; undefined for sources on other platforms. */
const oldestOf = (sources: readonly MessageRef[]): string | undefined => {
  const areHere = sources.every(({ channel }) => channel.space.platform === PLATFORM);
  return areHere ? sources.map(({ id }) => positionOf(id)).toSorted()[0] : undefined;
};

export type OwnMessages = ReturnType<typeof createOwnMessages>;

/**
 * Creates the reader of the bot's messages in a channel, newest first. Answers to commands are left out,
 * as people choose their text. Rejects with `forbidden` where the bot may not read the channel.
 */
export const createOwnMessages = (
  api: Api,
  reader: MessageReader,
  clients: Pick<Clients, 'knowing'>,
) => {
  const readings = createLru<string, Reading>(READ_CHANNELS);

  const isOwn = (message: RawMessage): boolean =>
    reader.isOurs(message) && message.interaction_metadata === undefined;

  const page = async (
    { id }: Channel,
    query: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<RawMessage[]> =>
    api.send<RawMessage[]>('GET', Routes.channelMessages(id), {
      query: { limit: String(MESSAGES_PAGE), ...query },
      ...(signal ? { signal } : {}),
    });

  const recent = async function* (
    channel: Channel,
    sources: readonly MessageRef[],
  ): AsyncGenerator<RawMessage, void, void> {
    demandHistory(await clients.knowing(channel.space.id), channel);
    const oldest = oldestOf(sources);
    let before: string | undefined;
    for (let count = 0; count < RECENT_PAGES; count += 1) {
      const messages = await page(channel, before === undefined ? {} : { before });
      for (const message of messages) {
        if (oldest !== undefined && positionOf(message.id) < oldest) return;
        if (isOwn(message)) yield message;
      }
      before = messages.at(-1)?.id;
      if (messages.length < MESSAGES_PAGE || before === undefined) return;
    }
  };

  const readOn = async (
    channel: Channel,
    reading: Reading,
    signal: AbortSignal | undefined,
  ): Promise<void> => {
    for (let count = 0; count < SINCE_PAGES; count += 1) {
      const messages = await page(channel, { after: snowflakeAt(reading.last) }, signal);
      // Pages arrive newest first.
      reading.own.push(...messages.filter(isOwn).toReversed());
      const [newest] = messages;
      if (newest) reading.last = positionOf(newest.id);
      if (messages.length < MESSAGES_PAGE) return;
    }
  };

  return {
    /** Reads the last ones, none older than the oldest of the sources. */
    recent,
    /**
     * Reads those after the oldest of the sources, from there on. What was read is remembered: later
     * searches read only what came since, until `forget`.
     *
     * @param sinceMs time at which the oldest source was written, for sources on other platforms
     */
    async *since(
      channel: Channel,
      sources: readonly MessageRef[],
      sinceMs: number | undefined,
      signal?: AbortSignal,
    ): AsyncGenerator<RawMessage, void, void> {
      demandHistory(await clients.knowing(channel.space.id), channel);
      const since = sinceMs === undefined ? undefined : positionAt(sinceMs - SKEW_MS);
      const from = oldestOf(sources) ?? since;
      if (from === undefined) return yield* recent(channel, sources);
      const known = readings.get(channel.id);
      const reading = known && known.from <= from ? known : { from, last: from, own: [] };
      reading.from = from;
      reading.own = reading.own.filter(({ id }) => positionOf(id) >= from);
      readings.set(channel.id, reading);
      await readOn(channel, reading, signal);
      yield* reading.own.toReversed();
    },
    /** Drops what was read of a channel: its messages were changed, or no earlier try is pending. */
    forget: (channelId: string) => readings.delete(channelId),
  };
};
