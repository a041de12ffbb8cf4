import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import {
  startDiscordFake,
  type DiscordFake,
  type DiscordFakeOptions,
} from '../test/fakes/discord/index.ts';
import { onServer } from '../test/fakes/on-server.ts';
import { startPostgres, type TestPostgres } from '../test/fakes/postgres.ts';
import { spawnDragoman } from '../test/fakes/program.ts';
import { startSpeechFake, type SpeechFake } from '../test/fakes/speech.ts';
import { isWhole, partsOf } from './connected.ts';

export type Program = ReturnType<typeof spawnDragoman>;

/** Resolves with the address of the page of a program that was just started. */
export const pageOf = async ({ stdout }: Program): Promise<string> => {
  let written = '';
  return new Promise((resolve) => {
    stdout.on('data', (some: Buffer) => {
      written += some.toString();
      const address = /Dragoman on web: (?<address>http\S+)/.exec(written)?.groups?.['address'];
      if (address !== undefined) resolve(address);
    });
  });
};

/** Several whole programs on one PostgreSQL; Discord and the service are in this process. */
export interface Programs extends AsyncDisposable {
  readonly postgres: TestPostgres;
  readonly databaseUrl: string;
  readonly discord: DiscordFake;
  readonly speech: SpeechFake;
  /** Starts one, whose requests and connections at Discord have its name. */
  start(name: string, environment?: Record<string, string>): Program;
  /** Kills all of them; resolves when they are gone. */
  kill(): Promise<void>;
  /** The name of the program that is connected for a shard. */
  ownerOf(shard: number): string | undefined;
  /** Resolves when each shard is connected, and each of these programs has one. */
  shared(shards: number, names: readonly string[]): Promise<void>;
}

const LOOK_MS = 20;

export const startPrograms = async (
  options: DiscordFakeOptions & { readonly isDurable?: boolean },
): Promise<Programs> => {
  const parts = new AsyncDisposableStack();
  const { isDurable = false } = options;
  const postgres = parts.use(await startPostgres({ isDurable }));
  await onServer(postgres.urlOf(''), 'CREATE DATABASE programs');
  const databaseUrl = postgres.urlOf('programs');
  const discord = parts.use(await startDiscordFake(options));
  const speech = parts.use(await startSpeechFake());
  const programs = new Set<Program>();

  const kill = async (): Promise<void> => {
    const gone = [...programs].map(async (program) => once(program, 'exit'));
    for (const program of programs) program.kill('SIGKILL');
    await Promise.all(gone);
  };
  parts.defer(kill);

  return {
    postgres,
    databaseUrl,
    discord,
    speech,
    start: (name, environment = {}) => {
      const program = spawnDragoman({
        DATABASE_URL: databaseUrl,
        DISCORD_TOKEN: discord.token,
        DISCORD_API_URL: discord.urlFor(name),
        DISCORD_REQUESTS_PER_SECOND: '10000',
        SPEECH_API_URL: speech.url,
        SPEECH_API_KEY: speech.key,
        PORT: '0',
        LOG_LEVEL: 'silent',
        ...environment,
      });
      program.stdout.resume();
      program.stderr.pipe(process.stderr);
      programs.add(program);
      program.once('exit', () => programs.delete(program));
      return program;
    },
    kill,
    ownerOf: (shard) =>
      discord.gateway.sessions.find((one) => one.connected && one.shard[0] === shard)?.client,
    shared: async (shards, names) => {
      const isShared = (): boolean =>
        isWhole(discord, shards) && names.every((name) => partsOf(discord).has(name));
      while (!isShared()) await delay(LOOK_MS);
    },
    [Symbol.asyncDispose]: async () => parts.disposeAsync(),
  };
};
