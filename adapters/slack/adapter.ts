import { createAccess } from './access.ts';
import { createSlackApi, type ApiOptions } from './api.ts';
import { createCatchUp } from './catch-up.ts';
import { createChannelFeed } from './channel-feed.ts';
import { isTokenEnded } from './errors.ts';
import { PLATFORM } from './ids.ts';
import { createFiles } from './files.ts';
import { createHome } from './home/home.ts';
import { createBolt } from './inbound/bolt.ts';
import { createEventPlaces } from './inbound/event-places.ts';
import { createEventCover } from './inbound/event-cover.ts';
import { createEvents } from './inbound/events.ts';
import { createIntake } from './inbound/intake.ts';
import { createLookBack } from './inbound/look-back.ts';
import { createPendingLooks } from './inbound/pending-looks.ts';
import { createMessageReader } from './inbound/message-reader.ts';
import { openInstallations } from './install/index.ts';
import { createEventTransport } from './inbound/transport.ts';
import type { Installed } from './install/installations.ts';
import { createAgent } from './interactions/agent.ts';
import { createInteractions } from './interactions/interactions.ts';
import { createMentions } from './mentions.ts';
import { createMirrors } from './mirrors/mirrors.ts';
import { createOneApp } from './one-app.ts';
import { createOwnMessages } from './mirrors/own-messages.ts';
import { createMessageWriter } from './outbound/message-writer.ts';
import { declareSlackMetrics } from './metrics.ts';
import { createUploads } from './outbound/uploads.ts';
import { createPeople } from './people.ts';
import { createPlatform } from './platform.ts';
import { createThreads } from './threads.ts';
import { realClock } from '../../src/async/clock.ts';
import { toAppError } from '../../src/errors.ts';
import { retryUntilAborted } from '../../src/app/retry-until-aborted.ts';
import type { Adapter, Core } from '../../src/adapter.ts';
import type { Space } from '../../src/model/place.ts';

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

export const createSlackAdapter = (options: SlackOptions, core: Core): Adapter => {
  const { log, feedListener } = core;
  const { url, clock = realClock, speed = 1 } = options;
  const stopped = new AbortController();
  const { installations, pages } = openInstallations(options, core, {
    adding: async (space) => feedListener.spaceJoined(space),
    added: (spaces) => spaces.forEach((space) => lookBack.start(space)),
    changed: (spaces) => spaces.forEach((space) => forgetSpace(space)),
    stopped: stopped.signal,
  });
  const known = (space: Space): Installed | undefined => installations.known(space);
  const oneApp = createOneApp(core.processes, clock, pages && options.client?.id, () => {
    const [space] = installations.list();
    return space && known(space)?.appId;
  });
  const measured = declareSlackMetrics(core.metrics);
  const { isAlone, quota } = core.processes;
  const api = createSlackApi(
    { ...options, quota: isAlone ? undefined : quota, rateLimited: measured.rateLimited },
    installations,
  );
  const people = createPeople(api, installations, Date.now);
  const threads = createThreads(api);
  const files = createFiles(api, installations, url);
  const mentions = createMentions(api, people, Date.now);
  const reader = createMessageReader({
    people,
    mentions,
    installedIn: known,
    files,
    log,
  });
  const uploads = createUploads(api, { apiUrl: url, speed });
  const writer = createMessageWriter(api, uploads);
  const ownMessages = createOwnMessages({ api, log, speed });
  const mirrors = createMirrors({ api, writer, threads, uploads, mentions, ownMessages });
  const catchUp = createCatchUp({ api, installations, clock, speed });
  const feed = createChannelFeed({
    api,
    reader,
    people,
    catchUp,
    threads,
    installations,
    reportsAll: (space) => cover?.isKept() === true && !looks.isPending(space),
    now: Date.now,
  });
  const access = createAccess(api, Date.now);
  const platform = createPlatform({ access, writer, threads, feed, mirrors });

  const home = createHome({ api, core, people, uploads }, stopped.signal);
  const agent = createAgent({ api, core, people, reader, writer, speed }, stopped.signal);
  const interactions = createInteractions(
    {
      api,
      apiUrl: url,
      core,
      reader,
      people,
      home,
      mentions,
      threads,
      writer,
      uploads,
      log,
      speed,
      now: Date.now,
      openUpload: files.openById,
    },
    stopped.signal,
  );

  const lookBack = createLookBack({
    api,
    listener: feedListener,
    note: async (space, withinMs) => looks.note(space, Date.now() + withinMs),
    log,
    clock: realClock,
    speed,
    stopped: stopped.signal,
  });
  const looks = createPendingLooks({
    processes: core.processes,
    isInstalled: (space) => known(space) !== undefined,
    channelsOf: async (space) => {
      await handled(space);
      return lookBack.channelsOf(space);
    },
    readMissed: async (channel) => feedListener.readMissed(channel),
    log,
    clock,
    now: Date.now,
    stopped: stopped.signal,
  });

  /** Drops what this process knows of a workspace. */
  const forgetSpace = (space: Space): void => {
    for (const cache of [people, mentions, threads, feed, home, lookBack]) cache.forgetSpace(space);
  };

  /** Takes spaces from which the app was removed. */
  const removed = async (spaces: readonly Space[]): Promise<void> => {
    for (const space of spaces) {
      await feedListener.spaceLeft(space);
      forgetSpace(space);
      await looks.forgetSpace(space);
    }
  };

  const places = createEventPlaces(feedListener, installations);
  const handle = createEvents({
    listener: feedListener,
    places,
    reader,
    people,
    threads,
    installations,
    lookBack: async (space) => looks.note(space),
    removed,
    addressed: agent.addressed,
    renamed: feed.renamed,
    homeOpened: home.open,
  });

  const transport = createEventTransport(options, pages, log);
  const intake = createIntake({ core, places, handle });
  const app = createBolt({
    receiver: transport.receiver,
    apiUrl: url,
    eventsDropped: (space) => {
      people.forgetSpace(space);
      lookBack.eventsDropped(space);
    },
    joined: async ({ spaces, organisationId }) => installations.joined(spaces, organisationId),
    takeEvent: intake.take,
    log,
  });
  interactions.listen(app);

  /**
   * Resolves when what came of a space before was handled: a deletion that was missed shows only in what is stored
   * already.
   */
  const handled = async (space: Space): Promise<void> => {
    try {
      await intake.handled(space);
    } catch (err) {
      if (stopped.signal.aborted) return;
      log.warn({ err }, 'earlier events of a workspace may not be handled yet');
    }
  };

  /** Over Socket Mode there is none: Slack may not send again what came while nothing was connected. */
  const cover =
    core.receives && options.appToken === undefined
      ? createEventCover({
          agreements: core.processes.agreements,
          clock,
          now: Date.now,
          speed,
          log,
          stopped: stopped.signal,
          isTaking: () => transport.isConnected(),
          missed: async () => {
            for (const space of installations.list()) await looks.note(space);
          },
        })
      : undefined;

  const unwatch = installations.watch();
  let isPosting = false;
  transport.onConnected(() => {
    measured.connected();
    people.forgetAll();
    feedListener.connected(PLATFORM);
    if (cover) void cover.keep();
    else for (const space of installations.list()) lookBack.start(space);
  });

  /** Only asks and posts, for other processes take the events. */
  const startPosting = (): string => {
    isPosting = true;
    feedListener.connected(PLATFORM);
    return 'posting only';
  };

  const goOnline = async (): Promise<string> => {
    await installations.load();
    await oneApp.demand();
    stopped.signal.throwIfAborted();
    if (core.receives) await looks.start();
    await cover?.look();
    await intake.resume();
    const where = core.receives ? await transport.start() : startPosting();
    const names = installations.list().map((space) => known(space)?.url ?? space.id);
    return [where, ...names].join(' ');
  };

  /** True while some workspace can use the app, or the first one can install it. */
  const isUsable = (): boolean => {
    const spaces = installations.list();
    return spaces.length === 0 ? pages !== undefined : spaces.some(api.isTokenGood);
  };

  /** Connects in the background, so that an outage of Slack does not delay other platforms. */
  const keepTrying = async (): Promise<void> =>
    retryUntilAborted(async () => log.info({ where: await goOnline() }, 'Slack: connected'), {
      signal: stopped.signal,
      failed: ({ code, message }) =>
        log.error({ code, reason: message }, 'Slack: still not connected'),
    });

  return {
    platform,
    start: async () => {
      try {
        return { where: await goOnline() };
      } catch (thrown) {
        const fault = toAppError(thrown);
        // A token that Slack does not accept is a mistake of the configuration.
        if (!fault.retryable || isTokenEnded(fault)) throw fault;
        log.warn({ reason: fault.message }, 'Slack: not connected yet');
        void keepTrying();
        return { where: 'not connected yet; retrying' };
      }
    },
    ready: () => (core.receives ? transport.isConnected() : isPosting) && isUsable(),
    [Symbol.asyncDispose]: async () => {
      stopped.abort();
      unwatch();
      intake[Symbol.dispose]();
      await transport.stop();
      await installations.settled();
      await oneApp[Symbol.asyncDispose]();
    },
  };
};
