import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { createSlackAdapter } from '../../adapters/slack/adapter.ts';
import { ORGANISATION_EVENTS, SUBSCRIBED } from '../../adapters/slack/manifest.ts';
import { scopesOf, type ScopeChoice } from '../../adapters/slack/scopes.ts';
import { createServiceClient } from '../../src/api/client.ts';
import { PATHS } from '../../src/api/contract.ts';
import { type Command, commandFault } from '../../src/command/command.ts';
import type { Adapter, Core } from '../../src/adapter.ts';
import type { RunningCore } from '../../src/app/core.ts';
import { discover } from '../../src/app/modules.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { createOwnKeys } from '../../src/store/secrets/own-keys.ts';
import { botOfFile } from '../fakes/bot-of-file.ts';
import { openTestCore } from '../fakes/open-core.ts';
import {
  startSlackFake,
  type FakeChannel,
  type FakeMessage,
  type FakeUser,
  type FakeWorkspace,
  type SlackFake,
} from '../fakes/slack/index.ts';
import { startSpeechFake, type SpeechFake } from '../fakes/speech.ts';
import { createHastyClock } from '../fakes/clock.ts';

/** Every window of Slack's limits, and every wait for one, is so many times shorter by default. */
const SPEED = 50;

/** A workspace with a channel and some people. */
export interface Place {
  readonly workspace: FakeWorkspace;
  readonly channel: FakeChannel;
  /** Somebody who manages the workspace. */
  readonly admin: FakeUser;
  readonly ann: FakeUser;
  readonly bob: FakeUser;
}

/** The whole bot between our Slack and our speech service, in this process. */
export interface SlackBot {
  readonly encryptionKey: Buffer;
  readonly slack: SlackFake;
  readonly speech: SpeechFake;
  readonly workspace: FakeWorkspace;
  readonly store: Store;
  /** Goes offline, and keeps its database. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** True while people can use it, as it says itself. */
  isReady(): boolean;
  /** Starts another adapter on the same core. */
  attach(create: (core: Core) => Adapter): Promise<Adapter>;
  /** A new channel, in this workspace or another. */
  place(workspace?: FakeWorkspace): Place;
  /**
   * Types `/dragoman <text>`; resolves with what is answered, to everybody or the asker alone, as soon
   * as it has this part.
   */
  use(
    at: Place,
    text: string,
    options?: { readonly by?: FakeUser; readonly part?: string },
  ): Promise<string>;
  /** What was logged as an error; those that a test expects it takes out. */
  readonly errors: string[];
  /** Everything that was logged, a line of JSON each. */
  readonly logged: readonly string[];
  /** The texts that were asked to be translated. */
  translations(): readonly Readonly<Record<string, string>>[];
}

/**
 * `many`: by HTTP, in workspaces that install the app themselves; `many-socket`: the same with Socket
 * Mode.
 */
export type Transport = 'socket' | 'http' | 'many' | 'many-socket';

export interface BotOptions {
  readonly speed?: number;
  /** How much history the app gets in its first workspace. Default: full. */
  readonly history?: 'full' | 'limited';
  /** Default: a database in memory. */
  readonly database?: string;
  /** A bot whose Slack, speech service and key it shares, as another process does; that one ends last. */
  readonly beside?: SlackBot;
  /** The scopes that the app asks for, and the names that it shows. Default: all, and the authors'. */
  readonly choice?: ScopeChoice;
}

/** Commands that are answered privately: what stands in the channel meanwhile is a notice. */
const PRIVATE = /^(?:audit|autotranslate|settings)\b/;

/** Starts a bot; for tests that need one of their own. */
export const openSlackBot = async (
  transport: Transport,
  {
    speed = SPEED,
    history = 'full',
    database = 'sqlite::memory:',
    beside,
    choice = {},
  }: BotOptions = {},
): Promise<SlackBot & AsyncDisposable> => {
  const owned = new AsyncDisposableStack();
  const slack = beside?.slack ?? owned.use(await startSlackFake({ speed }));
  const speech = beside?.speech ?? owned.use(await startSpeechFake());
  const workspace =
    beside?.workspace ?? slack.workspace({ name: 'team', scopes: scopesOf(choice), history });
  slack.app.events = new Set([...SUBSCRIBED, ...ORGANISATION_EVENTS]);
  const store = await openStore(database);
  const commands = await discover<Command>('commands', commandFault);
  const errors: string[] = [];
  const logged: string[] = [];
  const write = (line: string): void => {
    logged.push(line);
    if ((JSON.parse(line) as { level: number }).level >= pino.levels.values['error']!)
      errors.push(line);
  };
  const log = pino({ level: 'trace' }, { write });
  const key = beside?.encryptionKey ?? randomBytes(32);
  const { appToken } = slack.app;
  let running: AsyncDisposableStack | undefined;
  let current: RunningCore | undefined;
  const start = async (): Promise<void> => {
    running = new AsyncDisposableStack();
    const ownKeys = createOwnKeys({ store, encryption: [key], log });
    const client = running.use(
      createServiceClient({
        baseUrl: speech.url,
        key: speech.key,
        findOwnKey: ownKeys.find,
        retry: { random: () => 0, sleep: async () => {} },
        clock: createHastyClock(),
      }),
    );
    const opened = running.use(
      await openTestCore({
        client,
        ownKeys,
        store,
        log,
        commands,
        config: {
          INBOX_DAYS: 7,
          COPY_DAYS: 365,
          OPERATORS: new Set<string>(),
          ENCRYPTION_KEY: [key],
        },
      }),
    );
    current = opened;
    const isSocket = transport === 'socket' || transport === 'many-socket';
    const isMany = transport === 'many' || transport === 'many-socket';
    const connected = running.use(
      createSlackAdapter(
        {
          url: slack.url,
          speed,
          random: () => 0,
          botToken: isMany ? undefined : workspace.botToken,
          appToken: isSocket ? appToken : undefined,
          signingSecret: isSocket ? undefined : slack.app.signingSecret,
          client: isMany ? { id: slack.app.clientId, secret: slack.app.clientSecret } : undefined,
          host: '127.0.0.1',
          port: 0,
          ...choice,
        },
        opened.core,
      ),
    );
    opened.attach(connected);
    const { where } = await connected.start();
    const address = where.split(' ').find((part) => part.startsWith('http://'));
    slack.app.socketMode = isSocket;
    slack.app.requestUrl = address;
    if (address === undefined) return;
    slack.app.redirectUrls.add(new URL('/slack/oauth_redirect', address).href);
  };

  const bot: SlackBot & AsyncDisposable = {
    slack,
    speech,
    workspace,
    store,
    encryptionKey: key,
    errors,
    logged,
    start,
    stop: async () => running?.disposeAsync(),
    isReady: () => current?.core.ready()['slack'] ?? false,
    attach: async (create) => {
      if (!current) throw new Error('the bot does not run');
      const adapter = create(current.core);
      current.attach(adapter);
      await adapter.start();
      return adapter;
    },
    place: (of = workspace) => {
      const [admin, ann, bob] = [
        of.user({ name: 'admin', isAdmin: true }),
        of.user({ name: 'ann', displayName: 'Ann' }),
        of.user({ name: 'bob', displayName: 'Bob' }),
      ];
      const channel = of.channel({ members: [admin, ann, bob] });
      return { workspace: of, channel, admin, ann, bob };
    },
    use: async ({ channel, admin }, text, { by = admin, part = '' } = {}) => {
      const known = new Set(channel.posts.map(({ ts }) => ts));
      const hidden = channel.ephemeralsFor(by).length;
      const isPrivate = PRIVATE.test(text);
      const answer = (): string | undefined =>
        [
          ...channel.posts
            .filter(({ ts }) => !isPrivate && !known.has(ts))
            .map(({ words }) => words),
          ...channel
            .ephemeralsFor(by)
            .slice(hidden)
            .map((one) => one.text),
        ].find((words) => words.includes(part));
      slack.command(by, channel, '/dragoman', text);
      await slack.until(() => answer() !== undefined);
      return answer() ?? '';
    },
    translations: () =>
      speech.seen
        .filter(({ path }) => path === PATHS.translate)
        .map(({ form }) => Object.fromEntries(form)),
    [Symbol.asyncDispose]: async () => {
      await running?.disposeAsync();
      await store.destroy();
      await owned.disposeAsync();
    },
  };
  await start();
  return bot;
};

/** One bot for the tests of a file, checked after each of them. */
export const withSlackBot = (transport: Transport = 'socket'): SlackBot =>
  botOfFile(
    () => openSlackBot(transport),
    ({ slack }) => slack.pings,
  );

/** Opens the address of an installation, as a browser does; resolves with where it leads on. */
export const openInstallPage = async (
  bot: Pick<SlackBot, 'slack'>,
): Promise<{ readonly address: string; readonly cookie: string }> => {
  const origin = new URL(bot.slack.app.requestUrl ?? '').origin;
  const start = await fetch(`${origin}/slack/install`, { redirect: 'manual' });
  const [cookie = ''] = (start.headers.get('set-cookie') ?? '').split(';');
  return { address: start.headers.get('location') ?? '', cookie };
};

/** Goes back to the app after the page of consent. */
export const comeBack = async (
  address: string,
  cookie: string,
): Promise<{ readonly status: number; readonly page: string }> => {
  const end = await fetch(address, { headers: { cookie } });
  return { status: end.status, page: await end.text() };
};

/** Installs the app as a browser does: the page, Slack's page of consent, and back. */
export const installIn = async (
  bot: Pick<SlackBot, 'slack'>,
  workspace: FakeWorkspace,
  admin: FakeUser,
  isAllowed = true,
): Promise<{ readonly status: number; readonly page: string }> => {
  const { address, cookie } = await openInstallPage(bot);
  return comeBack(bot.slack.consent(address, workspace, admin, isAllowed), cookie);
};

/** What the app posted in the thread of a message, in order. */
export const repliesTo = (said: FakeMessage): readonly FakeMessage[] =>
  said.replies.filter(({ isOurs }) => isOurs);

/** A place whose channel, for English, is linked with another for Spanish. */
export const openLinked = async (bot: SlackBot) => {
  const at = bot.place();
  const spanish = at.workspace.channel({ name: 'es', members: [at.admin] });
  await bot.use(at, `autotranslate mirror channels:"<#${at.channel.id}> en, <#${spanish.id}> es"`);
  return { ...at, spanish };
};
