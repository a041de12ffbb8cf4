import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startCallers, type Tally } from '../test/fakes/killed/callers.ts';
import {
  openBackEndScene,
  openSecondEngineScene,
  openServiceScene,
  type KillScene,
} from '../test/fakes/killed/scenes.ts';
import { fixed } from './measure.ts';
import { describeHandles, readVitals, VITALS_MODULE, type Vitals } from './voice/vitals.ts';

/**
 * Kills the service, or its back end, again and again while a client makes calls of every kind: how they
 * end, and what is left over in the process that goes on. `node bench/service-kill.ts 100` kills 100 times.
 */

const KILLS = Number(process.argv[2] ?? 1_000);
const FIRST_KILLS = Math.min(100, KILLS / 2);
const CLOSED_MS = 1_000;

interface Kind {
  readonly what: string;
  readonly open: () => Promise<KillScene>;
  readonly longestLifeMs: number;
}

const KINDS: readonly Kind[] = [
  { what: 'the service', open: openServiceScene, longestLifeMs: 1_500 },
  { what: 'its only back end', open: openBackEndScene, longestLifeMs: 300 },
  { what: 'a back end beside a second engine', open: openSecondEngineScene, longestLifeMs: 300 },
];

/** The bench runs in a process that is watched from its start. */
const watched = process.env['VITALS_FILE'];
if (watched === undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-bench-'));
  const { status } = spawnSync(
    process.execPath,
    ['--import', VITALS_MODULE, import.meta.filename, String(KILLS)],
    { env: { ...process.env, VITALS_FILE: join(folder, 'vitals') }, stdio: 'inherit' },
  );
  rmSync(folder, { recursive: true });
  process.exit(status ?? 1);
}

const look = (): Promise<Vitals> => readVitals(process.pid, watched);

const printCalls = (tallies: ReadonlyMap<string, Tally>): void => {
  console.log('\n| call | calls | answered | ended with | longest |\n|---|---|---|---|---|');
  for (const [kind, { calls, answered, errors, longestMs }] of tallies) {
    const ended = [...errors].map(([code, count]) => `${count} ${code}`).join(', ') || '–';
    console.log(
      `| ${kind} | ${calls} | ${answered} | ${ended} | ${fixed(longestMs / 1_000, 1)} s |`,
    );
  }
};

const printVitals = (rows: Readonly<Record<string, Vitals>>): void => {
  console.log('\n| when | heap MB | external MB | timers | handles |\n|---|---|---|---|---|');
  for (const [when, vitals] of Object.entries(rows))
    console.log(
      `| ${when} | ${fixed(vitals.heapMb, 1)} | ${fixed(vitals.externalMb, 1)} | ${vitals.timers} | ${describeHandles(vitals)} |`,
    );
};

for (const { what, open, longestLifeMs } of KINDS) {
  const before = await look();
  const scene = await open();
  const callers = startCallers(scene.calls);
  let early: Vitals | undefined;
  for (let kill = 0; kill < KILLS; kill += 1) {
    await delay(Math.random() * longestLifeMs);
    await scene.victim.kill();
    await scene.victim.start();
    if (kill + 1 === FIRST_KILLS) early = await look();
  }
  const late = await look();
  await callers.stop();
  await scene[Symbol.asyncDispose]();
  await delay(CLOSED_MS);
  const after = await look();
  console.log(`\n### ${KILLS} kills of ${what}`);
  printCalls(callers.tallies);
  printVitals({
    before: before,
    ...(early ? { [`after ${FIRST_KILLS} kills`]: early } : {}),
    [`after ${KILLS} kills`]: late,
    'when all is closed': after,
  });
}
process.exit(0);
