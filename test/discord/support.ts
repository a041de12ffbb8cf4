import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { createDiscordAdapter, type DiscordOptions } from '../../adapters/discord/adapter.ts';
import { createServiceClient } from '../../src/api/client.ts';
import { PATHS } from '../../src/api/contract.ts';
import { createRealtime, type RealtimeOptions } from '../../src/api/realtime/index.ts';
import { type Command, commandFault } from '../../src/command/command.ts';
import { discover } from '../../src/app/modules.ts';
import type { Services } from '../../src/command/services.ts';
import { createSemaphore } from '../../src/async/locks.ts';
import type { Room } from '../../src/voice/room-types.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { createOwnKeys } from '../../src/store/secrets/own-keys.ts';
import { botOfFile } from '../fakes/bot-of-file.ts';
import {
  startDiscordFake,
  type DiscordFake,
  type FakeChannel,
  type FakeGuild,
  type FakeMessage,
  type FakeUser,
} from '../fakes/discord/index.ts';
import { createDaveGroup } from '../fakes/discord/voice/dave/group.ts';
import { createDavePerson } from '../fakes/discord/voice/dave/person.ts';
import { removeOnNotices } from '../fakes/on-notices.ts';
import { createFastClock, patientClock } from '../fakes/clock.ts';
import { openTestCore } from '../fakes/open-core.ts';
import { startSpeechFake, type SpeechFake } from '../fakes/speech.ts';

/** Every window of Discord's limits, and every wait for one, is so many times shorter. */
const SPEED = 50;

type Options = Parameters<DiscordFake['command']>[1]['options'];

/** A server with a channel and some people. */
export interface Place {
  readonly guild: FakeGuild;
  readonly channel: FakeChannel;
  /** A member who moderates nothing. */
  readonly ann: FakeUser;
  readonly bob: FakeUser;
}

export interface Linked extends Place {
  readonly english: FakeChannel;
  readonly spanish: FakeChannel;
  readonly japanese: FakeChannel;
}

/** The whole bot between our Discord and our speech service, in this process. */
export interface Bot {
  readonly discord: DiscordFake;
  readonly speech: SpeechFake;
  /** Goes offline, and keeps its database. */
  stop(): Promise<void>;
  start(): Promise<void>;
  place(): Place;
  /** Uses a command as the server's owner, or somebody else; resolves with the finished answer. */
  use(at: Place, name: string, options?: Options, by?: FakeUser): Promise<FakeMessage>;
  /** Presses a button under a message, or chooses from its menu; resolves once it shows what it did. */
  press(
    message: FakeMessage,
    control: string,
    values?: readonly string[],
    by?: FakeUser,
  ): Promise<FakeMessage>;
  /** A place whose channel gets replies in Spanish. */
  reading(options?: Options): Promise<Place>;
  /** A place with linked channels of English, Spanish and Japanese. */
  linked(at?: Place): Promise<Linked>;
  /** Resolves when every message that was said was dealt with. */
  settled(at: Place): Promise<void>;
  /** What was logged as an error; those that a test expects it takes out. */
  readonly errors: string[];
  /** All that was logged, as lines. */
  readonly logged: readonly string[];
  /** The end-to-end encryption of a voice channel, since somebody was first there. */
  encryption(channel: FakeChannel): DaveGroup;
  /** What became of the packets of those who were to be heard in the room of a server. */
  health(at: Pick<Place, 'guild'>): ReturnType<Room['health']>;
  readonly store: Store;
  /** The texts that were asked to be translated, with what was asked of them. */
  translations(): readonly Readonly<Record<string, string>>[];
}

/** Real time, as many times faster as Discord's windows. */
export const fastClock = createFastClock(SPEED);

const ENCRYPTION_KEY = randomBytes(32);

type DaveGroup = ReturnType<typeof createDaveGroup>;

const openBot = async (
  adapter: Partial<DiscordOptions>,
  uses: RealtimeOptions['uses'],
): Promise<Bot & AsyncDisposable> => {
  const groups = new Map<string, DaveGroup>();
  /** Voice channels are encrypted end to end, as all are. */
  const encrypted = (channelId: string) => {
    const group = createDaveGroup({ channelId });
    groups.set(channelId, group);
    return { group, person: (userId: string) => createDavePerson(group, userId) };
  };
  const discord = await startDiscordFake({
    speed: SPEED,
    voice: { dave: encrypted },
    // Discord's three seconds pass too soon for so much in one process of a busy machine.
    answerWithinMs: 60_000,
  });
  const speech = await startSpeechFake();
  const store = await openStore('sqlite::memory:');
  const commands = await discover<Command>('commands', commandFault);
  const errors: string[] = [];
  const logged: string[] = [];
  // Acknowledging one of many commands at once can take longer than `timeoutMs` of test/discord/faults.ts on a busy machine.
  const commandsAtOnce = createSemaphore(4);
  const write = (line: string): void => {
    logged.push(line);
    if ((JSON.parse(line) as { level: number }).level >= pino.levels.values['error']!)
      errors.push(line);
  };
  const log = pino({ level: 'trace' }, { write });
  let running: AsyncDisposableStack | undefined;
  let watching: { idle(): Promise<void> } | undefined;
  let services: Pick<Services, 'rooms'> | undefined;

  const start = async (): Promise<void> => {
    // Discord lets a bot identify once in five seconds.
    if (running) discord.clock.advance(5_000);
    running = new AsyncDisposableStack();
    const encryption = [ENCRYPTION_KEY];
    const ownKeys = createOwnKeys({ store, encryption, log });
    const findOwnKey = ownKeys.find;
    const client = running.use(
      createServiceClient({
        baseUrl: speech.url,
        key: speech.key,
        findOwnKey,
        retry: { random: () => 0, sleep: async () => {} },
        clock: fastClock,
      }),
    );
    const { url: baseUrl, key } = speech;
    const realtime = running.use(
      createRealtime({
        baseUrl,
        key,
        findOwnKey,
        uses,
        requests: client,
        log,
        clock: patientClock,
      }),
    );
    const config = {
      INBOX_DAYS: 7,
      COPY_DAYS: 365,
      OPERATORS: new Set<string>(),
      ENCRYPTION_KEY: encryption,
    };
    const opened = running.use(
      await openTestCore({ client, realtime, ownKeys, store, log, commands, config }),
    );
    const connected = running.use(
      createDiscordAdapter(
        {
          token: discord.token,
          url: discord.url,
          requestsPerSecond: 10_000,
          random: () => 0,
          identifyEveryMs: 5_250 / SPEED,
          clock: fastClock,
          ...adapter,
        },
        opened.core,
      ),
    );
    ({ autoTranslate: watching } = opened);
    ({ services } = opened.core);
    opened.attach(connected);
    await connected.start();
  };
  const stop = async (): Promise<void> => {
    await running?.disposeAsync();
    await discord.until(() => discord.gateway.sessions.every(({ connected }) => !connected));
  };

  const bot: Bot & AsyncDisposable = {
    discord,
    speech,
    errors,
    logged,
    store,
    encryption: ({ id }) => groups.get(id)!,
    health: ({ guild: { id } }) => services?.rooms.of({ platform: 'discord', id })?.health() ?? [],
    start,
    stop,
    place: () => {
      const guild = discord.guild({ name: 'Babel' });
      const [ann, bob] = [discord.user({ name: 'Ann' }), discord.user({ name: 'Bob' })];
      for (const user of [ann, bob]) guild.join(user);
      return { guild, channel: guild.channel({ name: 'general' }), ann, bob };
    },
    use: ({ guild, channel }, name, given = {}, by = guild.owner) =>
      commandsAtOnce.use(() => discord.command(by, { channel, name, options: given }).answer()),
    press: async (message, control, values, by) => {
      const { edits } = message;
      const presser = by ?? bot.discord.user();
      const pressed = discord.press(presser, message, control, values);
      await pressed.until(() => message.edits > edits);
      return message;
    },
    reading: async (options = {}) => {
      const at = bot.place();
      await bot.use(at, 'autotranslate reply', { languages: 'es', ...options });
      return at;
    },
    linked: async (at = bot.place()) => {
      const [english, spanish, japanese] = ['english', 'español', '日本語'].map((name) =>
        at.guild.channel({ name }),
      ) as [FakeChannel, FakeChannel, FakeChannel];
      const channels = `<#${english.id}> en, <#${spanish.id}> es, <#${japanese.id}> ja`;
      await bot.use(at, 'autotranslate mirror', { channels });
      await removeOnNotices(discord, [english, spanish, japanese]);
      return { ...at, english, spanish, japanese };
    },
    settled: async (at) => {
      // Whatever was said before this command has arrived by the time it is answered.
      do {
        await bot.use(at, 'status');
        await watching?.idle();
      } while ((await bot.use(at, 'status')).content.includes('⏳'));
    },
    translations: () =>
      speech.seen
        .filter(({ path }) => path === PATHS.translate)
        .map(({ form }) => Object.fromEntries(form)),
    [Symbol.asyncDispose]: async () => {
      await stop();
      await store.destroy();
      await discord[Symbol.asyncDispose]();
      await speech[Symbol.asyncDispose]();
    },
  };
  await start();
  return bot;
};

/**
 * One bot for the tests of a file, checked after each of them.
 *
 * @param uses what it uses the WebSocket paths of the service for
 */
export const withBot = (
  adapter: Partial<DiscordOptions> = {},
  uses: RealtimeOptions['uses'] = [],
): Bot =>
  botOfFile(
    () => openBot(adapter, uses),
    ({ discord }) => discord.pings,
  );
