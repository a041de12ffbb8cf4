import { spawn } from 'node:child_process';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PATHS } from '../src/api/contract.ts';
import { createSlackProcess } from '../test/fakes/slack-bot.ts';
import type { FakeChannel, FakeMessage, FakeUser } from '../test/fakes/slack/index.ts';
import { MESSAGE_METHODS } from '../test/fakes/slack/message-methods.ts';
import { fixed, printTable, quantile, type Result } from './measure.ts';

/**
 * How long Slack waits for the acknowledgement of an event: 100 events a second for a minute, by Socket
 * Mode and by HTTP, while the speech service answers nothing, the database is slow, and Slack's Web API
 * is slow or refuses calls. Slack and the service are in this process. Each acknowledged event is looked
 * for in the database at that moment, and in what is left after a `kill -9` at the end.
 * `node bench/slack-acks.ts 5 http` takes five seconds, by HTTP only.
 */

const [SECONDS, ONLY] = [Number(process.argv[2] ?? 60), process.argv[3]];
const PER_SECOND = 100;
const CHANNELS = 20;
const PEOPLE = 200;
const ALLOWED_MS = 500;
const API_MS = 2_000;
/** Share of calls that are refused with 429. */
const REFUSED = 0.3;

interface Slowness {
  readonly name: string;
  /** Syncs to disk take 50 to 200 ms more. */
  readonly disk?: boolean;
  /** Another process takes the lock of writers, 50 to 200 ms at a time. */
  readonly lock?: boolean;
  /** Slack's answers take 2 s, and some are 429. */
  readonly api?: boolean;
}

const SLOWNESSES: readonly Slowness[] = [
  { name: 'all at ease but the service' },
  { name: 'slow disk', disk: true },
  { name: 'lock taken by another process', lock: true },
  { name: 'Web API: 2 s and 429', api: true },
  { name: 'all of these', disk: true, lock: true, api: true },
];

/** What people do: mostly they write, to each other by name; they change, delete and press flags. */
const createPeople = (channels: readonly FakeChannel[], people: readonly FakeUser[]) => {
  const said: FakeMessage[] = [];
  const by = (index: number): FakeUser => people[index % people.length] as FakeUser;
  const write = (index: number): void => {
    const words = `This is message ${index} of a busy day at work`;
    const to = { type: 'user', user_id: by(index * 7).id };
    const elements = [{ type: 'text', text: words }, ...(index % 5 === 0 ? [to] : [])];
    const channel = channels[index % channels.length] as FakeChannel;
    said.push(channel.say(by(index), { elements: [{ type: 'rich_text_section', elements }] }));
  };
  return (index: number): void => {
    const earlier = said.at(-1 - ((index * 13) % 60));
    if (!earlier || earlier.isDeleted || index % 20 < 16) write(index);
    else if (index % 20 < 18) earlier.edit(`What was said before message ${index}, in other words`);
    else if (index % 20 === 18) earlier.react(by(index), 'jp');
    else earlier.delete();
  };
};

/** True when an event is in the database. */
const stored = (file: DatabaseSync, id: string): boolean =>
  file.prepare('SELECT 1 FROM delivery WHERE id = ?').get(id) !== undefined;

const measure = async (
  transport: 'socket' | 'http',
  { name, disk, lock, api }: Slowness,
): Promise<Result & { readonly isGood: boolean }> => {
  await using bot = await createSlackProcess({ transport });
  const { slack, speech, workspace, admin } = bot;
  await bot.start(
    disk ? { NODE_OPTIONS: `--import=${join(import.meta.dirname, 'slow-disk.mjs')}` } : {},
  );
  const channels = Array.from({ length: CHANNELS }, (_, index) =>
    workspace.channel({ name: `room-${index}`, members: [admin] }),
  );
  for (const channel of channels) await bot.use(channel, 'autotranslate reply languages:es');
  await slack.events.settled();
  const people = Array.from({ length: PEOPLE }, (_, index) =>
    workspace.user({ name: `person-${index}` }),
  );
  const always = { while: () => true };
  speech.fail(PATHS.translate, ...Array.from({ length: 100_000 }, () => ({ hang: true }) as const));
  if (api)
    for (const method of MESSAGE_METHODS) {
      const refusal = { status: 429, headers: { 'retry-after': '2' } };
      slack.fail(method, refusal, { while: () => Math.random() < REFUSED });
      slack.fail(method, { latencyMs: API_MS }, always);
    }

  const database = new DatabaseSync(bot.databaseFile, { readOnly: true });
  const acknowledged: string[] = [];
  const waitedMs: number[] = [];
  let withoutRow = 0;
  slack.events.onAcknowledged(({ id }, afterMs) => {
    waitedMs.push(afterMs);
    acknowledged.push(id);
    if (!stored(database, id)) withoutRow += 1;
  });
  const other = lock
    ? spawn(process.execPath, [join(import.meta.dirname, 'busy-database.mjs'), bot.databaseFile])
    : undefined;

  const first = slack.events.log.length;
  const act = createPeople(channels, people);
  const startMs = performance.now();
  for (let index = 0; index < PER_SECOND * SECONDS; index += 1) {
    act(index);
    const dueMs = startMs + ((index + 1) * 1_000) / PER_SECOND;
    if (dueMs > performance.now()) await delay(dueMs - performance.now());
  }
  await bot.kill();
  other?.kill();
  database.close();
  const left = new DatabaseSync(bot.databaseFile, { readOnly: true });
  const lost = acknowledged.filter((id) => !stored(left, id)).length;
  left.close();
  const records = slack.events.log.slice(first);
  const failed = records.filter(({ outcomes }) =>
    outcomes.some((outcome) => !outcome.acked && outcome.reason !== 'connection_failed'),
  ).length;
  const p99 = quantile(waitedMs, 0.99);
  return {
    what: `${transport}, ${name}`,
    ours: [
      `${fixed(quantile(waitedMs, 0.5), 0)} / ${fixed(p99, 0)} / ${fixed(Math.max(...waitedMs), 0)} ms`,
      `${acknowledged.length} acknowledged, ${withoutRow} without a row, ${lost} lost by the kill, ${failed} too late`,
    ].join('; '),
    common: `${ALLOWED_MS} ms`,
    ratio: fixed(p99 / ALLOWED_MS),
    isGood: p99 < ALLOWED_MS && withoutRow + lost + failed === 0,
  };
};

const results: Awaited<ReturnType<typeof measure>>[] = [];
for (const transport of ['socket', 'http'] as const)
  for (const slowness of SLOWNESSES) {
    if (ONLY !== undefined && ONLY !== transport) continue;
    const result = await measure(transport, slowness);
    console.log(`${result.what}: ${result.ours}`);
    results.push(result);
  }
printTable(
  'To the acknowledgement of an event: median / 99th percentile / longest, against what is allowed',
  results,
);
process.exit(results.every(({ isGood }) => isGood) ? 0 : 1);
