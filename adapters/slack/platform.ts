import { PLATFORM, postedOf } from './ids.ts';
import { CAPABILITIES } from './limits.ts';
import { NAMING } from './manifest.ts';
import { handleOf, readHandle } from './mirrors/metadata.ts';
import type { MessageWriter } from './outbound/message-writer.ts';
import { filesOf, render } from './outbound/render.ts';
import type { Threads } from './threads.ts';
import type { Channel, Posted } from '../../src/model/place.ts';
import type { ChannelFeed } from '../../src/ports/channel-feed.ts';
import type { Mirrors } from '../../src/ports/mirrors.ts';
import type { Platform } from '../../src/ports/platform.ts';

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
