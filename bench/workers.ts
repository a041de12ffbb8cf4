import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { FakeChannel } from '../test/fakes/discord/index.ts';
import { SLOTS } from '../src/store/rows.ts';
import { fixed } from './measure.ts';
import { postgresMs, processorMs } from './processor-time.ts';
import { startPrograms } from './programs.ts';

/**
 * One, two and four worker processes that empty a backlog, with a service whose answers take a fixed time: how
 * many messages a second are posted, what of it is lost, double or out of order, and who uses the processors.
 * `node bench/workers.ts 1000 200` does it with 1,000 messages for each worker and answers of 200 ms only.
 */

const [GIVEN, ONLY_MS] = process.argv.slice(2).map(Number);
/** With the messages for each worker: some are posted before all workers have begun. */
const RUNS = [
  { latencyMs: 200, messages: 4_000 },
  { latencyMs: 1_000, messages: 1_500 },
].filter(({ latencyMs }) => ONLY_MS === undefined || latencyMs === ONLY_MS);
const WORKERS = [1, 2, 4];
const CHANNELS = 200;
const LOOK_MS = 50;
/** Longest time without any progress. */
const STUCK_MS = 60_000;
/** Part of what was left once all workers had their slots that is timed: the last ones wait for a few channels only. */
const TIMED = 0.9;
/** Time for what is posted twice, late. */
const AFTER_MS = 2_000;

interface Measured {
  readonly perSecond: number;
  /** Processor time of one message, ms. */
  readonly workersMs: number;
  readonly postgresMs: number;
  readonly fakesMs: number;
  /** Messages without a translation, with several, and translations that came before an earlier one's. */
  readonly missing: number;
  readonly doubled: number;
  readonly disorder: number;
}

const measure = async (count: number, messages: number, latencyMs: number): Promise<Measured> => {
  await using programs = await startPrograms({ limits: 'off', isDurable: true });
  const { discord, speech, postgres } = programs;
  const guild = discord.guild({ name: 'Babel' });
  programs.start('gateway', { ROLES: 'gateway,web' });
  await programs.shared(1, ['gateway']);
  const watch = async (at: number): Promise<FakeChannel> => {
    const channel = guild.channel({ name: `room-${at}` });
    const options = { languages: 'ja' };
    await discord.command(guild.owner, { channel, name: 'autotranslate reply', options }).answer();
    return channel;
  };
  const channels = await Promise.all(Array.from({ length: CHANNELS }, (_, at) => watch(at)));
  speech.latencyMs = latencyMs;
  const database = new pg.Client({ connectionString: programs.databaseUrl });
  database.on('error', () => undefined);
  await database.connect();
  const numberOf = async (statement: string): Promise<number> => {
    const { rows } = await database.query<{ count: string }>(statement);
    return Number(rows[0]?.count);
  };

  const ann = discord.user({ name: 'Ann' });
  /** Number of each message, by its id. */
  const numbers = new Map<string, number>();
  for (let number = 0; number < messages; number += 1) {
    const text = `This is message ${number} of a busy evening, in which much is said`;
    numbers.set(channels[number % CHANNELS]!.say(ann, text).id, number);
    if (number % 50 === 0) await delay(10);
  }
  while ((await numberOf('SELECT count(*) FROM inbox')) < messages) await delay(LOOK_MS);

  const posts = new Map<string, number>();
  const lastOf = new Map<string, number>();
  let disorder = 0;
  const readRequests = (): number => {
    for (const { route, body, path } of discord.requests.splice(0)) {
      const source = body['message_reference'] as { readonly message_id?: string } | undefined;
      const number = numbers.get(source?.message_id ?? '');
      if (route !== 'POST /channels/:id/messages' || number === undefined) continue;
      posts.set(source!.message_id!, (posts.get(source!.message_id!) ?? 0) + 1);
      if (number < (lastOf.get(path) ?? -1)) disorder += 1;
      lastOf.set(path, number);
    }
    (speech.seen as unknown[]).length = 0;
    return posts.size;
  };

  const workers = Array.from({ length: count }, (_, at) =>
    programs.start(`worker${at}`, { ROLES: 'worker' }),
  );
  // Each has its part of the slots.
  const isShared = `SELECT count(*) FROM (SELECT owner FROM lease WHERE set_name = 'slot:'
    GROUP BY owner HAVING count(*) >= ${Math.floor(SLOTS / count) - 1}) AS owners`;
  while ((await numberOf(isShared)) < count) await delay(LOOK_MS);
  const used = () => ({
    workersMs: workers.reduce((sum, { pid }) => sum + processorMs(pid!), 0),
    postgresMs: postgresMs(postgres.folder),
    fakesMs: processorMs(process.pid),
  });
  const startMs = performance.now();
  const before = { posted: readRequests(), ...used() };
  const goal = before.posted + TIMED * (messages - before.posted);
  let lastMs = startMs;
  let posted = before.posted;
  const read = async (until: number): Promise<void> => {
    while (posted < until && performance.now() - lastMs < STUCK_MS) {
      await delay(LOOK_MS);
      const now = readRequests();
      if (now > posted) lastMs = performance.now();
      posted = now;
    }
  };
  await read(goal);
  const after = used();
  const seconds = (performance.now() - startMs) / 1_000;
  const timed = posted - before.posted;
  await read(messages);
  await delay(AFTER_MS);
  readRequests();
  await database.end();
  return {
    perSecond: timed / seconds,
    workersMs: (after.workersMs - before.workersMs) / timed,
    postgresMs: (after.postgresMs - before.postgresMs) / timed,
    fakesMs: (after.fakesMs - before.fakesMs) / timed,
    missing: messages - posts.size,
    doubled: [...posts.values()].filter((times) => times > 1).length,
    disorder,
  };
};

let isGood = true;
for (const { latencyMs, messages } of RUNS) {
  const forEach = GIVEN ?? messages;
  const measured: Measured[] = [];
  for (const count of WORKERS) {
    const one = await measure(count, count * forEach, latencyMs);
    measured.push(one);
    console.log(`${latencyMs} ms, ${count} workers: ${fixed(one.perSecond, 0)} messages a second`);
    isGood &&= one.missing + one.doubled + one.disorder === 0;
  }
  const row = (what: string, of: (one: Measured) => string): void =>
    console.log(`| ${what} | ${measured.map(of).join(' | ')} |`);
  console.log(
    `\n### ${forEach} messages for each worker in ${CHANNELS} channels, each translation takes ${latencyMs} ms\n`,
  );
  row('workers', (one) => String(WORKERS[measured.indexOf(one)]));
  console.log(`|---|${WORKERS.map(() => '---|').join('')}`);
  row('messages a second', ({ perSecond }) => fixed(perSecond, 0));
  row('of one worker', ({ perSecond }) => fixed(perSecond / measured[0]!.perSecond));
  row('processor time a message: workers', ({ workersMs }) => `${fixed(workersMs, 1)} ms`);
  row('PostgreSQL', (one) => `${fixed(one.postgresMs, 1)} ms`);
  row('Discord and the service of the bench', ({ fakesMs }) => `${fixed(fakesMs, 1)} ms`);
  row('processors in use by these', (one) =>
    fixed(((one.workersMs + one.postgresMs + one.fakesMs) * one.perSecond) / 1_000),
  );
  row('lost, double, out of order', (one) => `${one.missing}, ${one.doubled}, ${one.disorder}`);
}
process.exit(isGood ? 0 : 1);
