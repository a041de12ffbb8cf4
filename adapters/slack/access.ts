import { type Api, readCursorPages } from './api.ts';
import { readChannel } from './channel-feed.ts';
import { channelIdOf, PLATFORM } from './ids.ts';
import { createCache } from '../../src/async/lru.ts';
import type { Channel } from '../../src/model/place.ts';
import type { Access, Platform } from '../../src/ports/platform.ts';

/** Members of one page: "conversations.members". */
const PAGE_MEMBERS = 1_000;
/** Channels whose members are cached, each for a moment: one list may ask for many people's rights. */
const CACHED_CHANNELS = 50;
const LIFE_MS = 5_000;

/**
 * Creates the check of a person's access to a channel. Public channels are open to everybody in a
 * workspace; others to their members.
 */
export const createAccess = (api: Api, now: () => number): NonNullable<Platform['access']> => {
  const readMembers = async (channel: Channel): Promise<ReadonlySet<string>> => {
    const all = new Set<string>();
    const args = { channel: channelIdOf(channel), limit: PAGE_MEMBERS };
    const pages = readCursorPages(async (at) =>
      api.call(channel.space, 'conversations.members', { ...args, ...at }),
    );
    for await (const { members: page = [] } of pages) for (const id of page) all.add(id);
    return all;
  };
  const members = createCache(readMembers, {
    keyOf: ({ space, id }) => `${space.id} ${id}`,
    most: CACHED_CHANNELS,
    lifeMs: LIFE_MS,
    now,
  });

  return async ({ platform, id }, channel): Promise<Access | undefined> => {
    if (platform !== PLATFORM) return 'none';
    const info = await readChannel(api, channel);
    if (!info) return undefined;
    const isOpen = !info.is_private && !info.is_im && !info.is_mpim;
    const isIn = isOpen || (await members.of(channel)).has(id);
    if (!isIn) return 'none';
    return info.is_archived ? 'see' : 'write';
  };
};
