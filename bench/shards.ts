import { setTimeout as delay } from 'node:timers/promises';
import { startDiscordFake, type DiscordFake } from '../test/fakes/discord/index.ts';
import { onServer } from '../test/fakes/on-server.ts';
import { startPostgres } from '../test/fakes/postgres.ts';
import { endProgram, spawnDragoman } from '../test/fakes/program.ts';
import { startSpeechFake } from '../test/fakes/speech.ts';
import { isShared, isWhole } from './connected.ts';
import { fixed, median, printTable } from './measure.ts';

/**
 * Three processes with 16 shards on one PostgreSQL, one of which is killed, again and again: the time
 * until all of its shards are connected elsewhere. The common way has all shards in one process, which
 * a supervisor starts again at once. `node bench/shards.ts 3` kills three times.
 */

const [KILLS = 8] = process.argv.slice(2).map(Number);
const SHARDS = 16;
const PROCESSES = 3;
/** Time for which processes stay as they are between two kills. */
const CALM_MS = 3_000;
const LOOK_MS = 20;
/** Time for which one process stands still at the end. */
const FROZEN_MS = 12_000;

const postgres = await startPostgres();
await onServer(postgres.urlOf(''), 'CREATE DATABASE shards');
const speech = await startSpeechFake();

const startFake = (): Promise<DiscordFake> =>
  startDiscordFake({ shards: SHARDS, maxConcurrency: SHARDS });

const spawn = (discord: DiscordFake, name: string, databaseUrl: string) =>
  spawnDragoman({
    DATABASE_URL: databaseUrl,
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.urlFor(name),
    SPEECH_API_URL: speech.url,
    SPEECH_API_KEY: speech.key,
    PORT: '0',
    LOG_LEVEL: 'silent',
  });

/** Resolves with the time until something holds. */
const until = async (holds: () => boolean): Promise<number> => {
  const startMs = performance.now();
  while (!holds()) await delay(LOOK_MS);
  return performance.now() - startMs;
};

/** Times at which a client connected for a shard that another one was still connected for. */
const overlapsIn = ({ gateway }: DiscordFake): number => {
  const owners = new Map<number, string>();
  let overlaps = 0;
  for (const { client, shard, what } of gateway.log) {
    const [id] = shard;
    if (what === 'closed') owners.delete(id);
    else {
      if ((owners.get(id) ?? client) !== client) overlaps += 1;
      owners.set(id, client);
    }
  }
  return overlaps;
};

const measureShared = async () => {
  await using discord = await startFake();
  const url = postgres.urlOf('shards');
  const names = Array.from({ length: PROCESSES }, (_, index) => `p${index}`);
  const programs = new Map(names.map((name) => [name, spawn(discord, name, url)]));
  await until(() => isShared(discord, SHARDS, PROCESSES));
  const takenMs: number[] = [];
  for (let count = 0; count < KILLS; count += 1) {
    await delay(CALM_MS);
    const name = names[count % PROCESSES]!;
    await endProgram(programs.get(name)!);
    takenMs.push(await until(() => isWhole(discord, SHARDS)));
    programs.set(name, spawn(discord, name, url));
    await until(() => isShared(discord, SHARDS, PROCESSES));
  }
  const { throttled, identifies } = discord.gateway;
  const overlaps = overlapsIn(discord);
  await delay(CALM_MS);
  const [name, frozen] = [...programs][0]!;
  frozen.kill('SIGSTOP');
  const frozenMs = await until(() => isWhole(discord, SHARDS, name));
  await delay(FROZEN_MS - frozenMs);
  const before = discord.requests.length;
  frozen.kill('SIGCONT');
  const connections = () => discord.gateway.sessions.filter(({ connected }) => connected).length;
  const closedMs = await until(() => connections() <= SHARDS);
  await delay(CALM_MS);
  const late = discord.requests
    .slice(before)
    .filter(({ client, method }) => client === name && method !== 'GET').length;
  for (const program of programs.values()) await endProgram(program);
  return { takenMs, throttled, identifies, overlaps, frozenMs, closedMs, late };
};

const measureAlone = async () => {
  await using discord = await startFake();
  const start = () => spawn(discord, 'alone', 'sqlite:alone.db');
  let program = start();
  await until(() => isWhole(discord, SHARDS));
  const takenMs: number[] = [];
  for (let count = 0; count < KILLS; count += 1) {
    await delay(CALM_MS);
    await endProgram(program);
    program = start();
    takenMs.push(await until(() => isWhole(discord, SHARDS)));
  }
  await endProgram(program);
  return takenMs;
};

const seconds = (ms: number): string => `${fixed(ms / 1_000, 1)} s`;
const ours = await measureShared();
const alone = await measureAlone();
const row = (what: string, oursMs: number, commonMs: number) => ({
  what,
  ours: seconds(oursMs),
  common: seconds(commonMs),
  ratio: fixed(oursMs / commonMs),
});
const only = (what: string, value: string) => ({
  what,
  ours: value,
  common: '–',
  ratio: '–',
});
printTable(`${KILLS} kills of one of ${PROCESSES} processes, ${SHARDS} shards`, [
  row('kill -9 to all shards connected, median', median(ours.takenMs), median(alone)),
  row('the longest', Math.max(...ours.takenMs), Math.max(...alone)),
  only('shards with two connections at a time', String(ours.overlaps)),
  only('IDENTIFY that came too soon', String(ours.throttled)),
  only('IDENTIFY for each kill and start', String(Math.round(ours.identifies / (KILLS + 1)))),
  only('one that stands still: its shards are connected elsewhere', seconds(ours.frozenMs)),
  only('it goes on: its former connections are closed', `${fixed(ours.closedMs, 0)} ms`),
  only('what it posts or answers then', String(ours.late)),
]);
await speech[Symbol.asyncDispose]();
await postgres[Symbol.asyncDispose]();
const isGood = ours.overlaps + ours.late === 0 && Math.max(...ours.takenMs, ours.frozenMs) <= 6_000;
process.exit(isGood ? 0 : 1);
