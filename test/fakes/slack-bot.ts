import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { endProgram, spawnDragoman } from './program.ts';
import { SUBSCRIBED } from '../../adapters/slack/manifest.ts';
import { SCOPES } from '../../adapters/slack/scopes.ts';
import {
  startSlackFake,
  type FakeChannel,
  type FakeUser,
  type FakeWorkspace,
  type SlackFake,
  type SlackFakeOptions,
} from './slack/index.ts';
import { startSpeechFake, type SpeechFake } from './speech.ts';

/** The whole program, as a process of its own, between our Slack and our speech service. */
export interface SlackProcess extends AsyncDisposable {
  readonly slack: SlackFake;
  readonly speech: SpeechFake;
  readonly workspace: FakeWorkspace;
  readonly admin: FakeUser;
  /** Starts the program on the same database as before; resolves once it is connected. */
  start(environment?: Record<string, string>): Promise<void>;
  /** Ends it without a word. */
  kill(): Promise<void>;
  /** Types `/dragoman <text>` as the administrator; resolves once it is answered. */
  use(channel: FakeChannel, text: string): Promise<void>;
  readonly databaseFile: string;
}

export interface SlackProcessOptions extends SlackFakeOptions {
  /** How events arrive. Default: by Socket Mode. */
  readonly transport?: 'socket' | 'http';
}

/** Makes the rates of a program as fast as the fake. */
const HASTEN = pathToFileURL(join(import.meta.dirname, 'slack/hasten.ts')).href;

/** The address at which a program takes events, in what it wrote; undefined where it is not there yet. */
export const slackAddressIn = (written: string): string | undefined =>
  /Dragoman on slack: (?<address>http\S+)/.exec(written)?.groups?.['address'];

/** Types `/dragoman <text>`; resolves once it is answered. */
export const useSlackCommand = async (
  slack: SlackFake,
  admin: FakeUser,
  channel: FakeChannel,
  text: string,
): Promise<void> => {
  const shown = (): number => channel.posts.length + channel.ephemeralsFor(admin).length;
  const before = shown();
  slack.command(admin, channel, '/dragoman', text);
  await slack.until(() => shown() > before);
};

/** Resolves with the address at which a program that was just started takes events. */
const addressOf = async ({ stdout }: ReturnType<typeof spawnDragoman>): Promise<string> => {
  let written = '';
  for await (const some of stdout) {
    written += String(some);
    const address = slackAddressIn(written);
    if (address !== undefined) return address;
  }
  throw new Error(`the program ended before it was connected:\n${written}`);
};

export const createSlackProcess = async ({
  transport = 'socket',
  ...options
}: SlackProcessOptions = {}): Promise<SlackProcess> => {
  const slack = await startSlackFake(options);
  const speech = await startSpeechFake();
  const workspace = slack.workspace({ name: 'team', scopes: Object.keys(SCOPES) });
  slack.app.events = new Set(SUBSCRIBED);
  const admin = workspace.user({ name: 'admin', isAdmin: true });
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-slack-'));
  const databaseFile = join(folder, 'dragoman.db');
  let program: ChildProcess | undefined;

  const end = async (): Promise<void> => {
    if (program) await endProgram(program);
  };

  return {
    slack,
    speech,
    workspace,
    admin,
    start: async (environment = {}) => {
      const started = spawnDragoman({
        ...environment,
        NODE_OPTIONS: `--import=${HASTEN} ${environment['NODE_OPTIONS'] ?? ''}`,
        FAKE_SLACK_SPEED: String(options.speed ?? 1),
        DATABASE_URL: `sqlite:${databaseFile}`,
        SLACK_BOT_TOKEN: workspace.botToken,
        ...(transport === 'socket'
          ? { SLACK_APP_TOKEN: slack.app.appToken }
          : { SLACK_SIGNING_SECRET: slack.app.signingSecret, SLACK_PORT: '0' }),
        SLACK_API_URL: slack.url,
        SPEECH_API_URL: speech.url,
        SPEECH_API_KEY: speech.key,
        PORT: '0',
        LOG_LEVEL: 'silent',
      });
      program = started;
      if (transport === 'socket') return slack.until(() => slack.sockets.connected > 0);
      slack.app.socketMode = false;
      slack.app.requestUrl = await addressOf(started);
    },
    kill: async () => {
      await end();
      await slack.until(() => slack.sockets.connected === 0);
    },
    databaseFile,
    use: async (channel, text) => useSlackCommand(slack, admin, channel, text),
    [Symbol.asyncDispose]: async () => {
      await end();
      await slack[Symbol.asyncDispose]();
      await speech[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
