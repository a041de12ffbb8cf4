import { RESTEvents, type Client, Routes, type APIDMChannel } from 'discord.js';
import { realClock, type Clock } from '../../src/async/clock.ts';
import type { Core } from '../../src/adapter.ts';
import { createDiscordApi, type ApiOptions, createSharedLimits } from './api.ts';
import type { Application } from './application.ts';
import { readRaw, createChannelFeed } from './channel-feed.ts';
import { createBuilder } from './builder.ts';
import { createOpenFile } from './files.ts';
import { createClient } from './inbound/client.ts';
import { createMessageReader } from './inbound/message-reader.ts';
import { createMembersTogether } from './members-together.ts';
import { createMemberNames } from './member-names.ts';
import { createThreadParents } from './thread-parents.ts';
import { declareDiscordMetrics } from './metrics.ts';
import { createMirrors } from './mirrors/mirrors.ts';
import { createBotTurns, createOutbox } from './mirrors/outbox.ts';
import { createOwnMessages } from './mirrors/own-messages.ts';
import { createWebhookRate, createWebhooks } from './mirrors/webhooks.ts';
import { createWriters } from './mirrors/writers.ts';
import { missingToPost } from './permissions.ts';
import { createClients } from './shards/clients.ts';
import { createCommandMentions } from './slash/mentions.ts';
import { createThreads } from './threads.ts';
import { createVoice } from './voice/index.ts';
import type { Content } from '../../src/model/message.ts';
import type { Channel, MessageRef } from '../../src/model/place.ts';
import { createAccess, createReadsHistory } from './access.ts';
import { createBans } from './bans.ts';
import type { Platform } from '../../src/ports/platform.ts';
import { recover } from '../../src/errors.ts';
import { isGone } from './errors.ts';
import { BY_BOT, channelOf, ownPost, ownPostOf, PLATFORM, postedOf } from './ids.ts';
import { CAPABILITIES } from './limits.ts';
import { botMessageWriter, syncParts } from './outbound/message-writer.ts';
import { render } from './outbound/render.ts';

export interface DiscordOptions extends ApiOptions {
  /** Number of shards. Default: as many as Discord recommends. */
  readonly shards?: number | undefined;
  /** Time between two new sessions of one key. Default: as Discord asks for. */
  readonly identifyEveryMs?: number;
  /** The clock for webhook rates and refusals, and for voice channels. */
  readonly clock?: Clock;
}

const REFUSED: ReadonlySet<number> = new Set([403, 404]);
/** Path of a message that is posted: its channel. */
const POSTED_IN = /^\/channels\/(\d+)\/messages$/u;

/**
 * Creates the parts that use Discord's REST API.
 *
 * @param application throws while it is unknown
 */
export const createRestParts = (
  options: DiscordOptions,
  { log, rooms, metrics, processes }: Core,
  application: () => Application,
) => {
  const { clock = realClock } = options;
  const measured = declareDiscordMetrics(metrics, clock);
  const limits = createSharedLimits({ ...options, processes, log, clock });
  const api = createDiscordApi({ ...options, limits });
  const parents = createThreadParents();
  const makeVisitor = (found: Application): Client => createClient(options, found);
  const { isAlone } = processes;
  const clients = createClients({ api, application, makeVisitor, parents, clock, isAlone });
  const botTurns = createBotTurns(clock);
  api.watch((rest) => {
    measured.watchRequests(rest);
    rest.on(RESTEvents.Response, ({ method, path }, { status, headers }) => {
      if (REFUSED.has(status)) clients.doubt(path);
      const channelId = method === 'POST' && POSTED_IN.exec(path)?.[1];
      const windowMs = 1_000 * Number(headers.get('x-ratelimit-reset-after'));
      if (channelId)
        botTurns.note(channelId, Number(headers.get('x-ratelimit-remaining')), windowMs);
    });
  });
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
  const outbox = createOutbox({ api, webhooks, rate, writers, botTurns });
  const ownMessages = createOwnMessages(api, reader, clients);
  const threads = createThreads(api, () => application().botId, ownMessages);
  const commandMentions = createCommandMentions();
  const mirrors = createMirrors({ api, outbox, ownMessages, writers, threads, commandMentions });
  const members = createMemberNames(api, clock, createMembersTogether(clients));
  const access = createAccess(api, clients, clock);
  const feed = createChannelFeed({
    api,
    application,
    clients,
    reader,
    members,
    parents,
    webhooks,
    access,
    isBanned: createBans(api, clients, clock),
  });
  const voice = createVoice({ api, application, clients, rooms, log, clock });
  /** Content as Discord shows it: with commands that people press, and the names of those who left. */
  const shown = async (to: Channel, content: Content): Promise<Content> =>
    commandMentions.on({ ...content, text: await members.withStrangers(to, content.text) });
  /** The port through which the core uses Discord. */
  const platform: Platform = {
    name: PLATFORM,
    title: 'Discord',
    naming: 'local',
    capabilities: CAPABILITIES,
    access,
    readsHistory: createReadsHistory(clients),
    missingToPost: (channel) => {
      const client = clients.here(channel.space.id);
      // What another process knows, a refused post says.
      return client || isAlone ? missingToPost(client, channel) : [];
    },
    tell: async ({ id }, content, held = {}) => {
      const body = { recipient_id: id };
      const opened = await api.send<APIDMChannel>('POST', Routes.userChannels(), { body });
      const to = channelOf(undefined, opened.id);
      await syncParts(botMessageWriter(api, to, held), [], render(commandMentions.on(content)));
    },
    post: async (to, content, held = {}) => {
      const ids = await syncParts(
        botMessageWriter(api, to, held),
        [],
        render(await shown(to, content)),
      );
      return postedOf(ownPost(to, ids, BY_BOT));
    },
    edit: async (message, content, held = {}) => {
      const former = ownPostOf(message);
      const writer = await writers.of(former, held);
      const ids = await syncParts(writer, former.ids, render(await shown(former.channel, content)));
      return postedOf(ownPost(former.channel, ids, former.handle));
    },
    delete: async (message) => recover(writers.erase(ownPostOf(message)), isGone),
    feed,
    mirrors,
    builder: createBuilder({ api, application, clients, threads, parents }),
    voice: voice.port,
  };
  return {
    measured,
    limits,
    api,
    clients,
    clock,
    openFile,
    reader,
    webhooks,
    parents,
    threads,
    members,
    commandMentions,
    shown,
    platform,
    voice,
  };
};

export type RestParts = ReturnType<typeof createRestParts>;
