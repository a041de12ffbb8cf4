import { createAccess, createPlatform } from './platform.ts';
import type { Api, ApiOptions } from './api.ts';
import { createCatchUp } from './catch-up.ts';
import { createChannelFeed, type ChannelFeedDeps } from './channel-feed.ts';
import { createFiles } from './files.ts';
import { createMessageReader } from './inbound/message-reader.ts';
import type { Installations, Installed } from './install/installations.ts';
import { createMentions } from './mentions.ts';
import { createMirrors } from './mirrors/mirrors.ts';
import { createOwnMessages } from './mirrors/own-messages.ts';
import { createMessageWriter } from './outbound/message-writer.ts';
import { createUploads } from './outbound/uploads.ts';
import { createPeople } from './people.ts';
import { createThreads } from './history.ts';
import { realClock } from '../../src/async/clock.ts';
import type { Space } from '../../src/model/place.ts';
import type { Log } from '../../src/telemetry/log.ts';

export interface SlackOptions extends ApiOptions {
  /** The bot token of the one workspace; undefined where workspaces install the app themselves. */
  readonly botToken: string | undefined;
  /** The app-level token of Socket Mode; undefined for HTTP. */
  readonly appToken: string | undefined;
  /** The secret that signs Slack's requests; undefined for Socket Mode. */
  readonly signingSecret: string | undefined;
  /** The app's own name and secret; undefined for one workspace. */
  readonly client: { readonly id: string; readonly secret: string } | undefined;
  readonly host: string;
  readonly port: number;
}

export interface RestPartsDeps extends Pick<ChannelFeedDeps, 'reportsAll'> {
  readonly api: Api;
  readonly installations: Installations;
  readonly log: Log;
}

/** Creates the parts that use Slack's Web API. */
export const createRestParts = (
  { url, clock = realClock, speed = 1 }: SlackOptions,
  { api, installations, log, reportsAll }: RestPartsDeps,
) => {
  const people = createPeople(api, installations, Date.now);
  const threads = createThreads(api);
  const files = createFiles(api, installations, url);
  const mentions = createMentions(api, people, Date.now);
  const installedIn = (space: Space): Installed | undefined => installations.known(space);
  const reader = createMessageReader({ people, mentions, installedIn, files, log });
  const uploads = createUploads(api, { apiUrl: url, speed });
  const writer = createMessageWriter(api, uploads);
  const ownMessages = createOwnMessages(api, log, speed);
  const mirrors = createMirrors({ api, writer, threads, uploads, mentions, ownMessages });
  const catchUp = createCatchUp({ api, installations, clock, speed });
  const now = Date.now;
  const feed = createChannelFeed({
    api,
    reader,
    people,
    catchUp,
    threads,
    installations,
    reportsAll,
    now,
  });
  const access = createAccess(api, Date.now);
  const platform = createPlatform({ access, writer, threads, feed, mirrors });
  return { people, threads, files, mentions, reader, uploads, writer, feed, platform };
};
