import type { Api } from './api.ts';
import { isGone } from './errors.ts';
import { PLATFORM, postedOf } from './ids.ts';
import { CAPABILITIES } from './limits.ts';
import { NAMING } from './manifest.ts';
import type { MessageWriter } from './outbound/message-writer.ts';
import { render } from './outbound/render.ts';
import type { Threads } from './threads.ts';
import type { ChannelFeed } from '../../src/ports/channel-feed.ts';
import type { Mirrors } from '../../src/ports/mirrors.ts';
import type { Platform } from '../../src/ports/platform.ts';

export interface PlatformDeps {
  readonly api: Api;
  readonly access: NonNullable<Platform['access']>;
  readonly writer: MessageWriter;
  readonly threads: Threads;
  readonly feed: ChannelFeed;
  readonly mirrors: Mirrors;
}

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
  post: async (to, content, { replyTo } = {}) => {
    const threadTs = replyTo && (await threads.rootOf(replyTo));
    return postedOf(to, await writer.post(to, render(content), { threadTs }));
  },
  edit: async ({ channel, ids }, content) =>
    postedOf(channel, await writer.sync(channel, ids, render(content))),
  delete: async ({ channel, ids }) => {
    for (const ts of ids)
      try {
        await writer.erase(channel, ts);
      } catch (thrown) {
        if (!isGone(thrown)) throw thrown;
      }
  },
  feed,
  mirrors,
});
