import { type ApiOptions, createDiscordApi } from './api.ts';
import { createChannelFeed, readRaw } from './channel-feed.ts';
import { createOpenFile } from './files.ts';
import type { Session } from './inbound/client.ts';
import { createMessageReader } from './inbound/message-reader.ts';
import { createThreadParents } from './inbound/places.ts';
import { createMemberNames } from './member-names.ts';
import { createOwnMessages } from './mirrors/find.ts';
import { createMirrors } from './mirrors/mirrors.ts';
import { createOutbox } from './mirrors/outbox.ts';
import { createWebhookRate, createWebhooks } from './mirrors/webhooks.ts';
import { createWriters } from './mirrors/writers.ts';
import { createPlatform } from './platform.ts';
import { createThreads } from './threads.ts';
import { createVoice } from './voice/index.ts';
import type { Core } from '../../src/adapter.ts';
import { type Clock, realClock } from '../../src/async/clock.ts';
import type { MessageRef } from '../../src/model/place.ts';

export interface DiscordOptions extends ApiOptions {
  /** The clock for webhook rates and refusals, and for voice channels. */
  readonly clock?: Clock;
}

/**
 * Creates the parts that use Discord's REST API.
 *
 * @param session throws while Discord is not connected
 */
export const createParts = (
  options: DiscordOptions,
  { log, rooms }: Core,
  session: () => Session,
) => {
  const { clock = realClock } = options;
  const application = () => session().application;
  const api = createDiscordApi(options);
  const openFile = createOpenFile(options.url);
  const renew = async (ref: MessageRef, fileId: string): Promise<string | undefined> => {
    const raw = await readRaw(api, ref);
    const files = raw?.message_snapshots?.[0]?.message.attachments ?? raw?.attachments;
    return files?.find(({ id }) => id === fileId)?.url;
  };
  const reader = createMessageReader({ application, openFile, renew });
  const webhooks = createWebhooks({ api, application, log, now: clock.nowMs });
  const rate = createWebhookRate(clock);
  const writers = createWriters(api, webhooks, rate);
  const parents = createThreadParents();
  const threads = createThreads(api, () => application().botId);
  const outbox = createOutbox({ api, webhooks, rate, writers });
  const ownMessages = createOwnMessages(api, reader, () => session().client);
  const mirrors = createMirrors({ api, outbox, ownMessages, writers, threads });
  const members = createMemberNames(api);
  const feed = createChannelFeed({ api, session, reader, members, parents });
  const voice = createVoice({ api, session, rooms, log, clock });
  const platform = createPlatform({ api, writers, feed, mirrors, voice: voice.port });
  return { api, openFile, reader, webhooks, parents, threads, members, platform, voice };
};
