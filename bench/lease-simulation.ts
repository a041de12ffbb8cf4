import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import {
  simulateLeases,
  type SimulationOptions,
  type SimulationResult,
} from '../test/fakes/lease-simulation.ts';
import { fixed } from './measure.ts';

/**
 * Schedules of faults against the real leases over a database in memory, in virtual time: how many, of which sizes,
 * and what was found. Without arguments it runs the usual sizes; others with
 * `<schedules> <processes> <names> <faults> <ms of faults> <first seed> <schedules at once>`.
 */

type Size = Omit<SimulationOptions, 'seed'> & {
  readonly schedules: number;
  readonly first: number;
};

/** The results of many schedules together. */
interface Summary {
  readonly tenures: number;
  readonly lost: number;
  readonly wholeMs: number;
  readonly found: readonly string[];
  readonly perSecond: Readonly<Record<string, number>>;
}

const summarise = (summaries: readonly Summary[]): Summary => ({
  tenures: summaries.reduce((sum, { tenures }) => sum + tenures, 0),
  lost: summaries.reduce((sum, { lost }) => sum + lost, 0),
  wholeMs: Math.max(...summaries.map(({ wholeMs }) => wholeMs)),
  found: summaries.flatMap(({ found }) => found),
  perSecond: summaries.at(-1)?.perSecond ?? {},
});

const summaryOf = (seed: number, result: SimulationResult): Summary => ({
  ...result,
  found: result.violations.map((violation) => `seed ${seed}: ${violation}`),
  perSecond: Object.fromEntries(result.perSecond),
});

const runAll = async ({ schedules, first, ...options }: Size): Promise<Summary> => {
  let all: Summary = { tenures: 0, lost: 0, wholeMs: 0, found: [], perSecond: {} };
  for (let seed = first; seed < first + schedules; seed += 1)
    all = summarise([all, summaryOf(seed, await simulateLeases({ ...options, seed }))]);
  return all;
};

/** Runs a part of the schedules in a process of its own. */
const runElsewhere = async (size: Size): Promise<Summary> => {
  const child = fork(import.meta.filename, ['part', JSON.stringify(size)]);
  const answer = Promise.withResolvers<Summary>();
  child.once('message', (summary: Summary) => answer.resolve(summary));
  child.once('exit', () => answer.reject(new Error('a part of the simulation ended early')));
  return answer.promise;
};

/** Most simulated processes in the schedules of one real process: what killed ones wait for is never freed. */
const MOST_PROCESSES = 3_000;

const run = async (size: Size, atOnce: number): Promise<Summary> => {
  const most = Math.max(1, Math.floor(MOST_PROCESSES / size.processes));
  const each = Math.min(most, Math.ceil(size.schedules / atOnce));
  const summaries: Summary[] = [];
  let done = 0;
  const runNext = async (): Promise<void> => {
    while (done < size.schedules) {
      const schedules = Math.min(each, size.schedules - done);
      const first = size.first + done;
      done += schedules;
      const summary = await runElsewhere({ ...size, schedules, first });
      for (const violation of summary.found) console.log(violation);
      summaries.push(summary);
      if (size.schedules > most * atOnce) console.log(`${first + schedules - size.first} begun`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, runNext));
  return summarise(summaries);
};

const sizeOf = (values: readonly number[]): Size => {
  const [schedules = 1_000, processes = 4, names = 8, faults = 6, faultyMs = 12_000, first = 1] =
    values;
  return { schedules, processes, names, faults, faultyMs, first };
};

const USUAL: readonly Size[] = [
  sizeOf([1_000, 4, 8, 6]),
  sizeOf([100, 20, 64, 20]),
  sizeOf([2, 10, 64, 0]),
  sizeOf([2, 100, 64, 20]),
  sizeOf([1, 1_000, 10_000, 20]),
];

const HEADER = [
  'schedules',
  'tenures',
  'lost',
  'violations',
  'longest until whole',
  'renewals/s',
  'looks/s',
  'claims/s',
  'notifications/s',
  'took',
];

const [kind, given = ''] = process.argv.slice(2);
if (kind === 'part') {
  process.once('disconnect', () => process.exit());
  // Errors whose stacks nobody reads take a tenth of the time.
  Error.stackTraceLimit = 0;
  process.send?.(await runAll(JSON.parse(given) as Size));
  process.disconnect();
} else {
  const wanted = process.argv.slice(2).map(Number);
  const atOnce = wanted[6] ?? availableParallelism();
  const rows: (readonly string[])[] = [];
  for (const size of wanted.length > 0 ? [sizeOf(wanted)] : USUAL) {
    const startMs = performance.now();
    const { tenures, lost, wholeMs, found, perSecond } = await run(size, atOnce);
    const rate = (...kinds: readonly string[]): string =>
      fixed(
        kinds.reduce((sum, each) => sum + (perSecond[each] ?? 0), 0),
        1,
      );
    if (found.length > 0) process.exitCode = 1;
    rows.push([
      `${size.schedules} × ${size.processes} processes, ${size.names} names, ${size.faults} faults`,
      `${tenures}`,
      `${lost}`,
      `${found.length}`,
      `${fixed(wholeMs / 1_000, 2)} s`,
      rate('renew'),
      rate('count', 'claim a part'),
      rate('claim'),
      rate('notified'),
      `${fixed((performance.now() - startMs) / 1_000, 0)} s`,
    ]);
  }
  console.log(
    `\n${[HEADER, HEADER.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')}`,
  );
}
