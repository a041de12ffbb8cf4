import type { Api, ApiOptions } from './api.ts';
import { createBuilder } from './builder.ts';
import { createCatchUp } from './catch-up.ts';
import { createChannelFeed, type ChannelFeedDeps } from './channel-feed.ts';
import { createFiles } from './files.ts';
import type { EventTransportOptions } from './inbound/http.ts';
import { createMessageReader } from './inbound/message-reader.ts';
import type { InstallOptions } from './install/index.ts';
import type { Installations, Installed } from './install/installations.ts';
import { createMentions } from './mentions.ts';
import { createMirrors } from './mirrors/mirrors.ts';
import { createOwnMessages } from './mirrors/own-messages.ts';
import { createMessageWriter } from './outbound/message-writer.ts';
import { createUploads } from './outbound/uploads.ts';
import { readGroups } from './moderators.ts';
import { createPeople } from './people.ts';
import { createThreadRoots } from './history.ts';
import { realClock } from '../../src/async/clock.ts';
import type { Space, Channel, Posted } from '../../src/model/place.ts';
import type { Log } from '../../src/telemetry/log.ts';
import { createAccess } from './access.ts';
import type { Platform } from '../../src/ports/platform.ts';
import { channelIdOf, PLATFORM, postedOf } from './ids.ts';
import { CAPABILITIES, FILES_BYTES } from './limits.ts';
import { NAMING } from './manifest.ts';
import { handleOf, readHandle } from './mirrors/metadata.ts';
import { filesOf, render } from './outbound/render.ts';

export type SlackOptions = ApiOptions & EventTransportOptions & InstallOptions;

export interface RestPartsDeps extends Pick<ChannelFeedDeps, 'reportsAll'> {
  readonly api: Api;
  readonly installations: Installations;
  readonly log: Log;
}

/** Messages with text, and those that show files after them. */
const shownAs = (
  channel: Channel,
  texts: readonly string[],
  fileIds: readonly string[],
): Posted => ({
  ...postedOf(channel, [...texts, ...fileIds]),
  handle: handleOf({ texts: texts.length, files: [] }),
});

/** Creates the parts that use Slack's Web API. */
export const createRestParts = (
  { url, clock = realClock, speed = 1, without, names }: SlackOptions,
  { api, installations, log, reportsAll }: RestPartsDeps,
) => {
  const now = realClock.nowMs;
  const people = createPeople(api, installations, now);
  const threads = createThreadRoots(api);
  const hasFiles = !without?.includes('files');
  const files = createFiles(api, installations, url);
  const mentions = createMentions(api, people, now);
  const installedIn = (space: Space): Installed | undefined => installations.known(space);
  const readable = hasFiles ? files : { ...files, whole: async () => undefined };
  const reader = createMessageReader({ people, mentions, installedIn, files: readable, log });
  const uploads = createUploads(api, { apiUrl: url, speed });
  const writer = createMessageWriter(api, uploads);
  const ownMessages = createOwnMessages(api, log, speed);
  const mirrors = createMirrors({
    api,
    writer,
    threads,
    uploads,
    mentions,
    ownMessages,
    names,
    filesBytes: hasFiles ? FILES_BYTES : 0,
  });
  const catchUp = createCatchUp({ api, installations, clock, speed });
  const access = createAccess(api, now);
  const feed = createChannelFeed({
    api,
    reader,
    people,
    catchUp,
    threads,
    installations,
    reportsAll,
    access,
    now,
    choice: { without, names },
  });
  /** The port through which the core uses Slack. */
  const platform: Platform = {
    name: PLATFORM,
    title: 'Slack',
    naming: NAMING,
    capabilities: CAPABILITIES,
    access,
    groups: async (space) => readGroups(api, space),
    post: async (to, content, { replyTo, ...held } = {}) => {
      const threadTs = replyTo && ((await threads.rootOf(replyTo)) ?? replyTo.id);
      const parts = render(await mentions.on(to.space, content));
      const place = { threadTs, ...held };
      const staged = await uploads.stage(to.space, filesOf(parts));
      const texts = await writer.post(to, parts, place);
      return shownAs(to, texts, await writer.showFiles(to, [], staged, place));
    },
    whisper: async (to, user, content, { threadId } = {}) => {
      const [{ text, blocks }] = render(await mentions.on(to.space, content), false);
      const place = { channel: channelIdOf(to), user, thread_ts: threadId };
      await api.call(to.space, 'chat.postEphemeral', { ...place, text, blocks }, { once: true });
    },
    edit: async ({ channel, ids, handle }, content, held = {}) => {
      const parts = render(await mentions.on(channel.space, content));
      const { texts: count } = readHandle(handle, ids.length);
      const staged = await uploads.stage(channel.space, filesOf(parts));
      const texts = await writer.sync(channel, ids.slice(0, count), parts, held);
      const shown = await writer.showFiles(channel, ids.slice(count), staged, held);
      return shownAs(channel, texts, shown);
    },
    delete: async ({ channel, ids }) => {
      for (const ts of ids) await writer.erase(channel, ts);
    },
    feed,
    mirrors,
    builder: createBuilder({ api, installations, people }),
  };
  return { people, threads, files, mentions, reader, uploads, writer, feed, platform };
};
