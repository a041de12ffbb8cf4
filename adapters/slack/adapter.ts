import { createSlackApi } from './api.ts';
import { isTokenEnded } from './errors.ts';
import { PLATFORM } from './ids.ts';
import { readMessage } from './history.ts';
import { createHome } from './home.ts';
import { createHomeSteps } from './home-steps.ts';
import { createBolt, createIntake } from './inbound/intake.ts';
import { createEvents } from './inbound/events.ts';
import { createHttp } from './inbound/http.ts';
import { createMissedEvents } from './inbound/missed-events.ts';
import { createSocket } from './inbound/socket.ts';
import { createGreeting } from './install/greeting.ts';
import { openInstallations } from './install/index.ts';
import { createAgent } from './interactions/agent.ts';
import { createAnswer, type AnswerPlace } from './interactions/answer.ts';
import { createForms } from './interactions/forms.ts';
import { createInteractions } from './interactions/interactions.ts';
import { createModals } from './interactions/modals.ts';
import { openAnswers } from './interactions/open-answers.ts';
import { declareSlackMetrics } from './metrics.ts';
import { createModerators } from './moderators.ts';
import { createOneApp } from './one-app.ts';
import { createRestParts, type SlackOptions } from './platform.ts';
import { realClock } from '../../src/async/clock.ts';
import { faultFields, toAppError } from '../../src/errors.ts';
import { retryUntilAborted } from '../../src/app/retry-until-aborted.ts';
import type { Adapter, Core } from '../../src/adapter.ts';
import type { Space } from '../../src/model/place.ts';
import type { Answer } from '../../src/ports/platform.ts';

export type { SlackOptions } from './platform.ts';

export const createSlackAdapter = (options: SlackOptions, core: Core): Adapter => {
  const { log, feedListener } = core;
  const { url, clock = realClock, speed = 1 } = options;
  const stopping = new AbortController();
  const stopped = stopping.signal;
  const { installations, pages } = openInstallations(options, core, stopped);
  const oneApp = createOneApp(core.processes, clock, pages && options.client?.id, () => {
    const [space] = installations.list();
    return space && installations.known(space)?.appId;
  });
  const measured = declareSlackMetrics(core.metrics);
  const { isAlone, quota } = core.processes;
  const api = createSlackApi(
    { ...options, quota: isAlone ? undefined : quota, rateLimited: measured.rateLimited },
    installations,
  );
  const isSocket = options.appToken !== undefined;
  const transport = (isSocket ? createSocket : createHttp)(options, pages, log);
  const isTaking = isSocket ? undefined : () => transport.isConnected();
  const missed = createMissedEvents({
    api,
    core,
    installations,
    clock,
    speed,
    stopped,
    isTaking,
  });
  const { reportsAll } = missed;
  const parts = createRestParts(options, { api, installations, log, reportsAll });
  const { people, threads, files, mentions, reader, uploads, writer, feed, platform } = parts;

  const now = realClock.nowMs;
  /** People as those who use something. */
  const users = createModerators({ api, people, services: core.services, log, now });
  const steps = createHomeSteps(core, (space) => installations.known(space)?.botName ?? '');
  const home = createHome({ api, core, people: users, mentions, uploads, steps }, stopped);
  const greeting = createGreeting({ api, core, people, platform, installations });
  const { texts } = core;
  const answering = {
    api,
    apiUrl: url,
    mentions,
    writer,
    uploads,
    texts,
    log,
    speed,
    now: realClock.nowMs,
  };
  const answerAt = (place: AnswerPlace): Answer => createAnswer(answering, place);
  const awaited = openAnswers({ api, core, people, mentions, writer, answerAt });
  const agent = createAgent(
    {
      api,
      core,
      people: users,
      reader,
      mentions,
      writer,
      uploads,
      speed,
      openAnswers: awaited,
      answerAt,
    },
    stopped,
  );
  const openUpload = files.openById;
  const interactions = createInteractions(
    {
      core,
      reader,
      readMessage: async (channel, ts) => readMessage(api, channel, ts),
      people: users,
      named: async (space, text) => feed.named({ space, id: '' }, text),
      threads,
      home,
      modals: createModals({ api, core, people: users, mentions, openUpload }),
      forms: createForms(api, core),
      answerAt,
      openAnswers: awaited,
    },
    stopped,
  );

  /** Drops what this process knows of a workspace. */
  const forgetSpace = (space: Space): void => {
    for (const cache of [people, mentions, threads, feed, home, missed]) cache.forgetSpace(space);
  };
  const handle = createEvents({
    listener: feedListener,
    reader,
    people,
    threads,
    installations,
    lookBack: missed.note,
    removed: async (spaces) => {
      for (const space of spaces) {
        await feedListener.spaceLeft(space);
        forgetSpace(space);
        await missed.removed(space);
      }
    },
    addressed: agent.addressed,
    written: agent.written,
    renamed: feed.renamed,
    homeOpened: home.open,
    invited: (channel, inviterId) => void greeting.invited(channel, inviterId),
    asked: interactions.asked,
  });
  const intake = createIntake({ core, installations, handle });
  const app = createBolt({
    receiver: transport.receiver,
    apiUrl: url,
    eventsDropped: (space) => {
      people.forgetSpace(space);
      missed.eventsDropped(space);
    },
    joined: async ({ spaces, organisationId }) => installations.joined(spaces, organisationId),
    takeEvent: intake.take,
    log,
  });
  interactions.listen(app);

  /** Resolves when the earlier events of a workspace were handled, or may not be yet. */
  const handled = async (space: Space): Promise<void> => {
    try {
      await intake.handled(space);
    } catch (err) {
      if (!stopped.aborted)
        log.warn({ err }, 'earlier events of a workspace may not be handled yet');
    }
  };

  const unwatch = installations.watch({
    adding: async (space) => feedListener.spaceJoined(space),
    added: (spaces, installerId) => {
      spaces.forEach(missed.lookBack);
      const [space] = spaces;
      if (space && installerId !== undefined) void greeting.installed(space, installerId);
    },
    changed: (spaces) => spaces.forEach(forgetSpace),
  });
  let isPosting = false;
  transport.onConnected(() => {
    measured.connected();
    people.forgetAll();
    feedListener.connected(PLATFORM);
    missed.connected();
  });

  /** Begins to call and post only, as other processes take the events. */
  const startPosting = (): string => {
    isPosting = true;
    feedListener.connected(PLATFORM);
    return 'posting only';
  };

  const goOnline = async (): Promise<string> => {
    await installations.load();
    await oneApp.demand();
    stopped.throwIfAborted();
    await missed.resume(handled);
    await awaited.resume();
    await intake.resume();
    const where = core.receives ? await transport.start() : startPosting();
    const names = installations.list().map((space) => installations.known(space)?.url ?? space.id);
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
      signal: stopped,
      failed: (fault) => log.error(faultFields(fault), 'Slack: still not connected'),
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
      stopping.abort();
      unwatch();
      intake[Symbol.dispose]();
      await transport.stop();
      await awaited[Symbol.asyncDispose]();
      await installations.settled();
      await oneApp[Symbol.asyncDispose]();
    },
  };
};
