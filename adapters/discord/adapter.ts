import { setTimeout as delay } from 'node:timers/promises';
import { realClock, sleep, type Clock } from '../../src/async/clock.ts';
import { AppError, toAppError } from '../../src/errors.ts';
import type { Adapter, Core } from '../../src/adapter.ts';
import { createAcknowledge } from './interactions/acknowledge.ts';
import { contentIntentHint, readApplication, inviteLink, type Application } from './application.ts';
import {
  connect,
  createClient,
  destroy,
  isConnected,
  createOn,
  type Session,
} from './inbound/client.ts';
import { GatewayDispatchEvents } from 'discord.js';
import { listenToMessages } from './inbound/messages.ts';
import { listenToPlaces } from './inbound/places.ts';
import { listenToReactions } from './inbound/reactions.ts';
import { createInteractions, type Interactions } from './interactions/interactions.ts';
import { createRegister } from './slash/registration.ts';
import { tryAgain } from '../../src/try-again.ts';
import { readRaw, createChannelFeed } from './channel-feed.ts';
import { createAccess } from './access.ts';
import { createDiscordApi, type ApiOptions } from './api.ts';
import { declareDiscordMetrics } from './metrics.ts';
import { createOpenFile } from './files.ts';
import { createMessageReader } from './inbound/message-reader.ts';
import { createMemberNames, createThreadParents } from './memory.ts';
import { createOwnMessages } from './mirrors/own-messages.ts';
import { createMirrors } from './mirrors/mirrors.ts';
import { createOutbox } from './mirrors/outbox.ts';
import { createWebhookRate, createWebhooks } from './mirrors/webhooks.ts';
import { createWriters } from './mirrors/writers.ts';
import { missingToPost } from './permissions.ts';
import { createPlatform } from './platform.ts';
import { createThreads } from './threads.ts';
import { createVoice } from './voice/index.ts';
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
const createParts = (
  options: DiscordOptions,
  { log, rooms, metrics }: Core,
  session: () => Session,
) => {
  const { clock = realClock } = options;
  const application = () => session().application;
  const measured = declareDiscordMetrics(metrics);
  const api = createDiscordApi({ ...options, watchRequests: measured.watchRequests });
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
  const access = createAccess(api, () => session().client);
  const platform = createPlatform({
    api,
    access,
    missingToPost: (channel) => missingToPost(session().client, channel),
    writers,
    feed,
    mirrors,
    voice: voice.port,
  });
  return { measured, api, openFile, reader, webhooks, parents, threads, members, platform, voice };
};

/** Longest wait for a connection, e.g. of many shards, before the rest of the program starts. */
const PATIENCE_MS = 30_000;
/** Longest wait for running commands to show that they were stopped. */
const STOP_MS = 2_000;

export const createDiscordAdapter = (options: DiscordOptions, core: Core): Adapter => {
  const { log } = core;
  const stopped = new AbortController();
  const { signal } = stopped;
  let session: Session | undefined;
  let interactions: Interactions | undefined;

  const current = (): Session => {
    if (session) return session;
    throw new AppError('unavailable', 'Discord is not connected yet', { retryable: true });
  };
  const parts = createParts(options, core, current);
  const { api, members, threads, voice, webhooks } = parts;
  const register = createRegister({ api, core, signal });

  const open = (application: Application): Session => {
    const client = createClient(options, application);
    parts.measured.watchRequests(client.rest);
    parts.measured.watchSessions(client);
    const acknowledge = createAcknowledge(api, log);
    const taking = createInteractions({ ...parts, core, acknowledge });
    interactions = taking;
    const { botId, hasContentIntent } = application;
    const on = createOn(client, log);
    const deps = { ...parts, listener: core.feedListener, interactions: taking, botId };
    listenToMessages(on, {
      ...deps,
      rooms: core.rooms,
      log,
      fetch: async (ref) => {
        const raw = await readRaw(api, ref);
        return raw && members.complete(raw, ref.channel);
      },
      hasContentIntent,
    });
    listenToReactions(on, deps);
    listenToPlaces(on, client, {
      ...deps,
      threadGone: (id) => void threads.forget(id),
      webhooksChanged: (channelId) => webhooks.forget(channelId),
      permissionsChanged: (guildId) => webhooks.reconsider(guildId),
    });
    voice.listen(on, botId);
    on(GatewayDispatchEvents.InteractionCreate, async (raw) => taking.take(raw));
    return { application, client };
  };

  const goOnline = async (): Promise<string> => {
    const application = await readApplication(api);
    const { id, botName, hasContentIntent } = application;
    signal.throwIfAborted();
    if (!hasContentIntent)
      log.warn(`Discord: messages arrive without their text; ${contentIntentHint(id)}`);
    await register(id);
    signal.throwIfAborted();
    const opened = open(application);
    session = opened;
    try {
      await connect({
        ...opened,
        token: options.token,
        log,
        signal,
        onLost: ({ code, message }) =>
          log.error({ code, reason: message }, 'Discord: disconnected for good'),
      });
    } catch (thrown) {
      session = undefined;
      throw thrown;
    }
    const count = opened.client.guilds.cache.size;
    const servers = `${count} ${count === 1 ? 'server' : 'servers'} as ${botName}`;
    return count > 0 ? servers : `${servers}; add it to one: ${inviteLink(id)}`;
  };

  /** Connects in the background, so that an outage of Discord does not delay other platforms. */
  const keepTrying = async (): Promise<void> =>
    tryAgain(async () => log.info({ where: await goOnline() }, 'Discord: connected'), {
      signal,
      failed: ({ code, message }) =>
        log.error({ code, reason: message }, 'Discord: still not connected'),
    });

  return {
    platform: parts.platform,
    start: async () => {
      const patience = new AbortController();
      const online = goOnline().catch((thrown: unknown) => {
        const fault = toAppError(thrown);
        if (!fault.retryable) throw fault;
        log.warn({ reason: fault.message }, 'Discord: not connected yet');
        void keepTrying();
        return 'not connected yet; retrying';
      });
      const slow = delay(PATIENCE_MS, 'still connecting', { signal: patience.signal });
      const where = await Promise.race([online, slow]).finally(() => patience.abort());
      online.catch((thrown: unknown) => {
        if (signal.aborted) return;
        log.error({ reason: toAppError(thrown).message }, 'Discord: connection failed');
      });
      return { where };
    },
    ready: () => session !== undefined && isConnected(session.client) && api.isTokenGood(),
    [Symbol.asyncDispose]: async () => {
      stopped.abort();
      await Promise.race([interactions?.stop(), sleep(realClock, STOP_MS)]);
      voice.stop();
      if (session) await destroy(session.client);
    },
  };
};
