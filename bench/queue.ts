import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { onServer } from '../test/fakes/on-server.ts';
import { startPostgres } from '../test/fakes/postgres.ts';
import { openStore } from '../src/store/index.ts';
import { fixed, printTable, quantile, type Result } from './measure.ts';
import { postgresMs } from './processor-time.ts';
import type { Report, WorkerOptions } from './queue/report.ts';

/**
 * Ordered work on PostgreSQL over several processes: the time from the commit of a message to the start of its handler,
 * and the processor time that the database takes for it, against pg-boss with the same load, one after the other.
 *
 * Arguments: messages a second, seconds, processes, channels.
 */

const [PER_SECOND = 300, SECONDS = 20, PROCESSES = 4, CHANNELS = 1_000] = process.argv
  .slice(2)
  .map(Number);
const HANDLER_MS = 20;
/** Time in which processes divide the work among them. */
const SETTLE_MS = 6_000;
/** Longest wait for what is left when all messages were made. */
const LEFT_MS = 60_000;

type Engine = 'ours' | 'pg-boss';

const start = async (engine: Engine, options: WorkerOptions): Promise<ChildProcess> => {
  const child = fork(join(import.meta.dirname, 'queue', `${engine}.ts`), [JSON.stringify(options)]);
  await once(child, 'message');
  return child;
};

const ask = async (child: ChildProcess, what: 'run' | 'report'): Promise<unknown> => {
  child.send(what);
  const [answer] = (await once(child, 'message')) as [unknown];
  return answer;
};

const measure = async (engine: Engine) => {
  await using server = await startPostgres({ isDurable: true });
  await onServer(server.urlOf(''), 'CREATE DATABASE queue');
  const url = server.urlOf('queue');
  if (engine === 'ours') await (await openStore(url)).destroy();
  const children: ChildProcess[] = [];
  for (let index = 0; index < PROCESSES; index += 1) {
    const options = { url, index, processes: PROCESSES, perSecond: PER_SECOND, seconds: SECONDS };
    children.push(await start(engine, { ...options, channels: CHANNELS, handlerMs: HANDLER_MS }));
  }
  await delay(SETTLE_MS);
  const beforeMs = postgresMs(server.folder);
  await Promise.all(children.map((child) => ask(child, 'run')));
  const total = PER_SECOND * SECONDS;
  const latestMs = performance.now() + LEFT_MS;
  let reports: Report[];
  do {
    await delay(500);
    reports = (await Promise.all(children.map((child) => ask(child, 'report')))) as Report[];
  } while (
    reports.reduce((sum, { begun }) => sum + begun.length, 0) < total &&
    performance.now() < latestMs
  );
  const usedMs = postgresMs(server.folder) - beforeMs;
  for (const child of children) child.kill('SIGKILL');

  const committed = new Map(reports.flatMap((report) => report.committed));
  const begun = reports.flatMap((report) => report.begun);
  const first = new Map<number, number>();
  for (const [id, atMs] of begun) first.set(id, Math.min(atMs, first.get(id) ?? Infinity));
  const lags = [...first]
    .map(([id, atMs]) => Math.max(0, atMs - (committed.get(id) ?? atMs)))
    .toSorted((a, b) => a - b);
  const lastOf = new Map<number, number>();
  let disorder = 0;
  for (const [id] of [...first].toSorted((a, b) => a[1] - b[1])) {
    const channel = (id * 7_919) % CHANNELS;
    if (id < (lastOf.get(channel) ?? -1)) disorder += 1;
    lastOf.set(channel, Math.max(id, lastOf.get(channel) ?? -1));
  }
  return {
    p50: quantile(lags, 0.5),
    p95: quantile(lags, 0.95),
    p99: quantile(lags, 0.99),
    databaseMs: usedMs / total,
    missing: total - first.size,
    twice: begun.length - first.size,
    disorder,
  };
};

const ours = await measure('ours');
const theirs = await measure('pg-boss');
const row = (what: string, pick: (one: typeof ours) => number, digits = 1): Result => ({
  what,
  ours: fixed(pick(ours), digits),
  common: fixed(pick(theirs), digits),
  ratio: fixed(pick(ours) / pick(theirs)),
});
printTable(
  `Ordered work: ${PER_SECOND} messages a second, ${PROCESSES} processes, ${CHANNELS} channels, ${SECONDS} s; pg-boss`,
  [
    row('commit to handler, ms: median', ({ p50 }) => p50),
    row('95th percentile', ({ p95 }) => p95),
    row('99th percentile', ({ p99 }) => p99),
    row('processor time of the database a message, ms', (one) => one.databaseMs, 2),
    row('not handled', ({ missing }) => missing, 0),
    row('handled twice', ({ twice }) => twice, 0),
    row('begun before an earlier one of its channel', ({ disorder }) => disorder, 0),
  ],
);
if (ours.missing + ours.twice + ours.disorder > 0) process.exitCode = 1;
