import { Client, Events, GatewayCloseCodes, Options, Status } from 'discord.js';
import { realClock, sleep } from '../../../src/async/clock.ts';
import { AppError } from '../../../src/errors.ts';
import type { Log } from '../../../src/log.ts';
import { restOptions, type RestSettings } from '../api.ts';
import { contentIntentHint, intentsOf, wrongToken, type Application } from '../application.ts';
import { fromDiscord } from '../errors.ts';

/** `Client.destroy` waits for a gateway that may be gone. */
const DESTROY_MS = 2_000;

const isItself = ({ id, client }: { readonly id: string; readonly client: Client }): boolean =>
  id === client.user?.id;

/** Servers, channels and roles are kept, for permissions; of people and messages nothing is. */
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

/** Who we are, and the connection. */
export interface Session {
  readonly application: Application;
  readonly client: Client;
}

export const createClient = (options: RestSettings, application: Application): Client =>
  new Client({
    intents: intentsOf(application),
    shards: 'auto',
    makeCache,
    // A second guard: messages go out through `outbound/message-writer.ts`, which allows no ping.
    allowedMentions: { parse: [], repliedUser: false },
    rest: restOptions(options),
  });

const MORE_SHARDS = 'so many servers need more shards; start again, and they are taken';
const TOO_OLD = 'it does not take what this version asks for; install a newer version';

/** What people have to do before the gateway lets us in again. */
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

export interface ConnectDeps extends Session {
  readonly token: string;
  readonly log: Log;
  /** Ends the waiting, not the connection. */
  readonly signal: AbortSignal;
  /** The connection has ended for good. */
  readonly onLost: (error: AppError) => void;
}

/**
 * Connects; resolves when the servers are known. Rejects with `config` for what people have to
 * change, and with what can be tried again otherwise.
 */
export const connect = async (deps: ConnectDeps): Promise<void> => {
  const { client, token, application, log, signal, onLost } = deps;
  const ready = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => ready.reject(signal.reason), { once: true });
  client.once(Events.ClientReady, () => ready.resolve());
  client.on(Events.ShardDisconnect, ({ code }) => {
    const error = closeFault(code, application);
    ready.reject(error);
    onLost(error);
  });
  // Without a listener discord.js would end the process.
  client.on(Events.Error, (error) => log.warn({ reason: error.name }, 'Discord: an error'));
  client.on(Events.ShardError, (error) => log.warn({ reason: error.name }, 'Discord: disturbed'));
  client.on(Events.ShardReconnecting, () => log.info('Discord: connecting again'));
  client.on(Events.ShardResume, (_, events) => log.info({ events }, 'Discord: resumed'));
  const login = client.login(token).catch((thrown: unknown) => {
    if ((thrown as { readonly code?: unknown }).code === 'TokenInvalid') throw wrongToken();
    const fault = fromDiscord(thrown, 'the login');
    if (fault.code !== 'internal') throw fault;
    // What the library itself throws, of session starts that are used up for today, has no code.
    const reason = thrown instanceof Error ? thrown.message : '';
    throw new AppError('unavailable', `no login: ${reason}`, { cause: thrown, retryable: true });
  });
  try {
    await Promise.race([login.then(async () => ready.promise), ready.promise]);
  } catch (thrown) {
    client.ws.removeAllListeners();
    // A login that still asks for the gateway would connect after the end of its client.
    void login.catch(() => undefined).then(async () => destroy(client));
    throw thrown;
  }
};

/** Whether every shard is connected now. */
export const isConnected = (client: Client): boolean =>
  client.isReady() && client.ws.shards.every(({ status }) => status === Status.Ready);

/** Ends the connection, without a word about it. */
export const destroy = async (client: Client): Promise<void> => {
  client.removeAllListeners(Events.ShardDisconnect);
  client.removeAllListeners(Events.ShardReconnecting);
  await Promise.race([client.destroy().catch(() => undefined), sleep(realClock, DESTROY_MS)]);
};
