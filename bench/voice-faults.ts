import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { FakeMessage } from '../test/fakes/discord/index.ts';
import { fixed } from './measure.ts';
import { measureAway } from './voice/away.ts';
import { faultsOf } from './voice/faults.ts';
import { readLedger, type Span } from './voice/ledger.ts';
import { openStage } from './voice/harness.ts';
import { createTalkers, type Said, type TalkDeps } from './voice/talk.ts';
import { readVitals, VITALS_MODULE, type Vitals } from './voice/vitals.ts';

/**
 * Captions of four people who talk all the time, while one fault after the other comes over the whole
 * program: what is lost, for how long, and what the room is told.
 *
 *     node bench/voice-faults.ts [MINUTES] [PART OF A FAULT'S NAME]
 *     node bench/voice-faults.ts away [TRIES]
 *
 * The second form measures how soon captions go on after a voice server was away.
 */

const WHOLE_MINUTES = 10;
const WARM_UP_MS = 20_000;
const SHORTEST_CALM_MS = 9_000;
/** What was said last is shown by then. */
const LATE_MS = 25_000;

const TRIES = 10;
if (process.argv[2] === 'away') {
  await measureAway(Number(process.argv[3] ?? TRIES));
  process.exit();
}

const minutes = Number(process.argv[2] ?? WHOLE_MINUTES);
const part = process.argv[3] ?? '';
const faults = faultsOf(Math.min(1, minutes / WHOLE_MINUTES)).filter(({ name }) =>
  name.includes(part),
);
const lastingMs = faults.reduce((sum, { lastsMs, lingersMs = 0 }) => sum + lastsMs + lingersMs, 0);
const leftMs = part === '' ? minutes * 60_000 - WARM_UP_MS - lastingMs : 0;
const calmMs = Math.max(SHORTEST_CALM_MS, leftMs / faults.length);

const folder = mkdtempSync(join(tmpdir(), 'dragoman-bench-'));
const file = join(folder, 'vitals');
const stage = await openStage({ NODE_OPTIONS: `--import=${VITALS_MODULE}`, VITALS_FILE: file });
const { bot, lounge } = stage;

const said: Said[] = [];
const network: TalkDeps['network'] = { current: {} };
const talker = createTalkers({ said, network });
const others = createTalkers({ said: [], network });
const users = ['Ann', 'Bob', 'Cleo', 'Dan'].map((name) => stage.user(name));
const people = users.map((user) => talker(lounge.join(user)));
/** The same person again each time, and their utterances go on being numbered. */
const guestOf = (name: string) => {
  const user = stage.user(name);
  return () => talker(lounge.join(user));
};
const guests = ['Fay', 'Gil', 'Hal'].map(guestOf);
const eve = stage.user('Eve', true);

console.log(await stage.caption(users[0]!, { languages: 'es' }));
const stopped = new AbortController();
const talking = Promise.all(people.map(({ talk }) => talk(stopped.signal)));
await delay(WARM_UP_MS);
const before = await readVitals(bot.pid(), file);

const unhearable: Span[] = [];
const deleted: Pick<FakeMessage, 'id' | 'content'>[] = [];
const begunMs: number[] = [];
const healedMs: number[] = [];
for (const fault of faults) {
  begunMs.push(performance.now());
  await fault.run({
    stage,
    talker,
    network,
    guests,
    stranger: () => others(lounge.join(eve)),
    deaf: async (run) => {
      const fromMs = performance.now();
      await run();
      unhearable.push({ fromMs, toMs: performance.now() });
    },
    deleted: ({ id, content }) => void deleted.push({ id, content }),
  });
  healedMs.push(performance.now());
  await delay(calmMs + (fault.lingersMs ?? 0));
  console.error(`${begunMs.length}/${faults.length} ${fault.name}`);
}
begunMs.push(performance.now());
stopped.abort();
await talking;
await delay(LATE_MS);
const after = await readVitals(bot.pid(), file);

const ledger = readLedger(bot.discord, lounge, said, unhearable, deleted);
const rows = faults.map(({ name }, at) => {
  const span = { fromMs: begunMs[at]!, toMs: begunMs[at + 1]! };
  const outcome = ledger.outcome(span, healedMs[at]!);
  const told = ledger.notes.filter(({ atMs }) => atMs >= span.fromMs && atMs < span.toMs);
  return { name, ...outcome, told: [...new Set(told.map(({ text }) => text.slice(0, 60)))] };
});
const seconds = (ms: number): string => `${fixed(ms / 1_000, 1)} s`;
const megabytes = ({ heapMb, externalMb, rssMb }: Vitals): string =>
  [heapMb, externalMb, rssMb].map((mb) => fixed(mb, 0)).join(' + ');

console.log(`\n### ${said.length} utterances of captions under faults\n`);
console.log(
  '| fault | deaf for | latest caption | utterances | lost | unhearable | words lost | untranslated | told |',
);
console.log('|---|---|---|---|---|---|---|---|---|');
for (const { name, deafMs, latestMs, lost, lostWords, told, ...row } of rows) {
  const losers = Object.entries(lost).map(([speaker, count]) => `${speaker} ${count}`);
  console.log(
    `| ${name} | ${seconds(deafMs)} | ${seconds(latestMs)} | ${row.utterances} | ${losers.join(', ') || 'none'} | ${row.unhearable} | ${lostWords} | ${row.untranslated} | ${told.join(' / ')} |`,
  );
}
const { twice, misplaced } = ledger;
const places = misplaced.map(
  ({ utterance, atMs, byMs }) =>
    `${utterance} of minute ${fixed((atMs - begunMs[0]!) / 60_000, 1)} by ${fixed(byMs, 0)} ms`,
);
console.log(`
words that stand twice: ${twice.length}
captions after later ones: ${misplaced.length}${places.map((place) => `; ${place}`).join('')}
memory, heap + buffers, and the process: ${megabytes(before)} MB before, ${megabytes(after)} MB after
delay of the event loop, 99th percentile: ${fixed(after.p99Ms, 1)} ms
errors that nobody caught: ${after.faults.join('\n') || 'none'}`);
await stage[Symbol.asyncDispose]();
rmSync(folder, { recursive: true });
const isGood =
  rows.every(({ lost }) => Object.values(lost).every((count) => count <= 1)) &&
  twice.length + misplaced.length + after.faults.length === 0;
process.exit(isGood ? 0 : 1);
