import { setTimeout as delay } from 'node:timers/promises';
import { realClock, sleep } from '../../src/async/clock.ts';
import { AppError, faultFields, toAppError } from '../../src/errors.ts';
import type { Adapter, Core } from '../../src/adapter.ts';
import { contentIntentHint, readApplication, inviteLink, type Application } from './application.ts';
import { PLATFORM } from './ids.ts';
import { createInteractions } from './interactions/interactions.ts';
import { openAnswers } from './interactions/open-answers.ts';
import { createRestParts, type DiscordOptions } from './platform.ts';
import { createRegister } from './slash/registration.ts';
import { createConnections } from './shards/connections.ts';
import { createGatewayInfo, IDENTIFY_EVERY_MS, scarcityOf } from './shards/shard.ts';
import { createSingleBot, type BotKind } from '../../src/cluster/single-bot.ts';
import { retryUntilAborted } from '../../src/app/retry-until-aborted.ts';

export type { DiscordOptions } from './platform.ts';

/** Longest wait for a connection, e.g. of many shards, before the rest of the program starts. */
const PATIENCE_MS = 30_000;
/** Longest wait for running commands to show that they were stopped. */
const STOP_MS = 2_000;
/** Bits of an id below the time at which it was made; the time alone is a number without loss. */
const BELOW_TIME = 22n;
const BOT: BotKind = { name: 'discord-bot', noun: 'bot', variable: 'DISCORD_TOKEN' };

export const createDiscordAdapter = (options: DiscordOptions, core: Core): Adapter => {
  const { log } = core;
  const stopped = new AbortController();
  const { signal } = stopped;
  let application: Application | undefined;

  const known = (): Application => {
    if (application) return application;
    throw new AppError('unavailable', 'Discord is not connected yet', { retryable: true });
  };
  const parts = createRestParts(options, core, known);
  const { api, clients, voice, clock, commandMentions } = parts;
  const oneBot = createSingleBot(core.processes, clock, BOT);
  const commands = createRegister(api, core, commandMentions, signal);
  const awaited = openAnswers(api, core);
  const interactions = createInteractions({ ...parts, core, openAnswers: awaited });
  const info = createGatewayInfo(api, clock, parts.measured.noteStarts);
  const connections = createConnections({
    ...parts,
    options: { ...options, identifyEveryMs: options.identifyEveryMs ?? IDENTIFY_EVERY_MS },
    application: known,
    core,
    interactions,
    info,
    stopped: signal,
  });

  /** Prepares what no shard can do without, and takes shards; resolves with their promise of being connected. */
  const goOnline = async (): Promise<{ readonly connected: Promise<void> }> => {
    const found = await readApplication(api);
    const { id, hasContentIntent } = found;
    await oneBot.demand(Number(BigInt(id) >> BELOW_TIME));
    signal.throwIfAborted();
    await awaited.resume();
    // What is to be posted in servers of other processes' shards needs none here.
    if (!core.processes.isAlone) application = found;
    if (!core.receives) {
      void commands.look(id);
      core.feedListener.connected(PLATFORM);
      return { connected: Promise.resolve() };
    }
    if (!hasContentIntent)
      log.warn(`Discord: messages arrive without their text; ${contentIntentHint(id)}`);
    await commands.register(id);
    signal.throwIfAborted();
    const { shards: recommended, session_start_limit: limit } = await info({ isFresh: true });
    signal.throwIfAborted();
    const scarcity = scarcityOf(limit, recommended);
    if (scarcity) throw scarcity;
    application = found;
    return connections.start(options.shards, recommended);
  };
  const where = (): string => {
    if (!core.receives) return 'posting only';
    const { id, botName } = known();
    const count = clients.all().reduce((sum, { guilds }) => sum + guilds.cache.size, 0);
    const servers = `${count} ${count === 1 ? 'server' : 'servers'} as ${botName}`;
    return count > 0 || !core.processes.isAlone
      ? `${servers}${connections.part()}`
      : `${servers}; add it to one: ${inviteLink(id)}`;
  };

  /** Connects in the background, so that an outage of Discord does not delay other platforms. */
  const keepTrying = async (): Promise<void> =>
    retryUntilAborted(
      async () => {
        const { connected } = await goOnline();
        await connected;
        log.info({ where: where() }, 'Discord: connected');
      },
      {
        signal,
        failed: (fault) => log.error(faultFields(fault), 'Discord: still not connected'),
      },
    );

  const firstTry = async (): Promise<string> => {
    let isBegun = false;
    try {
      const { connected } = await goOnline();
      isBegun = true;
      await connected;
      return where();
    } catch (thrown) {
      const fault = toAppError(thrown);
      if (!fault.retryable) throw fault;
      // Shards that have begun try again by themselves.
      if (!isBegun) {
        log.warn({ reason: fault.message }, 'Discord: not connected yet');
        void keepTrying();
      }
      return 'not connected yet; retrying';
    }
  };

  return {
    platform: parts.platform,
    start: async () => {
      const patience = new AbortController();
      const online = firstTry();
      const slow = delay(PATIENCE_MS, 'still connecting', { signal: patience.signal });
      const outcome = await Promise.race([online, slow]).finally(() => patience.abort());
      online.catch((thrown: unknown) => {
        if (signal.aborted) return;
        log.error({ reason: toAppError(thrown).message }, 'Discord: connection failed');
      });
      return { where: outcome };
    },
    ready: () =>
      application !== undefined &&
      (connections.isConnected() || !core.receives) &&
      api.isTokenGood(),
    drain: connections.drain,
    [Symbol.asyncDispose]: async () => {
      stopped.abort(new AppError('cancelled', 'Discord is being stopped'));
      await Promise.race([interactions.stop(), sleep(realClock, STOP_MS)]);
      voice.stop();
      await connections[Symbol.asyncDispose]();
      await awaited[Symbol.asyncDispose]();
      await oneBot[Symbol.asyncDispose]();
      await clients.close();
    },
  };
};
