import { openStore } from '../src/store/index.ts';
import { simulateClaims } from '../test/fakes/claim-simulation.ts';
import { fixed } from './measure.ts';

/**
 * Schedules of faults against the real leases, slot owners, schedulers, workers and inbox of several processes, in virtual
 * time: how many, and what was found. Others than the usual with
 * `<schedules> <processes> <channels> <messages of each> <faults> <first seed>`.
 */
const wanted = process.argv.slice(2).map(Number);
const [schedules = 500, processes = 3, channels = 6, messages = 12, faults = 6, first = 1] = wanted;

const startMs = performance.now();
let posted = 0;
let postedAgain = 0;
let found = 0;
await using store = await openStore('sqlite::memory:');
for (let seed = first; seed < first + schedules; seed += 1) {
  const size = { processes, channels, messages, faults };
  const result = await simulateClaims({ ...size, store, seed });
  posted += result.posted;
  postedAgain += result.postedAgain;
  found += result.violations.length;
  for (const violation of result.violations) console.log(`seed ${seed}: ${violation}`);
}

const size = `${schedules} × ${processes} processes, ${channels} channels, ${messages} messages each, ${faults} faults`;
const took = `${fixed((performance.now() - startMs) / 1_000, 0)} s`;
console.log('\n| schedules | posts | posts again, of which was known | violations | took |');
console.log('| --- | --- | --- | --- | --- |');
if (found > 0) process.exitCode = 1;
console.log(`| ${size} | ${posted} | ${postedAgain} | ${found} | ${took} |`);
