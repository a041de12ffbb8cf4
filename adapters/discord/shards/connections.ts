import { GatewayDispatchEvents, type Client } from 'discord.js';
import { sleep } from '../../../src/async/clock.ts';
import { createLru } from '../../../src/async/lru.ts';
import { faultFields, type AppError } from '../../../src/errors.ts';
import type { Core } from '../../../src/adapter.ts';
import type { Message } from '../../../src/model/message.ts';
import type { Channel } from '../../../src/model/place.ts';
import type { Tenure } from '../../../src/ports/processes.ts';
import type { Application } from '../application.ts';
import { readRaw } from '../channel-feed.ts';
import { connect, createClient, createOn } from '../inbound/client.ts';
import { listenToCalls } from '../inbound/calls.ts';
import { listenToMessages, listenToReactions } from '../inbound/messages.ts';
import { listenToPlaces } from '../inbound/places.ts';
import type { Interactions } from '../interactions/interactions.ts';
import type { DiscordOptions, RestParts } from '../platform.ts';
import { createWelcome } from '../welcome.ts';
import { createIdentifyGate, type GatewayInfo, openShard, type ShardKey } from './shard.ts';
import { createShards } from './shards.ts';

export interface ConnectionsDeps extends RestParts {
  readonly options: DiscordOptions & { readonly identifyEveryMs: number };
  readonly application: () => Application;
  readonly core: Core;
  readonly interactions: Interactions;
  readonly info: GatewayInfo;
  /** Aborted once the adapter stops. */
  readonly stopped: AbortSignal;
}

/** Longest wait for the first shard, which other processes may have, and keep for a time if they have just got it. */
const FIRST_MS = 8_000;
const LOOK_MS = 50;
/** Messages remembered, as two sessions report each while the number of shards changes. */
const REMEMBERED_MESSAGES = 1_000;

const guildsOf = (client: Client): readonly string[] => [...client.guilds.cache.keys()];

/** Creates the connections of this process's shards. */
export const createConnections = (deps: ConnectionsDeps) => {
  const { options, application, core, interactions, info, stopped, ...parts } = deps;
  const { api, clients, clock, limits, measured, members, platform, threads, voice, webhooks } =
    parts;
  const { log, processes } = core;
  const gate = createIdentifyGate({
    info,
    quota: processes.quota,
    log,
    clock,
    everyMs: options.identifyEveryMs,
  });
  const read = createLru<string, true>(REMEMBERED_MESSAGES);
  const rooms = {
    reads: (channel: Channel): boolean => core.rooms.reads(channel),
    wrote: (message: Message): void => {
      if (read.get(message.ref.id)) return;
      read.set(message.ref.id, true);
      core.rooms.wrote(message);
    },
  };
  /** Clients that are closed, whose events count no more. */
  const shut = new WeakSet<Client>();
  /** Servers whose rooms a client is for: another one may have them, too, while the number of shards changes. */
  const servedBy = (client: Client): readonly string[] =>
    guildsOf(client).filter((id) => clients.here(id) === client);

  const open = (key: ShardKey, tenure: Tenure): Client => {
    const waitForIdentify = async (signal: AbortSignal): Promise<void> =>
      gate({ ...key, tenure }, AbortSignal.any([signal, tenure.signal, stopped]));
    const client = createClient(options, application(), { ...key, waitForIdentify });
    measured.watchRequests(client.rest);
    limits.watch(client.rest);
    measured.watchSessions(client);
    const { botId, hasContentIntent } = application();
    const isHeld = (): boolean => tenure.isHeld();
    const on = createOn(client, log, () => !shut.has(client) && isHeld());
    const listening = { ...parts, listener: core.feedListener, interactions, botId };
    listenToMessages(on, {
      ...listening,
      rooms,
      log,
      fetch: async (ref) => {
        const raw = await readRaw(api, ref);
        return raw && members.complete(raw, ref.channel);
      },
      hasContentIntent,
    });
    listenToReactions(on, listening);
    listenToPlaces(on, client, {
      ...listening,
      threadGone: (id) => void threads.forget(id),
      webhooksChanged: (channelId) => webhooks.forget(channelId),
      permissionsChanged: (guildId) => webhooks.reconsider(guildId),
      welcome: createWelcome({ api, core, platform, botId }),
    });
    listenToCalls(on, {
      core,
      platform,
      botId,
      localeOf: (guildId) => client.guilds.cache.get(guildId)?.preferredLocale,
    });
    voice.listen(on, client, botId);
    on(GatewayDispatchEvents.InteractionCreate, async (raw) => interactions.take(raw, isHeld));
    clients.add(client);
    return client;
  };

  const onLost = (fault: AppError): void =>
    log.error(faultFields(fault), 'Discord: disconnected for good');

  const shards = createShards({
    processes,
    log,
    identifyEveryMs: options.identifyEveryMs,
    open: (key, tenure, connected) =>
      openShard({
        key,
        tenure,
        log,
        stopped,
        connected,
        open,
        connect: async (client, signal) =>
          connect({
            client,
            application: application(),
            token: options.token,
            log,
            signal,
            onLost,
          }),
        leave: async (client) => voice.leave(servedBy(client)),
        closed: (client) => {
          const served = servedBy(client);
          shut.add(client);
          clients.remove(client);
          if (!stopped.aborted) voice.forget(served);
        },
      }),
  });

  /** True once this process has got its first shards, or has waited long enough for them: others may have them all. */
  let isSettled = false;

  /** Resolves when the first shards that this process got are connected. */
  const connectFirst = async (): Promise<void> => {
    for (let waitedMs = 0; waitedMs < FIRST_MS; waitedMs += LOOK_MS) {
      if (shards.own().length > 0) break;
      await sleep(clock, LOOK_MS, stopped);
    }
    isSettled = true;
    await Promise.all(shards.own().map(async ({ first }) => first));
  };

  return {
    /**
     * Begins to take shards. `connected` resolves when those that it got at first are connected, and rejects with
     * the first failure; these shards try again by themselves. Rejects where no shard could be taken, which
     * the caller may try again.
     */
    start: async (
      fixed: number | undefined,
      recommended: number,
    ): Promise<{ readonly connected: Promise<void> }> => {
      await shards.start(fixed, recommended);
      return { connected: connectFirst() };
    },
    /** Says which part of the shards is here; empty where no other process can have any. */
    part: (): string =>
      processes.isAlone ? '' : ` (${shards.own().length} of ${shards.count()} shards)`,
    /** True when shards are taken, and each that this process has is connected; other processes may have them all. */
    isConnected: (): boolean => {
      const own = shards.own();
      return (
        isSettled &&
        own.every((shard) => shard.isConnected()) &&
        (own.length > 0 || !processes.isAlone)
      );
    },
    /** Takes no more shards; those that this process has stay connected. */
    drain: (): void => shards.drain(),
    [Symbol.asyncDispose]: async (): Promise<void> => {
      await shards[Symbol.asyncDispose]();
    },
  };
};
