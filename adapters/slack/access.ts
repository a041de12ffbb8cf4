import { type Api, readCursorPages } from './api.ts';
import { readChannel } from './channel-feed.ts';
import { channelIdOf, PLATFORM } from './ids.ts';
import { ownChannels } from './own-channels.ts';
import { ANSWERING } from './rate-limiter.ts';
import { createCache } from '../../src/async/lru.ts';
import { keyOf, type Channel, type Space } from '../../src/model/place.ts';
import type { Access, Platform } from '../../src/ports/platform.ts';

/** Members of one page: "conversations.members". */
const PAGE_MEMBERS = 1_000;
/** Channels whose members are cached, each for a moment: one list may ask for many people's rights. */
const CACHED_CHANNELS = 50;
const LIFE_MS = 5_000;

/** Channels asked about at one moment above which all that the app is in are listed: each alone takes a call of 50 a minute. */
const MOST_ALONE = 3;
const LISTED_SPACES = 100;

/** Creates what describes a channel as `readChannel` does; many that are asked about at one moment take few calls. */
const createDescriptions = (api: Api, now: () => number) => {
  const listings = createCache(
    async (space: Space) => {
      const all = await ownChannels(api, space, { only: 'archived too', priority: ANSWERING });
      return new Map(all.map((each) => [each.id, each]));
    },
    { keyOf, most: LISTED_SPACES, lifeMs: LIFE_MS, now },
  );
  /** Ids of the channels that are asked about at this moment, by their workspace. */
  const asked = new Map<string, Set<string>>();

  return async (channel: Channel) => {
    const key = keyOf(channel.space);
    const together = asked.get(key) ?? new Set<string>();
    asked.set(key, together.add(channel.id));
    await Promise.resolve();
    asked.delete(key);
    if (together.size <= MOST_ALONE) return readChannel(api, channel);
    // Scopes that the app goes without may allow each channel all the same.
    const listed = await listings.of(channel.space).catch(() => undefined);
    return listed?.get(channel.id) ?? readChannel(api, channel);
  };
};

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

  const describe = createDescriptions(api, now);

  return async ({ platform, id }, channel): Promise<Access | undefined> => {
    if (platform !== PLATFORM) return 'none';
    const info = await describe(channel);
    if (!info) return undefined;
    const isOpen = !info.is_private && !info.is_im && !info.is_mpim;
    const isIn = isOpen || (await members.of(channel)).has(id);
    if (!isIn) return 'none';
    return info.is_archived ? 'see' : 'write';
  };
};
