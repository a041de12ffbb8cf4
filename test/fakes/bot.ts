import { once } from 'node:events';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  startDiscordFake,
  type DiscordFake,
  type DiscordFakeOptions,
  type FakeChannel,
  type FakeGuild,
} from './discord/index.ts';
import { endProgram, spawnDragoman } from './program.ts';
import { startSpeechFake, type SpeechFake } from './speech.ts';

/** Rejects, with what it wrote, when the program ends. */
const endOf = async (program: ReturnType<typeof spawnDragoman>): Promise<never> => {
  const written: Buffer[] = [];
  for (const stream of [program.stdout, program.stderr])
    stream.on('data', (some: Buffer) => void written.push(some));
  await once(program, 'close');
  throw new Error(`the program ended before it was online:\n${Buffer.concat(written).toString()}`);
};

interface Place {
  readonly guild: FakeGuild;
  readonly channel: FakeChannel;
}
type CommandOptions = Record<string, string | FakeChannel>;

/** Uses a command as a server's owner; resolves with what is answered. */
export const useCommand = async (
  discord: DiscordFake,
  { guild, channel }: Place,
  name: string,
  options: CommandOptions = {},
): Promise<string> => {
  const answer = discord.command(guild.owner, { channel, name, options });
  await answer.until(({ shown }) => (shown?.content ?? '') !== '');
  return answer.shown?.content ?? '';
};

/** The whole program, as a process of its own, between our Discord and our speech service. */
export interface Bot extends AsyncDisposable {
  readonly discord: DiscordFake;
  readonly speech: SpeechFake;
  /** Starts the program on the same database as before; resolves once it is online. */
  start(environment?: Record<string, string>): Promise<void>;
  /** Ends it without a word. */
  kill(): Promise<void>;
  /** Stops it as an operator does; resolves with its exit status. */
  stop(): Promise<number | null>;
  /** Uses a command as a server's owner; resolves with what is answered. */
  use(at: Place, name: string, options?: CommandOptions): Promise<string>;
  readonly databaseFile: string;
  /** The running process's. */
  pid(): number;
}

export const createBot = async (options: DiscordFakeOptions = {}): Promise<Bot> => {
  const discord = await startDiscordFake(options);
  const speech = await startSpeechFake();
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-bot-'));
  const databaseFile = join(folder, 'dragoman.db');
  let process: ChildProcess | undefined;

  const end = async (): Promise<void> => {
    if (process) await endProgram(process);
  };

  return {
    discord,
    speech,
    start: async (environment = {}) => {
      const program = spawnDragoman({
        ...environment,
        DATABASE_URL: `sqlite:${databaseFile}`,
        DISCORD_TOKEN: discord.token,
        DISCORD_API_URL: discord.url,
        SPEECH_API_URL: speech.url,
        SPEECH_API_KEY: speech.key,
        PORT: '0',
        LOG_LEVEL: 'silent',
      });
      process = program;
      await Promise.race([discord.online(), endOf(program)]);
    },
    kill: async () => {
      await end();
      await discord.until(() => discord.gateway.sessions.every(({ connected }) => !connected));
    },
    stop: async () => {
      await endProgram(process!, 'SIGTERM');
      return process!.exitCode;
    },
    databaseFile,
    pid: () => process?.pid ?? 0,
    use: async (at, name, given) => useCommand(discord, at, name, given),
    [Symbol.asyncDispose]: async () => {
      await end();
      await discord[Symbol.asyncDispose]();
      await speech[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
