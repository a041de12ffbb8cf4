import { onTestFinished } from 'vitest';
import { createOptedOutOf } from '../../../../src/autotranslate/asked/authors.ts';
import { createAskedMessages } from '../../../../src/autotranslate/asked/messages.ts';
import type { MissedSince } from '../../../../src/autotranslate/asked/missed.ts';
import { createReadTranslations } from '../../../../src/autotranslate/asked/translations.ts';
import type { Message } from '../../../../src/model/message.ts';
import { plainText } from '../../../../src/rich-text/walk.ts';
import { openStore } from '../../../../src/store/index.ts';
import type { RowKey } from '../../../../src/store/inbox/row.ts';
import { channel, createFakeFeed } from '../../../fakes/channel-feed.ts';

export const HERE = channel('here');
export const THERE = channel('there');
export const HOUR_MS = 3_600_000;
export const OURS = { author: { id: 'us', name: 'Ann', kind: 'ourselves' } } as const;

/** Asked messages over a fake feed and a store of the test. */
export const open = async () => {
  const fake = createFakeFeed();
  const store = await openStore('sqlite::memory:');
  onTestFinished(() => store.destroy());
  const out = new Set(['shy']);
  /** What our messages are copies of. */
  const sources = new Map<string, RowKey>();
  /** The authors whose words are not shown elsewhere any more. */
  const closed = new Set<string>();
  /** What is known to be deleted. */
  const deleted = new Set<string>();
  /** What flags brought under a message. */
  const brought = new Map<string, readonly [string, ...string[]]>();
  const given = {
    platforms: { of: () => ({ feed: fake.feed, mirrors: fake.mirrors }) },
    privacy: { optedOut: async ({ id }: { id: string }) => out.has(id) },
    store,
    stored: {
      sourcesOf: async ({ id }: { id: string }) =>
        [sources.get(id)].filter((one) => one !== undefined),
      isDeleted: async ({ id }: { id: string }) => deleted.has(id),
      others: async ({ ref: { id } }: RowKey) =>
        [brought.get(id)].flatMap((ids) => (ids ? { channel: HERE, ids } : [])),
    },
  };
  const messages = createAskedMessages({
    ...given,
    optedOutOf: createOptedOutOf(given),
    openSources: { isOpen: async ({ author }) => !closed.has(author.id) },
    translations: createReadTranslations(Date.now),
    now: Date.now,
  });
  const since = async (from: MissedSince) => {
    const missed = await messages.since(HERE, from, AbortSignal.timeout(1_000));
    return { ...missed, messages: missed.messages.map(({ ref }) => ref.id) };
  };
  const texts = async (most: number) =>
    (await messages.recent(HERE, most, AbortSignal.timeout(1_000))).map(({ ref }) => ref.id);
  const written = async (...copies: readonly Message[]) =>
    (await messages.written(copies, AbortSignal.timeout(1_000))).map(plainText);
  return { fake, messages, texts, since, written, out, sources, closed, deleted, brought, store };
};
