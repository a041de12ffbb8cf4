import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { EVENTS_PATH, SUBSCRIBED } from '../adapters/slack/manifest.ts';
import { SCOPES } from '../adapters/slack/scopes.ts';
import { startDiscordFake } from '../test/fakes/discord/index.ts';
import type { RequestRecord } from '../test/fakes/discord/state.ts';
import { onServer } from '../test/fakes/on-server.ts';
import { startPostgres } from '../test/fakes/postgres.ts';
import { startSlackFake } from '../test/fakes/slack/index.ts';
import { startSpeechFake } from '../test/fakes/speech.ts';
import { isShared } from './connected.ts';
import { startDiscordTalk } from './chaos/discord-talk.ts';
import { judge, type Judgement } from './chaos/judge.ts';
import { startLoadBalancer } from './chaos/load-balancer.ts';
import { createPrograms } from './chaos/programs.ts';
import { readShardLog, type Freeze } from './chaos/shard-log.ts';
import { startSlackTalk } from './chaos/slack-talk.ts';
import { fixed, median, printTable, quantile } from './measure.ts';

/**
 * Three programs on one PostgreSQL, Discord with 16 shards and Slack over HTTP, 100 messages a second: one is
 * killed every 20 s for 5 minutes, one stands still for 60 s, PostgreSQL is restarted. What is lost, posted
 * twice or out of order, by what stands on Discord and Slack in the end. `node bench/chaos.ts 60 30` takes 60 s,
 * with 30 messages a second.
 */

const [SECONDS = 300, PER_SECOND = 100] = process.argv.slice(2).map(Number);
const SHARDS = 16;
const NAMES = ['p0', 'p1', 'p2'];
/** One line in so many is on Slack: the program posts 5 a second in a workspace. */
const SLACK_EVERY = 33;
/** Discord's limits are so many times higher, as there are two posts for each linked message. */
const SPEED = 6;
const TRANSLATION_MS = 30;
const KILL_EVERY_S = 20;
const FREEZE_S = Math.min(60, SECONDS / 5);
/** Between two kills. */
const between = (atS: number): number => (Math.floor(atS / KILL_EVERY_S) + 0.5) * KILL_EVERY_S;
const FREEZE_AT_S = between(SECONDS / 3);
const RESTART_AT_S = between((2 * SECONDS) / 3);
/** Longest takeover of a shard. */
const TAKEOVER_MS = 6_000;
/** Slack's last try of an event comes six minutes after the first one. */
const SETTLE_MS = 450_000;
/** Time for what is posted twice, late. */
const AFTER_MS = 15_000;
const LOOK_MS = 1_000;
const LOOK_EVERY_MS = 5_000;
const NOTE_EVERY_S = 10;

const postgres = await startPostgres();
await onServer(postgres.urlOf(''), 'CREATE DATABASE chaos');
const speech = await startSpeechFake();
speech.latencyMs = TRANSLATION_MS;
const discord = await startDiscordFake({
  shards: SHARDS,
  maxConcurrency: SHARDS,
  speed: SPEED,
});
const slack = await startSlackFake();
const workspace = slack.workspace({ name: 'team', scopes: Object.keys(SCOPES) });
slack.app.events = new Set(SUBSCRIBED);
slack.app.socketMode = false;

const programs = createPrograms((name) => ({
  DATABASE_URL: postgres.urlOf('chaos'),
  DISCORD_TOKEN: discord.token,
  DISCORD_API_URL: discord.urlFor(name),
  DISCORD_REQUESTS_PER_SECOND: String(50 * SPEED),
  SLACK_BOT_TOKEN: workspace.botToken,
  SLACK_SIGNING_SECRET: slack.app.signingSecret,
  SLACK_API_URL: slack.url,
  SLACK_PORT: '0',
  SPEECH_API_URL: speech.url,
  SPEECH_API_KEY: speech.key,
  PORT: '0',
}));
const balancer = await startLoadBalancer(() => programs.addresses());
slack.app.requestUrl = `${balancer.url}${EVENTS_PATH}`;

const startMs = performance.now();
const note = (what: string): void =>
  console.log(`${fixed((performance.now() - startMs) / 1_000, 1)} s: ${what}`);

const discordTalk = startDiscordTalk(discord, SHARDS);
const slackTalk = startSlackTalk(slack, workspace);
for (const name of NAMES) programs.start(name);
await discord.until(() => isShared(discord, SHARDS, NAMES.length));
await discord.until(() => programs.addresses().length === NAMES.length);
await discordTalk.watch();
await slackTalk.watch();
note('all is set up');

/** Requests that change something, of which Discord's fake keeps the last ones only. */
const changes: RequestRecord[] = [];
const routes = new Map<string, number>();
let lastSeen = discord.requests.at(-1);
const collect = (): void => {
  const from = lastSeen ? discord.requests.lastIndexOf(lastSeen) + 1 : 0;
  const fresh = discord.requests.slice(from);
  lastSeen = fresh.at(-1) ?? lastSeen;
  changes.push(...fresh.filter(({ method }) => method !== 'GET'));
  for (const { route } of fresh) routes.set(route, (routes.get(route) ?? 0) + 1);
};
const collecting = setInterval(collect, LOOK_MS);

const stopped = new AbortController();
const talk = async (): Promise<number> => {
  const fromMs = performance.now();
  let count = 0;
  for (; !stopped.signal.aborted; count += 1) {
    const waitMs = fromMs + (count * 1_000) / PER_SECOND - performance.now();
    if (waitMs > 0) await delay(waitMs);
    if (count % SLACK_EVERY === 0) slackTalk.say();
    else discordTalk.say();
  }
  return count;
};

interface Loss {
  readonly name: string;
  readonly atMs: number;
}
const kills: Loss[] = [];
const freezes: Freeze[] = [];
let restartMs = 0;

const look = (): Judgement => judge([...discordTalk.places(), ...slackTalk.places(freezes)]);

const fromMs = performance.now();
const fromUnixMs = Date.now();
const at = async (seconds: number): Promise<void> =>
  delay(Math.max(0, fromMs + seconds * 1_000 - performance.now()));

const killing = async (): Promise<void> => {
  for (let count = 1; count * KILL_EVERY_S < SECONDS; count += 1) {
    await at(count * KILL_EVERY_S);
    const frozen = freezes.at(-1);
    const isFrozen = (name: string): boolean =>
      frozen?.name === name && performance.now() < frozen.toMs;
    const name = NAMES.map((_, turn) => NAMES[(count + turn) % NAMES.length]!).find(
      (each) => !isFrozen(each),
    )!;
    kills.push({ name, atMs: performance.now() });
    note(`${name} is killed`);
    await programs.kill(name);
    programs.start(name);
  }
};
const freezing = async (): Promise<void> => {
  await at(FREEZE_AT_S);
  const name = NAMES[1]!;
  const frozenMs = performance.now();
  note(`${name} stands still`);
  programs.freeze(name);
  freezes.push({ name, fromMs: frozenMs, toMs: frozenMs + FREEZE_S * 1_000 });
  await at(FREEZE_AT_S + FREEZE_S);
  note(`${name} goes on`);
  freezes[0] = { name, fromMs: frozenMs, toMs: performance.now() };
  programs.wake(name);
};
const restarting = async (): Promise<void> => {
  await at(RESTART_AT_S);
  const stopMs = performance.now();
  await postgres.stop('SIGINT');
  await postgres.start();
  restartMs = performance.now() - stopMs;
  note('PostgreSQL was restarted');
};

const noting = async (): Promise<void> => {
  for (let count = 1; count * NOTE_EVERY_S < SECONDS; count += 1) {
    await at(count * NOTE_EVERY_S);
    const lost = look().lost.length;
    note(
      `${lost} translations are missing, ${fixed(programs.use().cpuMs / 1_000, 1)} s of processor time`,
    );
  }
};

const loop = monitorEventLoopDelay({ resolution: 10 });
loop.enable();
const before = programs.use();
const talking = talk();
await Promise.all([killing(), freezing(), restarting(), noting(), at(SECONDS)]);
stopped.abort();
const lines = await talking;
const talkedMs = performance.now() - fromMs;
loop.disable();
const after = programs.use();
note(`${lines} messages were written`);

const endMs = performance.now() + SETTLE_MS;
for (let left = Infinity; performance.now() < endMs;) {
  const missing = look().lost.length;
  if (missing === 0) break;
  if (missing !== left) note(`${missing} translations are missing`);
  left = missing;
  await delay(LOOK_EVERY_MS);
}
await slack.events.settled();
await delay(AFTER_MS);
clearInterval(collecting);
collect();

const found = look();
const shards = readShardLog(discord.gateway.log, freezes);
/** Posts on Discord whose program was killed, or stood still, before it can have noted them. */
const NOTED_MS = 500;
/** Greatest time between a request and the id of what it posted. */
const POSTED_MS = 50;
const isPostOf = (name: string, unixMs: number): boolean =>
  changes.some(
    ({ client, method, at: ms }) =>
      client === name && method === 'POST' && Math.abs(ms - unixMs) <= POSTED_MS,
  );
const losses = [...kills, ...freezes.map(({ name, fromMs: atMs }) => ({ name, atMs }))];
const isUnavoidable = (first: number): boolean =>
  losses.some(({ name, atMs }) => {
    const unixMs = performance.timeOrigin + atMs;
    return first <= unixMs && first > unixMs - NOTED_MS && isPostOf(name, first);
  });
const unavoidable = found.doubled.filter(({ atMs: [first = 0] }) => isUnavoidable(first));
const avoidable = found.doubled.filter((one) => !unavoidable.includes(one));
for (const { place, source, atMs } of found.doubled)
  note(`twice: ${source} in ${place} after ${atMs.map((ms) => ms - fromUnixMs).join(', ')} ms`);
const since = (unixMs: number): string => fixed((unixMs - fromUnixMs) / 1_000, 1);
for (const { place, saidMs, shownMs, laterSaidMs, laterShownMs } of found.unordered)
  note(
    `out of order in ${place}: said at ${since(saidMs)} s, shown at ${since(shownMs)}, after one said at ${since(laterSaidMs)}, shown at ${since(laterShownMs)}`,
  );
for (const { place, source } of found.lost) note(`lost: ${source} in ${place}`);

/** Posts that Discord made only once, though they were sent by two programs. */
const posters = new Map<string, Set<string>>();
for (const { body, client, status } of changes) {
  const nonce = body['nonce'];
  if (typeof nonce !== 'string' || status === 429) continue;
  posters.set(nonce, (posters.get(nonce) ?? new Set()).add(client));
}
const sentTwice = [...posters.values()].filter((clients) => clients.size > 1).length;

for (const [route, count] of [...routes].toSorted(([, a], [, b]) => b - a).slice(0, 12))
  note(`${count} of ${route}`);

const killedMs = kills.map(({ name, atMs }) => Math.max(0, ...shards.takenMs(name, atMs)));
const frozenMs = freezes.map(({ name, fromMs: atMs }) =>
  Math.max(0, ...shards.takenMs(name, atMs)),
);
/** What a program that goes on sends before its former connections are closed. */
const late = freezes.flatMap(({ name, toMs }) => {
  const unixMs = performance.timeOrigin + toMs;
  const closedMs = performance.timeOrigin + shards.closedMs(name, toMs);
  return changes.filter(({ client, at: ms }) => client === name && ms >= unixMs && ms <= closedMs);
});
const { share, longestMs } = shards.gaps(SHARDS, fromMs, fromMs + talkedMs);
const overlaps = shards.overlaps();
const refused = changes.filter(({ status }) => status === 429).length;
const { repeated, givenUp } = slackTalk.events();
const translations = found.waitsMs.length;
const throughMs = found.lastMs - fromUnixMs;

const seconds = (ms: number): string => `${fixed(ms / 1_000, 1)} s`;
const row = (what: string, ours: string) => ({ what, ours, common: '–', ratio: '–' });
printTable(
  `${kills.length} kills in ${SECONDS} s, ${seconds(FREEZE_S * 1_000)} frozen, PostgreSQL away for ${seconds(restartMs)}`,
  [
    row('messages; translations of them', `${lines}; ${translations}`),
    row('a second, until the last translation', fixed((lines * 1_000) / throughMs, 1)),
    row('lost', String(found.lost.length)),
    row('posted twice: killed before the answer could be noted', String(unavoidable.length)),
    row('posted twice, others', String(avoidable.length)),
    row('sent twice, and posted once thanks to the nonce', String(sentTwice)),
    row('out of order', String(found.unordered.length)),
    row('shards with two programs that serve them', String(overlaps)),
    row('kill to all of its shards connected, median', seconds(median(killedMs))),
    row('the longest', seconds(Math.max(...killedMs))),
    row('frozen: its shards are connected elsewhere', seconds(Math.max(...frozenMs))),
    row('it goes on: what it sends before its connections are closed', String(late.length)),
    row('time in which a shard was not connected, share', `${fixed(share * 100)} %`),
    row('the longest of one shard', seconds(longestMs)),
    row('message to translation, median', `${fixed(median(found.waitsMs), 0)} ms`),
    row(
      '95 % and 99 % within',
      [0.95, 0.99].map((one) => seconds(quantile(found.waitsMs, one))).join(' and '),
    ),
    row('the longest', seconds(Math.max(...found.waitsMs))),
    row('events of Slack delivered again, given up', `${repeated}, ${givenUp}`),
    row('answers of 429 from Discord', String(refused)),
    row('memory of each program at the end', after.mb.map((mb) => `${fixed(mb, 0)} MB`).join(', ')),
    row(
      'processor time of all for one message',
      `${fixed((after.cpuMs - before.cpuMs) / lines)} ms`,
    ),
    row('event loop of the fakes, 99 %', `${fixed(loop.percentile(99) / 1e6, 0)} ms`),
  ],
);
await programs[Symbol.asyncDispose]();
await balancer[Symbol.asyncDispose]();
await slack[Symbol.asyncDispose]();
await discord[Symbol.asyncDispose]();
await speech[Symbol.asyncDispose]();
await postgres[Symbol.asyncDispose]();
const isGood =
  found.lost.length + avoidable.length + found.unordered.length + overlaps + late.length === 0 &&
  Math.max(...killedMs, ...frozenMs) <= TAKEOVER_MS;
process.exit(isGood ? 0 : 1);
