import { type Api, readCursorPages } from './api.ts';
import { readChannel } from './channel-feed.ts';
import { channelIdOf, PLATFORM, postedOf } from './ids.ts';
import { createCache } from '../../src/async/lru.ts';
import type { Member, Channel, Posted } from '../../src/model/place.ts';
import type { Access, Platform } from '../../src/ports/platform.ts';
import { CAPABILITIES } from './limits.ts';
import { NAMING } from './manifest.ts';
import { handleOf, readHandle } from './mirrors/metadata.ts';
import type { MessageWriter } from './outbound/message-writer.ts';
import { filesOf, render } from './outbound/render.ts';
import type { Threads } from './history.ts';
import type { ChannelFeed } from '../../src/ports/channel-feed.ts';
import type { Mirrors } from '../../src/ports/mirrors.ts';

/** Members of one page: "conversations.members". */
const PAGE_MEMBERS = 1_000;
/** Channels whose members are cached, each for a moment: one list may ask for many people's rights. */
const CACHED_CHANNELS = 50;
const CACHED_MS = 5_000;

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
    keptMs: CACHED_MS,
    now,
  });

  return async ({ platform, id }: Member, channel: Channel): Promise<Access | undefined> => {
    if (platform !== PLATFORM) return 'none';
    const info = await readChannel(api, channel);
    if (!info) return undefined;
    const isOpen = !info.is_private && !info.is_im && !info.is_mpim;
    const isIn = isOpen || (await members.of(channel)).has(id);
    if (!isIn) return 'none';
    return info.is_archived ? 'see' : 'write';
  };
};

export interface PlatformDeps {
  readonly access: NonNullable<Platform['access']>;
  readonly writer: MessageWriter;
  readonly threads: Threads;
  readonly feed: ChannelFeed;
  readonly mirrors: Mirrors;
}

/** Messages with text, and those that show files after them. */
const shownAs = (channel: Channel, texts: readonly string[], files: readonly string[]): Posted => ({
  ...postedOf(channel, [...texts, ...files]),
  handle: handleOf({ texts: texts.length, files: [] }),
});

/** Creates the port through which the core uses Slack. */
export const createPlatform = ({
  access,
  writer,
  threads,
  feed,
  mirrors,
}: PlatformDeps): Platform => ({
  name: PLATFORM,
  naming: NAMING,
  capabilities: CAPABILITIES,
  access,
  post: async (to, content, { replyTo, ...held } = {}) => {
    const threadTs = replyTo && ((await threads.rootOf(replyTo)) ?? replyTo.id);
    const parts = render(content);
    const place = { threadTs, ...held };
    const texts = await writer.post(to, parts, place);
    return shownAs(to, texts, await writer.showFiles(to, [], filesOf(parts), place));
  },
  edit: async ({ channel, ids, handle }, content, held = {}) => {
    const parts = render(content);
    const { texts: count } = readHandle(handle, ids.length);
    const texts = await writer.sync(channel, ids.slice(0, count), parts, held);
    const files = await writer.showFiles(channel, ids.slice(count), filesOf(parts), held);
    return shownAs(channel, texts, files);
  },
  delete: async ({ channel, ids }) => {
    for (const ts of ids) await writer.erase(channel, ts);
  },
  feed,
  mirrors,
});
