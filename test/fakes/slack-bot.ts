import { once } from 'node:events';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnDragoman } from './program.ts';
import { SUBSCRIBED } from '../../adapters/slack/manifest.ts';
import { SCOPES } from '../../adapters/slack/scopes.ts';
import {
  startSlackFake,
  type FakeChannel,
  type FakeMessage,
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
  start(): Promise<void>;
  /** Ends it without a word. */
  kill(): Promise<void>;
  /** Types `/dragoman <text>` as the administrator; resolves once it is answered. */
  use(channel: FakeChannel, text: string): Promise<void>;
  readonly databaseFile: string;
}

export const createSlackProcess = async (options: SlackFakeOptions = {}): Promise<SlackProcess> => {
  const slack = await startSlackFake(options);
  const speech = await startSpeechFake();
  const workspace = slack.workspace({ name: 'team', scopes: Object.keys(SCOPES) });
  slack.app.events = new Set(SUBSCRIBED);
  const admin = workspace.user({ name: 'admin', isAdmin: true });
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-slack-'));
  const databaseFile = join(folder, 'dragoman.db');
  let program: ChildProcess | undefined;

  const end = async (): Promise<void> => {
    if (!program || program.exitCode !== null || program.signalCode !== null) return;
    const ended = once(program, 'exit');
    program.kill('SIGKILL');
    await ended;
  };

  return {
    slack,
    speech,
    workspace,
    admin,
    start: async () => {
      program = spawnDragoman({
        DATABASE_URL: `sqlite:${databaseFile}`,
        SLACK_BOT_TOKEN: workspace.botToken,
        SLACK_APP_TOKEN: slack.app.appToken,
        SLACK_API_URL: slack.url,
        SPEECH_API_URL: speech.url,
        SPEECH_API_KEY: speech.key,
        PORT: '0',
        LOG_LEVEL: 'silent',
      });
      await slack.until(() => slack.sockets.connected > 0);
    },
    kill: async () => {
      await end();
      await slack.until(() => slack.sockets.connected === 0);
    },
    databaseFile,
    use: async (channel, text) => {
      const shown = (): number => channel.posts.length + channel.ephemeralsFor(admin).length;
      const before = shown();
      slack.command(admin, channel, '/dragoman', text);
      await slack.until(() => shown() > before);
    },
    [Symbol.asyncDispose]: async () => {
      await end();
      await slack[Symbol.asyncDispose]();
      await speech[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

/** People who talk in two channels: one with translations in threads, and one that is linked. */
export interface SlackConversation {
  say(): void;
  /** Resolves when each line was answered; fails with what is missing. */
  answered(timeoutMs: number): Promise<void>;
  /** Lines without an answer, or with several. */
  faults(): readonly string[];
  readonly lines: number;
}

export const startSlackConversation = async (bot: SlackProcess): Promise<SlackConversation> => {
  const { workspace, admin, slack } = bot;
  const [threads, english, spanish] = ['threads', 'english', 'spanish'].map((name) =>
    workspace.channel({ name, members: [admin] }),
  ) as [FakeChannel, FakeChannel, FakeChannel];
  await bot.use(threads, 'autotranslate reply languages:ja');
  await bot.use(
    english,
    `autotranslate mirror channels:"<#${english.id}> en, <#${spanish.id}> es"`,
  );
  const people = ['Ada', 'Bob', 'Eva'].map((name) => workspace.user({ name }));
  const said: { readonly line: FakeMessage; readonly isLinked: boolean }[] = [];

  const answersTo = (line: FakeMessage, isLinked: boolean): number =>
    isLinked
      ? spanish.posts.filter(({ blocks }) =>
          JSON.stringify(blocks).includes(`/p${line.ts.replace('.', '')}`),
        ).length
      : line.replies.filter(({ isOurs }) => isOurs).length;

  return {
    say: () => {
      const isLinked = said.length % 2 === 1;
      const by = people[said.length % people.length] ?? admin;
      const text = `This is line ${said.length} of what we talk about`;
      said.push({ line: (isLinked ? english : threads).say(by, text), isLinked });
    },
    answered: async (timeoutMs) =>
      slack.until(
        () => said.every(({ line, isLinked }) => answersTo(line, isLinked) > 0),
        timeoutMs,
      ),
    faults: () =>
      said.flatMap(({ line, isLinked }, index) => {
        const count = answersTo(line, isLinked);
        return count === 1 ? [] : [`line ${index} has ${count} answers`];
      }),
    get lines() {
      return said.length;
    },
  };
};
