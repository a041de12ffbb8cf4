import { createServer } from 'node:http';
import { Intent } from './codes.ts';
import { createClock, type Clock } from './clock.ts';
import { FakeChannel } from './driver/channel.ts';
import { FakeGuild } from './driver/guild.ts';
import { FakeMessage } from './driver/message.ts';
import type { Tools } from './driver/tools.ts';
import { FakeUser } from './driver/user.ts';
import { FakeWebhook } from './driver/webhook.ts';
import { createInteractionDriver, type InteractionDriver } from './driver/interact.ts';
import { createFaultPlan, type FailOptions } from '../fault-plan.ts';
import type { Effect, FaultyRequest } from './faults.ts';
import { createGateway, type GatewayDriver } from './gateway/gateway.ts';
import { createLimits } from './limits.ts';
import { addGuild, addUser, type NewGuild, type NewUser } from './population.ts';
import { createRouter } from './router.ts';
import { applicationRoutes } from './routes/application.ts';
import { channelRoutes } from './routes/channels.ts';
import { guildRoutes } from './routes/guilds.ts';
import { interactionRoutes } from './routes/interactions.ts';
import { messageRoutes } from './routes/messages.ts';
import { webhookRoutes } from './routes/webhooks.ts';
import type { Command, Ping, RequestRecord, User, World } from './state.ts';
import { createVoice, type VoiceDriver, type VoiceServiceOptions } from './voice/index.ts';
import { voiceRoutes } from './voice/routes.ts';
import { createWaiters } from '../wait.ts';
import { listen } from '../serve.ts';

/** The intents that the portal has to grant. */
const PRIVILEGED = {
  GuildMembers: Intent.GuildMembers,
  GuildPresences: Intent.GuildPresences,
  MessageContent: Intent.MessageContent,
};
type PrivilegedIntent = keyof typeof PRIVILEGED;

/** The first answer must come within 3 s (reference, "Receiving and responding"). */
const ANSWER_WITHIN_MS = 3_000;

export interface DiscordFakeOptions {
  /** Every rate limit's window is so many times shorter, and so are the waits that are told. Default 1. */
  readonly speed?: number;
  /** `off`: no rate limits at all, for benches. */
  readonly limits?: 'on' | 'off';
  /** What the portal grants. Default: all three. */
  readonly privilegedIntents?: readonly PrivilegedIntent[];
  /** The largest single file. Default 10 MiB, as for servers without boosts. */
  readonly fileLimitBytes?: number;
  /** Time in which an interaction must be answered. Default 3,000, as Discord's. */
  readonly answerWithinMs?: number;
  /** Default 41,250, as Discord's. */
  readonly heartbeatMs?: number;
  readonly maxConcurrency?: number;
  /** How many shards `/gateway/bot` recommends. Default 1. */
  readonly shards?: number;
  /** Events kept for a RESUME. Default 10,000. */
  readonly replayLimit?: number;
  readonly botName?: string;
  readonly voice?: VoiceServiceOptions;
}

/** Our own Discord on loopback: REST, CDN and gateway on one port, and what people do on it. */
export interface DiscordFake extends InteractionDriver, AsyncDisposable {
  /** For DISCORD_API_URL and `rest.api`: without the version. */
  readonly url: string;
  /** The same for one of several clients, whose name stands with its requests and connections. */
  urlFor(client: string): string;
  /** Where files are served: `http://127.0.0.1:PORT/cdn`. */
  readonly cdnUrl: string;
  readonly token: string;
  readonly applicationId: string;
  readonly botUser: FakeUser;
  readonly clock: Clock;
  readonly gateway: GatewayDriver;
  readonly voice: VoiceDriver;
  guild(options?: NewGuild): FakeGuild;
  user(options?: NewUser): FakeUser;
  /** The commands that the bot has registered globally, as Discord keeps them. */
  readonly commands: readonly Command[];
  guildCommands(guild: FakeGuild): readonly Command[];
  /** Everybody whom a message of the bot or of its webhooks notified. Clear it with `length = 0`. */
  readonly pings: Ping[];
  /** The requests so far, the last 20,000 at least. */
  readonly requests: RequestRecord[];
  /** Answers of the last 10 minutes that count towards the ban of the address (10,000). */
  readonly invalidRequests: number;
  /** Spoils the next requests of a route: `POST /channels/:id/messages`, or `GET /cdn` for files. */
  fail(route: string, effect: Effect, options?: FailOptions<FaultyRequest>): void;
  /** Ends every `fail`. */
  heal(): void;
  grantIntent(intent: PrivilegedIntent): void;
  /** Takes a privileged intent away: the next IDENTIFY with it is closed with 4014. */
  revokeIntent(intent: PrivilegedIntent): void;
  /** Resolves when `count` sessions are connected. */
  online(count?: number): Promise<void>;
  /** Resolves as soon as `holds` is true, asked after every change of anything. */
  until(holds: () => boolean, timeoutMs?: number): Promise<void>;
}

const makeToken = (id: string): string =>
  `${Buffer.from(id).toString('base64url')}.Fake00.${'x'.repeat(38)}`;

const makeBot = (clock: Clock, name: string): User => ({
  id: clock.snowflake(),
  name,
  displayName: null,
  bot: true,
  locale: 'en-US',
  avatar: null,
  installed: false,
  dmsOpen: true,
});

export const startDiscordFake = async (options: DiscordFakeOptions = {}): Promise<DiscordFake> => {
  const clock = createClock();
  const waiters = createWaiters();
  const bot = makeBot(clock, options.botName ?? 'Dragoman');
  const granted = options.privilegedIntents ?? (Object.keys(PRIVILEGED) as PrivilegedIntent[]);
  const world: World = {
    clock,
    limits: createLimits(clock, options.speed ?? 1, options.limits === 'off'),
    bot,
    applicationId: bot.id,
    token: makeToken(bot.id),
    origin: '',
    fileLimitBytes: options.fileLimitBytes ?? 10 * 1024 * 1024,
    answerWithinMs: options.answerWithinMs ?? ANSWER_WITHIN_MS,
    privileged: granted.reduce<number>((sum, name) => sum | PRIVILEGED[name], 0),
    users: new Map([[bot.id, bot]]),
    guilds: new Map(),
    channels: new Map(),
    webhooks: new Map(),
    attachments: new Map(),
    interactions: new Map(),
    globalCommands: new Map(),
    guildCommands: new Map(),
    nonces: new Map(),
    pings: [],
    requests: [],
    emit: (event) => {
      gateway.dispatch(event);
      waiters.changed();
    },
    voiceChanged: (change) => voice.service.changed(change),
    changed: () => waiters.changed(),
  };
  const voice = createVoice(world, waiters, options.voice);
  const gateway = createGateway(world, {
    heartbeatMs: options.heartbeatMs ?? 41_250,
    maxConcurrency: options.maxConcurrency ?? 1,
    shards: options.shards ?? 1,
    replayLimit: options.replayLimit ?? 10_000,
  });
  const plan = createFaultPlan<FaultyRequest, Effect>();
  const router = createRouter(world, plan, [
    ...applicationRoutes(() => gateway.starts),
    ...guildRoutes,
    ...voiceRoutes,
    ...channelRoutes,
    ...messageRoutes,
    ...webhookRoutes,
    ...interactionRoutes,
  ]);

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://fake');
    void router.handle(request, response, url).then(() => waiters.changed());
  });
  server.on('upgrade', (request, socket, head) => gateway.upgrade(request, socket, head));
  const listening = await listen(server);
  world.origin = listening.url;

  const tools: Tools = {
    world,
    waiters,
    voice,
    channel: (state) => new FakeChannel(tools, state),
    message: (state) => new FakeMessage(tools, state),
    user: (user) => new FakeUser(tools, user),
    webhook: (webhook) => new FakeWebhook(tools, webhook),
  };
  return {
    ...createInteractionDriver(tools),
    url: `${world.origin}/api`,
    urlFor: (client) => `${world.origin}/from/${client}/api`,
    cdnUrl: `${world.origin}/cdn`,
    token: world.token,
    applicationId: world.applicationId,
    botUser: new FakeUser(tools, bot),
    clock,
    gateway,
    voice,
    guild: (guild = {}) => new FakeGuild(tools, addGuild(world, guild)),
    user: (user = {}) => new FakeUser(tools, addUser(world, user)),
    get commands() {
      return [...world.globalCommands.values()];
    },
    guildCommands: (guild) => [...(world.guildCommands.get(guild.id)?.values() ?? [])],
    pings: world.pings,
    requests: world.requests,
    get invalidRequests() {
      return world.limits.invalidCount();
    },
    fail: (route, effect, how) => {
      if (!router.names.has(route)) throw new Error(`no route ${route}`);
      plan.plan(route, effect, how);
    },
    heal: () => plan.clear(),
    grantIntent: (intent) => {
      world.privileged |= PRIVILEGED[intent];
    },
    revokeIntent: (intent) => {
      world.privileged &= ~PRIVILEGED[intent];
    },
    online: async (count = 1) => {
      const connected = (): number => gateway.sessions.filter((one) => one.connected).length;
      await waiters.until(
        () => connected() >= count,
        () => `${connected()} sessions`,
      );
    },
    until: async (holds, timeoutMs) => {
      await waiters.until(holds, () => 'no more is known', timeoutMs);
    },
    [Symbol.asyncDispose]: async () => {
      gateway.stop();
      await voice.stop();
      await listening[Symbol.asyncDispose]();
    },
  };
};
