import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SUBSCRIBED } from '../adapters/slack/manifest.ts';
import { SCOPES } from '../adapters/slack/scopes.ts';
import { startDiscordFake } from '../test/fakes/discord/index.ts';
import { spawnDragoman } from '../test/fakes/program.ts';
import { startSlackFake } from '../test/fakes/slack/index.ts';
import { fixed, printTable } from './measure.ts';

/**
 * Memory of the program a minute after its start, with the built-in service: on the page alone, on
 * Discord and on Slack. The common way is a bot of discord.js or Bolt that is connected and does
 * nothing; for the page, a Node process that does nothing. `node bench/rest.ts 20` waits 20 seconds.
 */

const REST_MS = 1_000 * Number(process.argv[2] ?? 60);
/** Time for the first start, which fills the cache of compiled code. */
const FIRST_MS = 8_000;
const USAGE_MS = 2_000;
const MB = 1_048_576;

type Environment = Readonly<Record<string, string>>;

const folder = await mkdtemp(join(tmpdir(), 'dragoman-bench-'));
const usageHook = `--import=${join(import.meta.dirname, 'memory-usage.mjs')}`;

/** Resident memory, and the part of it that is not shared with other processes, in MB. */
const memoryMb = ({ pid }: ChildProcess): { readonly rssMb: number; readonly pssMb: number } => {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const of = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(rollup)?.[1] ?? 0) / 1_024;
  return { rssMb: of('Rss'), pssMb: of('Pss') };
};

const startOurs = (environment: Environment, usageFile: string): ChildProcess => {
  const child = spawnDragoman({
    ...environment,
    PORT: '0',
    LOG_LEVEL: 'silent',
    NODE_OPTIONS: usageHook,
    USAGE_FILE: usageFile,
  });
  child.stdout.resume();
  child.stderr.resume();
  return child;
};
const startCommon = (environment: Environment, usageFile: string): ChildProcess =>
  spawn(process.execPath, [usageHook, join(import.meta.dirname, 'idle-bot.mjs')], {
    env: { PATH: process.env['PATH'], USAGE_FILE: usageFile, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });

const stop = async (child: ChildProcess): Promise<void> => {
  child.kill();
  await once(child, 'exit');
};

const measure = async (
  start: typeof startOurs,
  environment: Environment,
): Promise<{ readonly rssMb: number; readonly shown: string }> => {
  const usageFile = join(folder, 'usage');
  const first = start(environment, usageFile);
  await delay(FIRST_MS);
  await stop(first);
  const child = start(environment, usageFile);
  await delay(REST_MS);
  const { rssMb, pssMb } = memoryMb(child);
  child.kill('SIGUSR2');
  await delay(USAGE_MS);
  await stop(child);
  const { heapUsed, heapTotal, external } = JSON.parse(
    readFileSync(usageFile, 'utf8'),
  ) as NodeJS.MemoryUsage;
  const heap = `heap ${fixed(heapUsed / MB, 0)} of ${fixed(heapTotal / MB, 0)}`;
  return {
    rssMb,
    shown: `${fixed(rssMb, 0)} MB (PSS ${fixed(pssMb, 0)}, ${heap}, external ${fixed(external / MB, 0)})`,
  };
};

await using discord = await startDiscordFake({ limits: 'off' });
discord.guild({ name: 'Babel' }).channel({ name: 'talk' });
await using slack = await startSlackFake();
const workspace = slack.workspace({ name: 'team', scopes: Object.keys(SCOPES) });
slack.app.events = new Set(SUBSCRIBED);

const places: Readonly<Record<string, Environment>> = {
  'the page alone': {},
  Discord: { DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.url },
  Slack: {
    SLACK_BOT_TOKEN: workspace.botToken,
    SLACK_APP_TOKEN: slack.app.appToken,
    SLACK_API_URL: slack.url,
  },
};
const rows = [];
for (const [what, environment] of Object.entries(places)) {
  const ours = await measure(startOurs, environment);
  const common = await measure(startCommon, environment);
  rows.push({
    what,
    ours: ours.shown,
    common: common.shown,
    ratio: fixed(ours.rssMb / common.rssMb),
  });
}
printTable('Memory at rest, main process', rows);
rmSync(folder, { recursive: true });
process.exit();
