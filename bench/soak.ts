import { createWriteStream, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { VOICE_CERTIFICATE_PATH } from '../test/fakes/discord/index.ts';
import { guildsOfShards } from '../test/fakes/discord/shard-of.ts';
import { wordsHeard } from '../test/fakes/numbered-speech.ts';
import { fixed } from './measure.ts';
import { pageOf, startPrograms } from './programs.ts';
import { causeFaults } from './soak/faults.ts';
import { openPlaces, openSlack } from './soak/places.ts';
import { growthOf, takeSample, type Metric, type Sample } from './soak/samples.ts';
import { startTraffic } from './soak/traffic.ts';
import { encrypted } from './voice/bot.ts';
import { VITALS_MODULE } from './voice/vitals.ts';

/**
 * Two processes on one PostgreSQL with Discord, Slack and the page, under steady traffic and with a fault every few
 * seconds: whether memory, handles and the delay of the event loop stay as they are. `node bench/soak.ts 4` takes four
 * minutes, not 30. `--only gateway` causes only the faults with this in their names, `--settle 60` waits a minute until
 * everything is processed, and `--logs FOLDER` keeps the logs of the processes there.
 */

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', default: '' },
    settle: { type: 'string', default: '300' },
    logs: { type: 'string', default: '' },
  },
});
const MINUTES = Number(positionals[0] ?? 30);
const NAMES = ['p0', 'p1'] as const;
const SHARDS = 4;
const SAMPLE_MS = 10_000;
/** Every so many samples the garbage is collected first, so that the heap can be compared. */
const COLLECT_EVERY = 3;
const FAULT_MS = 12_000;
/** Every so many faults PostgreSQL is restarted. */
const RESTART_EVERY = 15;
/** Longest time in which all that was said is dealt with, when the faults are over. */
const SETTLE_MS = Number(given.settle) * 1_000;
const LOOK_MS = 500;
/** Parts of the whole time. The one after half of it and the last are judged: until then V8 still compiles what becomes hot. */
const PARTS = 6;

/** Metrics of the table; other programs on the machine delay the event loop as well. */
type ShownMetric = Exclude<Metric, 'p99Ms' | 'worstMs'>;
/**
 * Growth in the second half up to which a value counts as flat: a share of it, or an amount. Compiled code is shown and
 * not judged: what V8 compiles is bounded by the program's source, and a leak is made of objects.
 */
const FLAT: Readonly<
  Record<Exclude<ShownMetric, 'codeMb'>, { readonly share: number; readonly amount: number }>
> = {
  rssMb: { share: 0.04, amount: 8 },
  heapMb: { share: 0.025, amount: 2 },
  externalMb: { share: 0.1, amount: 4 },
  files: { share: 0.1, amount: 5 },
  resources: { share: 0.1, amount: 8 },
  timers: { share: 0.15, amount: 15 },
  ownP99Ms: { share: 0.5, amount: 10 },
  ownWorstMs: { share: 1, amount: 50 },
};
const WHAT: Readonly<Record<ShownMetric, string>> = {
  rssMb: 'resident memory, MB',
  heapMb: 'heap without garbage and compiled code, MB',
  codeMb: 'compiled code on the heap, MB',
  externalMb: 'external memory without WebAssembly, MB',
  files: 'open files and sockets',
  resources: 'active resources of Node.js',
  timers: 'timers that wait',
  ownP99Ms: 'own delay of the event loop, 99th percentile of 10 s, ms',
  ownWorstMs: 'own delay of the event loop, longest of 10 s, ms',
};
const METRICS = Object.keys(WHAT) as ShownMetric[];

const folder = mkdtempSync(join(tmpdir(), 'dragoman-bench-'));
const vitalsFile = (name: string): string => join(folder, name);
await using programs = await startPrograms({
  shards: SHARDS,
  maxConcurrency: SHARDS,
  isDurable: true,
  voice: { dave: encrypted },
});
const { discord, speech } = programs;
speech.listen = (audio) => ({
  text: wordsHeard(audio).join(' ') || 'We shall meet at the station tomorrow',
  language: 'en',
});
const slack = await openSlack();
const guilds = guildsOfShards(discord, SHARDS);
const environment = {
  ...slack.environment,
  DISCORD_REQUESTS_PER_SECOND: '50',
  NODE_EXTRA_CA_CERTS: VOICE_CERTIFICATE_PATH,
  NODE_OPTIONS: `--import=${VITALS_MODULE}`,
  VITALS_COLLECT_EVERY: String(COLLECT_EVERY),
  LOG_LEVEL: given.logs === '' ? 'silent' : 'info',
};
const started = NAMES.map((name) =>
  programs.start(name, { ...environment, VITALS_FILE: vitalsFile(name) }),
);
if (given.logs !== '') {
  mkdirSync(given.logs, { recursive: true });
  for (const [index, name] of NAMES.entries())
    started[index]!.stderr.pipe(createWriteStream(join(given.logs, `${name}.log`)));
}
const pages = await Promise.all(started.map(pageOf));
await programs.shared(SHARDS, NAMES);
const places = await openPlaces(programs, slack, guilds, pages);
console.log('everything is watched');

const startMs = performance.now();
const nowS = (): number => (performance.now() - startMs) / 1_000;
const endS = MINUTES * 60;
const samples = new Map<string, Sample[]>(NAMES.map((name) => [name, []]));
const faults = new Map<string, number>();
const ended = new AbortController();

for (const [index, name] of NAMES.entries())
  await takeSample(started[index]!.pid!, vitalsFile(name), 0);
const traffic = startTraffic(places);
const causing = causeFaults(
  places,
  { everyMs: FAULT_MS, restartEvery: RESTART_EVERY, only: given.only },
  ended.signal,
  (name) => void faults.set(name, (faults.get(name) ?? 0) + 1),
);
for (let at = 1; nowS() < endS; at += 1) {
  await delay(Math.max(0, at * SAMPLE_MS - nowS() * 1_000));
  for (const [index, name] of NAMES.entries()) {
    const { pid, exitCode } = started[index]!;
    if (exitCode !== null || pid === undefined) throw new Error(`${name} has ended`);
    samples.get(name)?.push(await takeSample(pid, vitalsFile(name), nowS()));
  }
  // What the fakes keep for tests.
  (speech.seen as unknown[]).length = 0;
  discord.requests.length = 0;
  if (at % 6 === 0)
    console.log(
      `${fixed(nowS() / 60, 0)} min`,
      ...NAMES.map((name) => {
        const last = samples.get(name)!.at(-1)!;
        return `${name}: ${fixed(last.rssMb, 0)} MB, ${last.files} files, ${fixed(last.ownP99Ms, 1)} of ${fixed(last.p99Ms, 1)} ms`;
      }),
    );
}
ended.abort();
await Promise.all([traffic.stop(), causing]);

const database = new pg.Client({ connectionString: programs.databaseUrl });
database.on('error', () => undefined);
await database.connect();
const wanted = new Map<string, string>(
  [
    ...traffic.said.map((one) => [one, 'Discord'] as const),
    ...traffic.saidInLinked.map((one) => [one, 'linked'] as const),
  ].flatMap(([{ id, deleted }, where]) => (deleted ? [] : [[id, where] as const])),
);
for (const { ts } of traffic.saidOnSlack) wanted.set(ts, 'Slack');
/** What became of the messages, with their numbers; those that no process has dealt with are `open`. */
const outcomes = async (): Promise<ReadonlyMap<string, number>> => {
  const { rows } = await database.query<{ id: string; outcome: string }>(
    `SELECT message_id AS id, CASE state WHEN 'waiting' THEN 'open' ELSE coalesce(reason, state) END AS outcome
     FROM inbox WHERE purpose = 'watch'`,
  );
  const known = new Map(rows.map(({ id, outcome }) => [id, outcome]));
  const counts = new Map<string, number>();
  for (const [id, where] of wanted) {
    const what = `${where}: ${known.get(id) ?? 'open, without a row'}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return counts;
};
const openIn = (counts: ReadonlyMap<string, number>): number =>
  [...counts].reduce((sum, [what, count]) => sum + (what.includes('open') ? count : 0), 0);
const settledMs = performance.now();
let became = await outcomes();
while (openIn(became) > 0 && performance.now() - settledMs < SETTLE_MS) {
  await delay(LOOK_MS);
  became = await outcomes();
}
const open = openIn(became);
const settleS = (performance.now() - settledMs) / 1_000;
await database.end();

/** Messages that stand without a translation, and with several. */
const replies = new Map<string, number>();
for (const channel of places.channels)
  for (const { state } of channel.messages)
    if (state.author.id === discord.botUser.id && state.reference)
      replies.set(state.reference.messageId, (replies.get(state.reference.messageId) ?? 0) + 1);
const standing = [
  ...traffic.said.filter(({ deleted }) => !deleted).map(({ id }) => replies.get(id) ?? 0),
  ...traffic.saidOnSlack.map((message) => message.replies.filter(({ isOurs }) => isOurs).length),
];
const missing = standing.filter((count) => count === 0).length;
const doubled = standing.filter((count) => count > 1).length;

const listed = (counts: Iterable<readonly [string, number]>): string =>
  [...counts].map(([what, count]) => `${count} ${what}`).join(', ');
const uncaught = NAMES.flatMap((name) => samples.get(name)!.at(-1)!.faults).length;
console.log(`
### ${MINUTES} min, ${wanted.size} messages, a fault every ${FAULT_MS / 1_000} s

Commands and voice: ${listed(Object.entries(traffic.counts))}.
Faults: ${listed(faults)}.
What became of the messages: ${listed(became)}.
Dealt with ${fixed(settleS, 0)} s after the last fault: all but ${open}; without a translation ${missing}, with several ${doubled}.
Exceptions that nobody caught: ${uncaught}.

| what | process | minutes ${fixed(MINUTES / PARTS, 1)} to ${fixed((2 * MINUTES) / PARTS, 1)} | after half the time | the last ${fixed(MINUTES / PARTS, 1)} | growth in the second half | an hour |
|---|---|---|---|---|---|---|`);
let isFlat = true;
for (const metric of METRICS)
  for (const name of NAMES) {
    const { early, middle, late, perHour } = growthOf(samples.get(name)!, metric, endS / PARTS);
    const grown = late - middle;
    const limit = metric === 'codeMb' ? undefined : FLAT[metric];
    const isGood = !limit || grown <= Math.max(limit.amount, limit.share * middle);
    isFlat &&= isGood;
    const percent = `${fixed((100 * grown) / Math.max(middle, 1e-9), 1)} %${isGood ? '' : ' (!)'}`;
    console.log(
      `| ${WHAT[metric]} | ${name} | ${fixed(early, 1)} | ${fixed(middle, 1)} | ${fixed(late, 1)} | ${percent} | ${fixed(perHour, 1)} |`,
    );
  }

rmSync(folder, { recursive: true });
await slack.slack[Symbol.asyncDispose]();
await programs[Symbol.asyncDispose]();
process.exit(isFlat && open + missing + doubled + uncaught === 0 ? 0 : 1);
