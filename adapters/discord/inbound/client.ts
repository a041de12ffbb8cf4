import {
  Client,
  Events,
  GatewayCloseCodes,
  Options,
  SimpleShardingStrategy,
  Status,
  type GatewayDispatchEvents,
  type GatewayDispatchPayload,
  type GatewayGuildCreateDispatchData,
} from 'discord.js';
import {
  backoffMs,
  type Backoff,
  onClockJump,
  realClock,
  sleep,
} from '../../../src/async/clock.ts';
import { boundSending } from '../library-clock.ts';
import { AppError, toAppError } from '../../../src/errors.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import { restOptions, type RestSettings } from '../api.ts';
import { contentIntentHint, intentsOf, wrongToken, type Application } from '../application.ts';
import { fromDiscord } from '../errors.ts';
import type { RawMessage } from './message-reader.ts';

/** Longest wait for `Client.destroy`, which waits for a gateway that may not answer. */
const DESTROY_MS = 2_000;

const isItself = ({ id, client }: { readonly id: string; readonly client: Client }): boolean =>
  id === client.user?.id;

/** Caches servers, channels and roles, for permissions, and neither people nor messages. */
const makeCache = Options.cacheWithLimits({
  ApplicationCommandManager: 0,
  AutoModerationRuleManager: 0,
  BaseGuildEmojiManager: 0,
  DMMessageManager: 0,
  EntitlementManager: 0,
  GuildBanManager: 0,
  GuildEmojiManager: 0,
  GuildInviteManager: 0,
  GuildMemberManager: { maxSize: 0, keepOverLimit: isItself },
  GuildMessageManager: 0,
  GuildScheduledEventManager: 0,
  GuildStickerManager: 0,
  MessageManager: 0,
  PresenceManager: 0,
  ReactionManager: 0,
  ReactionUserManager: 0,
  StageInstanceManager: 0,
  ThreadMemberManager: 0,
  UserManager: { maxSize: 0, keepOverLimit: isItself },
  VoiceStateManager: 0,
});

/**
 * Parts of discord.js that create objects for each message and reaction, for events without
 * listeners here.
 */
const UNUSED_ACTIONS = [
  'MessageCreate',
  'MessageUpdate',
  'MessageDelete',
  'MessageReactionAdd',
  'MessageReactionRemove',
];

/** Clients whose connection was ended, and that must not connect again. */
const destroyed = new WeakSet<Client>();
/** Watchers of the wall clock, which keep the limits of each client through its jumps. */
const following = new WeakMap<Client, Disposable>();

/** The shard of a client that is to connect. */
export interface ClientShard {
  readonly id: number;
  /** Number of all shards. */
  readonly count: number;
  /** Waits before each IDENTIFY. */
  readonly waitForIdentify: (signal: AbortSignal) => Promise<void>;
}

/** Creates a client of one shard; without one, a client that is not to connect. */
export const createClient = (
  options: RestSettings,
  application: Application,
  shard?: ClientShard,
): Client => {
  const waitForIdentify = async (_: number, signal: AbortSignal): Promise<void> =>
    shard?.waitForIdentify(signal);
  const client: Client = new Client({
    intents: intentsOf(application),
    shards: [shard?.id ?? 0],
    shardCount: shard?.count ?? 1,
    ws: {
      buildIdentifyThrottler: async () => ({ waitForIdentify }),
      // discord.js connects again after `destroy` where it waited for anything; each connection
      // begins by asking for the session.
      buildStrategy: (manager) => {
        const given = { ...manager.options };
        Object.assign(manager.options, {
          retrieveSessionInfo: (id: number) =>
            destroyed.has(client) ? new Promise(() => {}) : given.retrieveSessionInfo(id),
        });
        return new SimpleShardingStrategy(manager);
      },
    },
    makeCache,
    // A second guard: messages go out through `outbound/message-writer.ts`, which allows no ping.
    allowedMentions: { parse: [], repliedUser: false },
    rest: restOptions(options),
  });
  const { actions } = client as unknown as { actions: Record<string, { handle(): object }> };
  for (const name of UNUSED_ACTIONS) {
    const action = actions[name];
    if (action) action.handle = () => ({});
  }
  return client;
};

const MORE_SHARDS = 'so many servers need more shards; start again, and they are taken';
const TOO_OLD = 'it does not take what this version asks for; install a newer version';

/** Steps that people have to take before the gateway accepts the bot again. */
const TO_DO: Partial<Readonly<Record<GatewayCloseCodes, string>>> = {
  [GatewayCloseCodes.InvalidShard]: MORE_SHARDS,
  [GatewayCloseCodes.ShardingRequired]: MORE_SHARDS,
  [GatewayCloseCodes.InvalidAPIVersion]: TOO_OLD,
  [GatewayCloseCodes.InvalidIntents]: TOO_OLD,
};

const closeFault = (code: GatewayCloseCodes, { id }: Application): AppError => {
  if (code === GatewayCloseCodes.AuthenticationFailed) return wrongToken();
  const isIntent = code === GatewayCloseCodes.DisallowedIntents;
  const what = isIntent ? contentIntentHint(id) : (TO_DO[code] ?? 'start again');
  return new AppError('config', `Discord closed the connection for good (${code}): ${what}`);
};

/** Waits between two log lines about the same fault; the library tries again twice a second. */
const LOG_BACKOFF: Backoff = { firstMs: 2_000, longestMs: 300_000 };
/** Time without a fault after which the backoff starts over. */
const CALM_MS = 60_000;

/**
 * Creates the check of whether a repeated fault is to be logged: the first time, and then with
 * growing pauses while it lasts.
 */
export const createLogBackoff = (now: () => number): ((fault: string) => boolean) => {
  const faults = new Map<string, { logged: number; dueMs: number; lastMs: number }>();
  return (fault) => {
    const atMs = now();
    const known = faults.get(fault);
    const state =
      known && atMs - known.lastMs < CALM_MS ? known : { logged: 0, dueMs: 0, lastMs: 0 };
    faults.set(fault, state);
    state.lastMs = atMs;
    if (atMs < state.dueMs) return false;
    state.dueMs = atMs + backoffMs(LOG_BACKOFF, state.logged);
    state.logged += 1;
    return true;
  };
};

/** Ends the connection without logging it. */
export const destroy = async (client: Client): Promise<void> => {
  destroyed.add(client);
  following.get(client)?.[Symbol.dispose]();
  client.removeAllListeners(Events.ShardDisconnect);
  client.removeAllListeners(Events.ShardReconnecting);
  await Promise.race([client.destroy().catch(() => undefined), sleep(realClock, DESTROY_MS)]);
};

export interface ConnectDeps {
  readonly application: Application;
  readonly client: Client;
  readonly token: string;
  readonly log: Log;
  /** Cancels the waiting, not the connection. */
  readonly signal: AbortSignal;
  /** Called when the connection has ended permanently. */
  readonly onLost: (error: AppError) => void;
  /** Time in ms, for the pace of log lines. */
  readonly now?: () => number;
}

/**
 * Connects; resolves when the servers are known. Rejects with `config` for faults that people have
 * to correct, and with a retryable error otherwise.
 */
export const connect = async (deps: ConnectDeps): Promise<void> => {
  const { client, token, application, log, signal, onLost, now = realClock.nowMs } = deps;
  const ready = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => ready.reject(signal.reason), { once: true });
  client.once(Events.ClientReady, () => ready.resolve());
  client.on(Events.ShardDisconnect, ({ code }) => {
    const error = closeFault(code, application);
    ready.reject(error);
    onLost(error);
  });
  // Without a listener discord.js would end the process.
  client.on(Events.Error, (error) => log.warn({ reason: error.name }, 'Discord: client error'));
  const jumps = { now: () => Date.now(), clock: realClock };
  following.set(
    client,
    onClockJump(() => boundSending(client), jumps),
  );
  const shouldLog = createLogBackoff(now);
  client.on(Events.ShardError, (error, shard) => {
    if (shouldLog(`error ${shard}`))
      log.warn({ shard, reason: error.name }, 'Discord: connection error');
  });
  client.on(Events.ShardReconnecting, (shard) => {
    if (shouldLog(`reconnecting ${shard}`)) log.info({ shard }, 'Discord: reconnecting');
  });
  client.on(Events.ShardResume, (_, events) => log.info({ events }, 'Discord: session resumed'));
  const login = client.login(token).catch((thrown: unknown) => {
    if ((thrown as { readonly code?: unknown }).code === 'TokenInvalid') throw wrongToken();
    const fault = fromDiscord(thrown, 'the login');
    if (fault.code !== 'internal') throw fault;
    // Errors of the library itself, such as for used-up session starts, have no code.
    const reason = thrown instanceof Error ? thrown.message : '';
    throw new AppError('unavailable', `no login: ${reason}`, { cause: thrown, retryable: true });
  });
  try {
    await Promise.race([login.then(async () => ready.promise), ready.promise]);
  } catch (thrown) {
    client.ws.removeAllListeners();
    // A login that is still requesting the gateway would connect after the end of its client.
    void login.catch(() => undefined).then(async () => destroy(client));
    throw thrown;
  }
};

export const isConnected = (client: Client): boolean =>
  client.isReady() && client.ws.shards.every(({ status }) => status === Status.Ready);

/** The data of events that are read in another way than the library types them. */
interface Typed {
  readonly [GatewayDispatchEvents.MessageCreate]: RawMessage;
  /** Partial: embeds that load later may come alone. */
  readonly [GatewayDispatchEvents.MessageUpdate]: Partial<RawMessage> &
    Pick<RawMessage, 'id' | 'channel_id'>;
  readonly [GatewayDispatchEvents.GuildCreate]:
    | GatewayGuildCreateDispatchData
    | { readonly id: string; readonly unavailable: true };
}

type Dispatched<Event extends GatewayDispatchEvents> = Event extends keyof Typed
  ? Typed[Event]
  : Extract<GatewayDispatchPayload, { readonly t: Event }>['d'];

export type On = <Event extends GatewayDispatchEvents>(
  event: Event,
  handle: (data: Dispatched<Event>) => Promise<void> | void,
) => void;

/**
 * Creates the subscription to raw gateway events: they do not depend on the caches of discord.js,
 * and come in order, even while it still waits for its servers. Errors of listeners are logged.
 *
 * @param isHeld false once another process may have the shard: its events are that process's
 */
export const createOn =
  (client: Client, log: Log, isHeld: () => boolean): On =>
  (event, handle) => {
    client.ws.on(event, (data: Parameters<typeof handle>[0]) => {
      if (!isHeld()) return;
      const run = async (): Promise<void> => handle(data);
      run().catch((thrown: unknown) => {
        const { code, message, cause } = toAppError(thrown);
        log.error({ event, code, reason: message, err: cause }, 'an event could not be handled');
      });
    });
  };
