import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import manifest from '../package.json' with { type: 'json' };
import { createBot } from '../test/fakes/bot.ts';
import { fixed, median, printTable } from './measure.ts';

/** From the command to the first good answer of `/readyz`, and the memory of a process at rest. */

const ROOT = join(import.meta.dirname, '..');
/** Options of Node.js in `npm start`. */
const FLAGS = manifest.scripts.start.split(' ').filter((word) => word.startsWith('--'));
const RUNS = 5;
/** A program prepares the page's modules in its first seconds. */
const REST_MS = 10_000;
/** Servers of Discord where the program is connected with it. */
const SERVERS = 100;

const rssMb = (pid: number): number => {
  const line = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? 0) / 1_024;
};

const childrenOf = (pid: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((other) => {
      try {
        return (
          Number(/\)\s\S\s(\d+)/.exec(readFileSync(`/proc/${other}/stat`, 'utf8'))?.[1]) === pid
        );
      } catch {
        return false;
      }
    });

const isReady = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(`${url}/readyz`)).ok;
  } catch {
    return false;
  }
};

const measure = async (port: number) => {
  const folder = await mkdtemp(join(tmpdir(), 'dragoman-bench-'));
  const startMs = performance.now();
  const program = [...FLAGS, join(ROOT, 'scripts/run.mjs'), join(ROOT, 'main.ts')];
  const child = spawn(process.execPath, program, {
    cwd: folder,
    env: { PATH: process.env['PATH'], PORT: String(port), LOG_LEVEL: 'silent' },
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}`;
  while (!(await isReady(url))) await delay(5);
  const readyMs = performance.now() - startMs;
  await delay(REST_MS);
  const pid = child.pid ?? 0;
  const restMb = rssMb(pid);
  const childrenMb = childrenOf(pid).reduce((sum, other) => sum + rssMb(other), 0);
  child.kill();
  return { readyMs, restMb, childrenMb };
};

/** Memory of a process that is connected to Discord, at rest, MB. */
const withDiscord = async (): Promise<number> => {
  await using bot = await createBot();
  for (let server = 0; server < SERVERS; server += 1) bot.discord.guild().channel();
  await bot.start();
  await delay(REST_MS);
  return rssMb(bot.pid());
};

const bare = async (): Promise<number> => {
  const startMs = performance.now();
  const child = spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' });
  await new Promise((resolve) => {
    child.once('exit', resolve);
  });
  return performance.now() - startMs;
};

const runs: Awaited<ReturnType<typeof measure>>[] = [];
const bareMs: number[] = [];
const discordMb: number[] = [];
for (let run = 0; run < RUNS; run += 1) {
  runs.push(await measure(18_300 + run));
  bareMs.push(await bare());
  discordMb.push(await withDiscord());
}
const readyMs = median(runs.map((run) => run.readyMs));
printTable('Start and rest (bare: an empty Node process)', [
  {
    what: 'from the command to ready',
    ours: `${fixed(readyMs, 0)} ms`,
    common: `${fixed(median(bareMs), 0)} ms`,
    ratio: fixed(readyMs / median(bareMs), 1),
  },
  {
    what: 'memory at rest, main process and its children',
    ours: `${fixed(median(runs.map((run) => run.restMb)), 0)} + ${fixed(median(runs.map((run) => run.childrenMb)), 0)} MB`,
    common: '–',
    ratio: '–',
  },
  {
    what: `main process with ${SERVERS} servers of Discord`,
    ours: `${fixed(median(discordMb), 0)} MB`,
    common: '–',
    ratio: '–',
  },
]);
